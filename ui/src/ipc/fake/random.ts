/** The same numbers for the same seed, on every machine. */
export function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Forty hexadecimal digits that look like a commit id. */
export function sha(next: () => number): string {
  let out = ''
  while (out.length < 40) out += Math.floor(next() * 16).toString(16)
  return out
}
