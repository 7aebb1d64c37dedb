import { formatDateTime } from '@/domain/format'
import { OutcomeChip } from '@/features/outcomes/OutcomeChip'
import { ConflictChip, PullChip, WebLink } from '@/features/pulls/PullChip'
import type { RecipientBranchRow } from '@/ipc'
import { clock } from '@/live/clock'
import { useRow } from '@/live/hooks'
import type { RowStore } from '@/live/rows'
import { useT } from '@/messages'
import { Dialog } from '@/ui/Dialog'

/** Everything about one recipient: person, deadline, and per branch what happened and what was answered. */
export function DetailsDialog({ rows, id, onClose }: { rows: RowStore; id: string; onClose: () => void }) {
  const t = useT()
  const row = useRow(rows, id)
  if (!row) return null
  const deadline = row.deadline === null ? t('recipients.no_deadline') : formatDateTime(row.deadline, clock.now())
  return (
    <Dialog open onClose={onClose} title={row.label || row.repo} testId="details">
      <p className="facts text-muted">
        <WebLink url={row.url}>
          <code>{row.repo}</code>
        </WebLink>
        <span>
          {t('recipients.col.deadline')}: {deadline}
          {row.ownDeadline && ` (${t('recipients.own')})`}
        </span>
        {row.locked && <span>{t('recipients.locked')}</span>}
        {row.owed && <span>{t('recipients.owed')}</span>}
      </p>
      {row.branches.map((branch) => (
        <Branch key={branch.branch} branch={branch} />
      ))}
    </Dialog>
  )
}

function Branch({ branch }: { branch: RecipientBranchRow }) {
  const t = useT()
  return (
    <section className="flex flex-col gap-1.5 border-t border-line pt-3" aria-label={branch.branch}>
      <div className="flex flex-wrap items-center gap-2">
        <code className="font-semibold">{branch.branch}</code>
        <OutcomeChip branch={branch} />
        {branch.pull ? <PullChip pull={branch.pull} conflicts={branch.conflicts} /> : <ConflictChip conflicts={branch.conflicts} />}
      </div>
      {branch.reason && <p>{t(`cause.${branch.reason}`)}</p>}
      {branch.cause && (
        <p className="text-sm text-muted select-text wrap-anywhere" lang="en" data-testid="raw">
          {t('recipients.answered', { text: branch.cause })}
        </p>
      )}
    </section>
  )
}
