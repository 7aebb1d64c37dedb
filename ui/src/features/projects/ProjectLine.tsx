import { totalOf } from '@/domain/outcome'
import { rowPress } from '@/domain/press'
import { AheadChip } from '@/features/ahead/AheadChip'
import { LeaseChip, useLeaseState } from '@/features/lease'
import { OutcomeBar, OutcomeFigures } from '@/features/outcomes/OutcomeBar'
import { usePress } from '@/features/run'
import type { LeaseCard, LeaseState, ProjectRow } from '@/ipc'
import { useLease } from '@/live/hooks'
import { translate, useT } from '@/messages'
import { Age, useAge } from '@/ui/Age'
import { Button } from '@/ui/Button'
import { Chip } from '@/ui/Chip'
import { say } from '@/ui/toasts'

interface ProjectLineProps {
  initial: ProjectRow
  /** The first line is where the keyboard enters the table. */
  first: boolean
  onOpen: (project: string) => void
}

export function ProjectLine({ initial: row, first, onOpen }: ProjectLineProps) {
  const t = useT()
  const lease = useLease(row.lease)
  const state = useLeaseState(lease)
  return (
    <tr
      tabIndex={first ? 0 : -1}
      data-testid="project"
      className="cursor-default"
      onClick={() => onOpen(row.id)}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target === event.currentTarget) onOpen(row.id)
      }}
    >
      <td>
        <div className="flex flex-wrap items-center gap-x-2 font-semibold">
          <bdi className="min-w-36 wrap-break-word">{row.name}</bdi>
          {row.state !== 'published' && <Chip>{t(row.state === 'draft' ? 'projects.draft' : 'projects.archived')}</Chip>}
        </div>
        <div className="text-sm text-muted">{t('projects.recipients', { count: row.recipients })}</div>
      </td>
      <td>
        <code className="text-muted wrap-anywhere">{row.source}</code>
        <div className="mt-1 flex flex-wrap gap-1">
          {row.ahead.map((ahead) => (
            <AheadChip key={ahead.branch} ahead={ahead} named />
          ))}
        </div>
      </td>
      <td className="whitespace-nowrap">
        <LeaseChip state={state} />
        <LeaseWords card={lease} state={state} />
      </td>
      <td className="w-64 min-w-44">
        <div className="flex flex-col gap-1.5 pt-1">
          <OutcomeBar counts={row.counts} small />
          {totalOf(row.counts) > 0 && <OutcomeFigures counts={row.counts} />}
        </div>
      </td>
      <td className="text-muted">
        {row.pulls.open + row.pulls.merged + row.pulls.closed === 0 ? t('projects.pulls_none') : t('projects.pulls', { ...row.pulls })}
      </td>
      <td className="text-end tabular-nums">{row.owed}</td>
      <td className="whitespace-nowrap text-muted">
        <Age at={row.lastSynced} missing={t('projects.never_synced')} />
      </td>
      <td className="text-end">
        <RowButton row={row} lease={lease} state={state} onOpen={onOpen} />
      </td>
    </tr>
  )
}

function LeaseWords({ card, state }: { card: LeaseCard; state: LeaseState }) {
  const t = useT()
  const age = useAge(card.heartbeatAt)
  if (state === 'free') return null
  return (
    <div className="mt-0.5 text-sm text-muted">
      <bdi>{card.mine ? t('projects.lease.mine') : t('projects.lease.held', { person: card.person, host: card.host })}</bdi>
      <div>
        {card.progress && card.progress.planned > 0
          ? t('projects.lease.progress', { done: card.progress.done, planned: card.progress.planned })
          : t('projects.lease.heard', { age })}
      </div>
    </div>
  )
}

interface RowButtonProps {
  row: ProjectRow
  lease: LeaseCard
  state: LeaseState
  onOpen: (project: string) => void
}

function RowButton({ row, state, onOpen }: RowButtonProps) {
  const t = useT()
  const start = usePress(() => say(translate('projects.started', { project: row.name }), 'info'))
  const kind = rowPress(row, { state, age: null, left: 0, used: 0 })
  if (kind === 'none') return null
  const words = {
    watch: t('projects.watch'),
    sync: t('projects.sync'),
    owed: t('projects.send_owed', { n: row.owed }),
    again: t('projects.sync_again'),
  }[kind]
  const act = () => {
    if (kind === 'watch') onOpen(row.id)
    else start.press({ project: row.id, selection: kind === 'owed' ? 'owed' : 'all' })
  }
  return (
    <Button
      size="small"
      kind={kind === 'sync' || kind === 'owed' ? 'primary' : 'plain'}
      busy={start.busy}
      aria-label={t('projects.sync_named', { action: words, name: row.name })}
      onClick={(event) => {
        event.stopPropagation()
        act()
      }}
    >
      {words}
    </Button>
  )
}
