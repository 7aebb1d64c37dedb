import { formatList } from '@/domain/format'
import type { ProjectRow } from '@/ipc'
import { useT } from '@/messages'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import type { Together } from './useTogether'

interface ArchiveDialogProps {
  rows: readonly ProjectRow[]
  /** Into the archive, or out of it. */
  into: boolean
  together: Together
  onClose: () => void
}

const sum = (rows: readonly ProjectRow[], of: (row: ProjectRow) => number) => rows.reduce((all, row) => all + of(row), 0)

/** Says in numbers what archiving stops, or what its end allows again, and asks once. */
export function ArchiveDialog({ rows, into, together, onClose }: ArchiveDialogProps) {
  const t = useT()
  const count = rows.length
  const does = into ? 'archive' : 'unarchive'
  const act = () => void together.archive(rows, into).then(onClose)
  return (
    <Dialog
      open
      onClose={onClose}
      title={t(`projects.${does}_title`, { count })}
      testId="archive-dialog"
      actions={
        <Button kind="primary" busy={together.busy} onClick={act} data-testid="archive-do">
          {t(`projects.${does}_do`, { count })}
        </Button>
      }
    >
      <p className="font-semibold wrap-anywhere">{formatList(rows.map((row) => row.name))}</p>
      <p>{t(`projects.${does}_text`, { count: sum(rows, (row) => row.recipients) })}</p>
      {into && (
        <p className="text-muted">
          {t('projects.archive_stays', { open: sum(rows, (row) => row.pulls.open), owed: sum(rows, (row) => row.owed) })}
        </p>
      )}
    </Dialog>
  )
}
