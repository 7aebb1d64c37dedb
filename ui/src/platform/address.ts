import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { equal } from '@/live/equal'
import { useRemembered } from './remember'

export type Search = Record<string, unknown>

/** How a view stands in the address. What is as usual is left out, so that plain places have plain addresses. */
export interface Codec<T> {
  keys: readonly string[]
  plain: T
  read(search: Search): T
  write(value: T): Search
}

/** One of these values, or none. */
export function oneOf<T extends string>(value: unknown, known: readonly T[]): T | null {
  return known.find((one) => one === value) ?? null
}

/** A piece of the address, and a way to go to another: `replace` leaves no step behind for Back. */
export function useAddress<T>(codec: Codec<T>): [T, (next: T, replace?: boolean) => void] {
  const search = useSearch({ strict: false }) as Search
  const navigate = useNavigate()
  const value = useMemo(() => codec.read(search), [codec, search])
  const set = (next: T, replace = false) => {
    const change = (old: Search): Search => {
      const kept = Object.entries(old).filter(([key]) => !codec.keys.includes(key))
      return { ...Object.fromEntries(kept), ...codec.write(next) }
    }
    void navigate({ to: '.', search: change as never, replace })
  }
  return [value, set]
}

/** A pause in typing after which the search belongs to the address. */
const TYPED_MS = 300

/**
 * A view that lives in the address, so that Back, Forward and a reload keep it. Who comes without one gets what this
 * computer remembers, save the search.
 */
export function useView<T extends { search: string }>(codec: Codec<T>, name: string): [T, (next: T) => void] {
  const [there, go] = useAddress(codec)
  const [kept, keep] = useRemembered<T>(name, codec.plain)
  const [search, setSearch] = useState(there.search)
  /** The search as the address was last told. */
  const told = useRef(there.search)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const first = useRef(true)
  useEffect(() => {
    if (first.current) {
      first.current = false
      if (equal(there, codec.plain) && !equal(kept, codec.plain)) go({ ...kept, search: '' }, true)
      return
    }
    if (there.search !== told.current) {
      told.current = there.search
      setSearch(there.search)
    }
    const memory = { ...there, search: '' }
    if (!equal(memory, kept)) keep(memory)
    // Only what the address says matters here; the rest is what is done about it.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [there])
  useEffect(() => () => clearTimeout(timer.current), [])
  const set = (next: T) => {
    clearTimeout(timer.current)
    const write = (replace: boolean) => {
      told.current = next.search
      go(next, replace)
    }
    if (next.search !== search) setSearch(next.search)
    if (equal({ ...next, search: '' }, { ...there, search: '' })) timer.current = setTimeout(() => write(true), TYPED_MS)
    else write(false)
  }
  return [useMemo(() => ({ ...there, search }), [there, search]), set]
}
