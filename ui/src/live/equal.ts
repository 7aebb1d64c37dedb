/** Whether two plain values (as JSON knows them) say the same. */
export function equal(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const left = Object.keys(a)
  if (left.length !== Object.keys(b).length) return false
  return left.every((key) => equal((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]))
}
