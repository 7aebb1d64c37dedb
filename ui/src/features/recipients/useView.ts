import { useMemo, useState } from 'react'
import { PLAIN_VIEW, type View } from '@/domain/causes'
import { useRemembered } from '@/platform/remember'

/** How a project's table is looked at; the search is not remembered, the rest is. */
export function useView(project: string): [View, (view: View) => void] {
  const [kept, keep] = useRemembered<View>(`recipients.${project}`, PLAIN_VIEW)
  const [search, setSearch] = useState('')
  const view = useMemo(() => ({ ...kept, search }), [kept, search])
  const set = (next: View) => {
    setSearch(next.search)
    const same = Object.entries(next).every(([key, value]) => key === 'search' || kept[key as keyof View] === value)
    if (!same) keep({ ...next, search: '' })
  }
  return [view, set]
}
