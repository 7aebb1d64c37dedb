import { useState } from 'react'

/** A piece of state that this computer's window remembers, as filters and columns. Never anything secret. */
export function useRemembered<T>(key: string, initial: T): [T, (next: T) => void] {
  const name = `lockstep:${key}`
  const [value, setValue] = useState<T>(() => {
    try {
      const found = localStorage.getItem(name)
      return found === null ? initial : { ...initial, ...(JSON.parse(found) as T) }
    } catch {
      return initial
    }
  })
  const set = (next: T) => {
    setValue(next)
    try {
      localStorage.setItem(name, JSON.stringify(next))
    } catch {
      // A full or forbidden storage only costs the memory of a filter.
    }
  }
  return [value, set]
}
