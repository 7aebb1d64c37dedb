import { memo } from 'react'
import { formatDateTime } from '@/domain/format'
import { ownerOf, repoName } from '@/domain/names'
import { OutcomeChip } from '@/features/outcomes/OutcomeChip'
import { ConflictChip, PullChip, WebLink } from '@/features/pulls/PullChip'
import { Age } from '@/ui/Age'
import type { RecipientBranchRow, RecipientRow } from '@/ipc'
import { clock } from '@/live/clock'
import { useRow } from '@/live/hooks'
import type { RowStore } from '@/live/rows'
import { useT } from '@/messages'
import { Chip } from '@/ui/Chip'
import { Icon } from '@/ui/Icon'
import type { BranchLook, Plan } from './columns'

export interface LineProps {
  rows: RowStore
  id: string
  /** Place in the table, 0 is the first line below the head. */
  at: number
  branches: readonly string[]
  plan: Plan
  /** The owner that most repositories share; it is left out of their names. */
  owner: string
  selected: boolean
  active: boolean
  /** Shows everything about this recipient. */
  onDetails: (id: string) => void
  onPoint: (id: string, event: React.MouseEvent) => void
  onToggle: (id: string) => void
  /** For tests: told each time the line is drawn. */
  onDraw?: (id: string) => void
}

/** One recipient. It looks at its own row only; what happens to others never draws it again. */
export const RecipientLine = memo(function RecipientLine(props: LineProps) {
  const { rows, id, at, branches, plan, owner, selected, active, onPoint, onToggle, onDetails, onDraw } = props
  const t = useT()
  const row = useRow(rows, id)
  onDraw?.(id)
  if (!row) return null
  return (
    <div
      role="row"
      id={`line-${id}`}
      className="grid-row grid-line"
      style={{ top: `calc(var(--row) * ${at})`, gridTemplateColumns: plan.template }}
      aria-rowindex={at + 2}
      aria-selected={selected}
      data-active={active}
      data-testid="recipient"
      data-repo={row.repo}
      data-outcome-of={row.outcome ?? 'none'}
      onMouseDown={(event) => onPoint(id, event)}
    >
      <span role="gridcell" className="flex">
        <input
          type="checkbox"
          className="size-3.5 accent-(--accent)"
          tabIndex={-1}
          checked={selected}
          aria-label={t('recipients.select_row', { repo: row.repo })}
          onChange={() => onToggle(id)}
        />
      </span>
      <RepoCell row={row} owner={owner} named={!plan.label} />
      {plan.label && (
        <span role="gridcell" className="cell" title={row.label}>
          <bdi>{row.label}</bdi>
        </span>
      )}
      {plan.deadline && <DeadlineCell row={row} />}
      {branches.map((name) => (
        <BranchCell
          key={name}
          branch={row.branches.find((one) => one.branch === name)}
          look={plan.branch}
          onDetails={() => onDetails(id)}
        />
      ))}
      {plan.last && (
        <span role="gridcell" className="cell text-muted">
          <Age at={row.lastAt} />
        </span>
      )}
    </div>
  )
})

interface BranchCellProps {
  branch: RecipientBranchRow | undefined
  look: BranchLook
  onDetails: () => void
}

/** Outcome and pull request of one branch, as much of it as there is room for; a click tells the rest. */
function BranchCell({ branch, look, onDetails }: BranchCellProps) {
  if (!branch) return <span role="gridcell" />
  const short = look !== 'words'
  return (
    <span role="gridcell" className="flex min-w-0 items-center gap-1 overflow-hidden">
      <span className={`flex flex-none ${short ? 'min-w-[1.75rem]' : 'min-w-[5.75rem]'}`}>
        <OutcomeChip branch={branch} short={short} onDetails={onDetails} />
      </span>
      {look === 'icon' ? null : branch.pull ? (
        <PullChip pull={branch.pull} conflicts={branch.conflicts} tabIndex={-1} short={short} />
      ) : (
        <ConflictChip conflicts={branch.conflicts} short={short} />
      )}
    </span>
  )
}

/** `named`: the person has no column of their own. */
function RepoCell({ row, owner, named }: { row: RecipientRow; owner: string; named: boolean }) {
  const t = useT()
  return (
    <span role="gridcell" className="flex min-w-0 items-center gap-1.5">
      <WebLink url={row.url} className="cell hover:underline" label={row.repo} tabIndex={-1} title={named && row.label ? `${row.repo} · ${row.label}` : row.repo}>
        <code>{ownerOf(row.repo) === owner ? repoName(row.repo) : row.repo}</code>
      </WebLink>
      {row.locked && (
        <span className="flex flex-none text-muted" title={t('recipients.locked')}>
          <Icon name="lock" size={13} />
          <span className="sr-only">{t('recipients.locked')}</span>
        </span>
      )}
      {row.state !== 'live' && <Chip icon="skip">{t(`recipients.state.${row.state}`)}</Chip>}
    </span>
  )
}

function DeadlineCell({ row }: { row: RecipientRow }) {
  const t = useT()
  if (row.deadline === null) {
    return (
      <span role="gridcell" className="cell text-faint">
        {t('recipients.no_deadline')}
      </span>
    )
  }
  return (
    <span role="gridcell" className="flex min-w-0 items-center gap-1 text-muted">
      {row.pastDeadline && (
        <span className="tone-warn flex" title={t('recipients.past')}>
          <Icon name="clock" size={12} />
          <span className="sr-only">{t('recipients.past')}</span>
        </span>
      )}
      <span className="cell">{formatDateTime(row.deadline, clock.now())}</span>
      {row.ownDeadline && <Chip>{t('recipients.own')}</Chip>}
    </span>
  )
}
