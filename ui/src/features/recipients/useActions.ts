import { openLink, useEditRecipients } from '@/api/actions'
import type { CauseAction } from '@/domain/causes'
import type { RecipientRow } from '@/ipc'
import type { RowStore } from '@/live/rows'
import { translate } from '@/messages'
import { say } from '@/ui/toasts'

export interface RecipientActions {
  /** Opens the repository's page. */
  open(id: string): void
  /** Opens the first pull request there is. */
  openPull(id: string): void
  setLocked(ids: readonly string[], locked: boolean): void
  /** Locks, or unlocks when all of them are locked. */
  toggleLock(ids: readonly string[]): void
  setDeadline(ids: readonly string[], deadline: number | null, done: () => void): void
  send(ids: readonly string[]): void
  /** The one action of a group. */
  remedy(action: CauseAction, ids: readonly string[]): void
  busy: boolean
  error: unknown
  repeat(): void
  dismiss(): void
}

/** What may be done with recipients; every way to do it (button, key, group) comes through here. */
export function useRecipientActions(
  project: string,
  rows: RowStore,
  send: (ids: readonly string[]) => void,
  askDeadline: (ids: readonly string[]) => void,
): RecipientActions {
  const edit = useEditRecipients(project)
  const known = (ids: readonly string[]): RecipientRow[] => ids.flatMap((id) => rows.row(id) ?? [])

  const setLocked = (ids: readonly string[], locked: boolean) =>
    edit.mutate(
      { recipients: [...ids], locked, deadline: null, clearDeadline: false },
      {
        onSuccess: () =>
          say(translate(locked ? 'recipients.locked_done' : 'recipients.unlocked_done', { count: ids.length })),
      },
    )

  const setDeadline = (ids: readonly string[], deadline: number | null, done: () => void) =>
    edit.mutate(
      { recipients: [...ids], locked: null, deadline, clearDeadline: deadline === null },
      {
        onSuccess: () => {
          say(translate('recipients.deadline_done', { count: ids.length }))
          done()
        },
      },
    )

  return {
    open: (id) => {
      const row = rows.row(id)
      if (row) openLink(row.url)
    },
    openPull: (id) => {
      const pull = rows.row(id)?.branches.find((branch) => branch.pull !== null)?.pull
      if (pull) openLink(pull.url)
    },
    setLocked,
    toggleLock: (ids) => setLocked(ids, known(ids).some((row) => !row.locked)),
    setDeadline,
    send,
    remedy: (action, ids) => {
      if (action === 'unlock') setLocked(ids, false)
      else if (action === 'deadline') askDeadline(ids)
      else send(ids)
    },
    busy: edit.isPending,
    error: edit.error,
    repeat: () => edit.variables && edit.mutate(edit.variables),
    dismiss: edit.reset,
  }
}
