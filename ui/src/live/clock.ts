/**
 * The one clock of the window: this machine's time corrected to the database's, ticking once a second. Ages and
 * countdowns read from here and from nowhere else.
 */
let correction = 0
let timer: ReturnType<typeof setInterval> | null = null
const listeners = new Set<() => void>()

function tick() {
  for (const listener of [...listeners]) listener()
}

export const clock = {
  /** The database's time now, in ms. */
  now: (): number => Date.now() + correction,

  /** What must be added to this machine's time. */
  correction: (): number => correction,

  /**
   * Takes a reading of the database's clock. A reading is always a little old when it arrives, so a later one only
   * wins backwards when it differs by more than a network delay would explain.
   */
  read(databaseNow: number): void {
    const seen = databaseNow - Date.now()
    if (seen > correction || correction - seen > 1_500 || correction === 0) correction = seen
  },

  /** Runs the listener every second while anything is subscribed. */
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    timer ??= setInterval(tick, 1_000)
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && timer !== null) {
        clearInterval(timer)
        timer = null
      }
    }
  },

  /** For tests. */
  reset(): void {
    correction = 0
  },
}
