/** The smallest thing React can subscribe to: a value outside React that says when it changed. */
export interface Store<T> {
  get(): T
  set(next: T): void
  subscribe(listener: () => void): () => void
}

export function store<T>(initial: T): Store<T> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      if (Object.is(value, next)) return
      value = next
      for (const listener of [...listeners]) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Listeners by key, so that a change wakes only who looks at that key. */
export class Keyed {
  readonly #byKey = new Map<string, Set<() => void>>()

  subscribe(key: string, listener: () => void): () => void {
    let set = this.#byKey.get(key)
    if (!set) {
      set = new Set()
      this.#byKey.set(key, set)
    }
    set.add(listener)
    return () => {
      set.delete(listener)
      if (set.size === 0) this.#byKey.delete(key)
    }
  }

  wake(key: string): void {
    const set = this.#byKey.get(key)
    if (set) for (const listener of [...set]) listener()
  }

  wakeAll(): void {
    for (const key of [...this.#byKey.keys()]) this.wake(key)
  }
}
