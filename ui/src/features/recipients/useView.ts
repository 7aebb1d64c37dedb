import { CAUSE_ACTION, type Cause, PLAIN_VIEW, type View } from '@/domain/causes'
import { OUTCOMES } from '@/domain/outcome'
import { type Codec, oneOf, useView as useKeptView } from '@/platform/address'

const CAUSES = Object.keys(CAUSE_ACTION) as Cause[]
const STATES = ['live', 'pending', 'archived', 'gone', 'moved', 'locked', 'owed'] as const
const SORTS = ['repo', 'label', 'deadline', 'last'] as const

const VIEW: Codec<View> = {
  keys: ['q', 'outcome', 'cause', 'state', 'flat', 'sort', 'desc'],
  plain: PLAIN_VIEW,
  read: (search) => ({
    search: search['q'] === undefined ? '' : String(search['q']),
    outcome: oneOf(search['outcome'], [...OUTCOMES, 'none'] as const),
    cause: oneOf(search['cause'], CAUSES),
    state: oneOf(search['state'], STATES),
    grouped: search['flat'] !== true,
    sort: oneOf(search['sort'], SORTS) ?? PLAIN_VIEW.sort,
    descending: search['desc'] === true,
  }),
  write: (view) => ({
    ...(view.search && { q: view.search }),
    ...(view.outcome && { outcome: view.outcome }),
    ...(view.cause && { cause: view.cause }),
    ...(view.state && { state: view.state }),
    ...(!view.grouped && { flat: true }),
    ...(view.sort !== PLAIN_VIEW.sort && { sort: view.sort }),
    ...(view.descending && { desc: true }),
  }),
}

/** How a project's table is looked at. */
export function useView(project: string): [View, (view: View) => void] {
  return useKeptView(VIEW, `recipients.${project}`)
}
