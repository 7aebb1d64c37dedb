import { formatAge, formatDateTime } from '@/domain/format'
import { useTicking } from '@/live/hooks'
import { translate, useT } from '@/messages'

/** How long ago something was, ticking by the database's clock. */
export function useAge(at: number | null): string {
  useT()
  return useTicking((now) => {
    if (at === null) return translate('age.never')
    const age = now - at
    return Math.abs(age) < 1_000 ? translate('age.now') : formatAge(age)
  })
}

/** The same as an element that tells the exact time when asked. Renders again only when the words change. */
export function Age({ at, missing }: { at: number | null; missing?: string }) {
  const age = useAge(at)
  const exact = useTicking((now) => (at === null ? '' : formatDateTime(at, now)))
  if (at === null) return <span className="text-faint">{missing ?? age}</span>
  return (
    <time dateTime={new Date(at).toISOString()} title={exact}>
      {age}
    </time>
  )
}
