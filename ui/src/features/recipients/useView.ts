import { PLAIN_VIEW, type View } from '@/domain/causes'
import { useRemembered } from '@/platform/remember'

/** How the table is looked at; the search is not remembered, the rest is. */
export function useView(): [View, (view: View) => void] {
  const [view, setView] = useRemembered<View>('recipients', PLAIN_VIEW)
  return [view, setView]
}
