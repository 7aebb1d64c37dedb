import type { KeyboardEvent } from 'react'
import { isHeld } from '@/domain/lease'
import { totalOf } from '@/domain/outcome'
import { rowPress } from '@/domain/press'
import { AheadChip } from '@/features/ahead/AheadChip'
import { Trouble } from '@/features/errors'
import { LeaseChip, useLeaseState } from '@/features/lease'
import { OutcomeBar, OutcomeFigures } from '@/features/outcomes/OutcomeBar'
import { usePress } from '@/features/run'
import type { AheadView, LeaseCard, LeaseState, PressKind, ProjectRow, PullCounts } from '@/ipc'
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
  selected: boolean
  /** Others (or this one) are selected: S is meant for them. */
  among: boolean
  onToggle: (project: string) => void
  /** Into the archive, or out of it. */
  onArchive: (row: ProjectRow) => void
  onOpen: (project: string) => void
}

export const COLUMNS = 9

/** The core says what a press is for; a lease that is live by now, or that has just ended, comes before that. */
function kindOf(row: ProjectRow, state: LeaseState): PressKind {
  if (isHeld(state)) return 'watch'
  return row.press === 'watch' ? rowPress(row, { state }) : row.press
}

/** One project: a click or Enter opens it, S or its button presses. */
export function ProjectLine({ initial: row, first, selected, among, onToggle, onArchive, onOpen }: ProjectLineProps) {
  const t = useT()
  const lease = useLease(row.lease)
  const state = useLeaseState(lease)
  const start = usePress(() => say(translate('projects.started', { project: row.name }), 'info'))
  const kind = kindOf(row, state)
  const act = () => {
    if (kind === 'watch') onOpen(row.id)
    else if (kind === 'resume') start.press({ project: row.id, selection: 'all', resumes: row.resumable?.id ?? null })
    else if (kind !== 'none') start.press({ project: row.id, selection: kind === 'owed' ? 'owed' : 'all' })
    else if (row.state === 'archived') onArchive(row)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Enter') onOpen(row.id)
    else if (event.key.toLowerCase() === 's' && !among) act()
    else return
    event.preventDefault()
  }
  return (
    <>
      <tr
        tabIndex={first ? 0 : -1}
        data-testid="project"
        data-id={row.id}
        aria-selected={selected}
        onClick={() => onOpen(row.id)} onKeyDown={onKeyDown}>
        <td className="w-0" onClick={(event) => event.stopPropagation()}>
          <input
            type="checkbox"
            className="mt-1 size-3.5 accent-(--accent)"
            tabIndex={-1}
            checked={selected}
            aria-label={t('recipients.select_row', { repo: row.name })}
            onChange={() => onToggle(row.id)}
          />
        </td>
        <td className="min-w-36">
          <bdi className="font-semibold wrap-break-word">{row.name}</bdi>
          <div className="flex flex-wrap items-center gap-x-2 text-sm text-muted">
            {t('projects.recipients', { count: row.recipients })}
            {row.state !== 'published' && <Chip>{t(row.state === 'draft' ? 'projects.draft' : 'projects.archived')}</Chip>}
          </div>
        </td>
        <td>
          <code className="block max-w-[8.5rem] truncate text-muted" title={row.source}>
            {row.source}
          </code>
          <Branches ahead={row.ahead} />
        </td>
        <td>
          <LeaseChip state={state} />
          <LeaseWords card={lease} state={state} />
        </td>
        <td className="w-80 min-w-36">
          <div className="flex flex-col gap-1.5 pt-1.5">
            <OutcomeBar counts={row.counts} small />
            {totalOf(row.counts) > 0 ? (
              <OutcomeFigures counts={row.counts} />
            ) : (
              <span className="text-sm text-muted">{t('outcome.bar_empty')}</span>
            )}
          </div>
        </td>
        <td className="whitespace-nowrap">
          <Pulls pulls={row.pulls} />
        </td>
        <td className="text-end" title={row.owed > 0 ? t('projects.owed', { count: row.owed }) : t('projects.owed_none')}>
          <span className={row.owed > 0 ? 'font-semibold' : 'text-faint'}>{row.owed}</span>
        </td>
        <td className="whitespace-nowrap text-muted">
          <Age at={row.lastSynced} missing={t('projects.never_synced')} />
        </td>
        <td className="text-end">
          <RowButton row={row} kind={kind} busy={start.busy} onPress={act} />
        </td>
      </tr>
      {start.error && (
        <tr>
          <td colSpan={COLUMNS}>
            <Trouble error={start.error} onRetry={start.repeat} onDismiss={start.dismiss} />
          </td>
        </tr>
      )}
    </>
  )
}

/** What is level stands back behind what is not: at most this many branches are named. */
const MOST_BRANCHES = 3

function Branches({ ahead }: { ahead: readonly AheadView[] }) {
  const t = useT()
  const shown = [...ahead].sort((a, b) => Number(a.kind === 'level') - Number(b.kind === 'level')).slice(0, MOST_BRANCHES)
  const hidden = ahead.length - shown.length
  return (
    <div className="mt-1 flex max-w-56 flex-wrap items-center gap-1">
      {shown.map((view) => (
        <AheadChip key={view.branch} ahead={view} named />
      ))}
      {hidden > 0 && <span className="text-sm text-muted">{t('common.and_more', { n: hidden })}</span>}
    </div>
  )
}

function Pulls({ pulls }: { pulls: PullCounts }) {
  const t = useT()
  const { open, merged, closed } = pulls
  if (open + merged + closed === 0) return <span className="text-faint">{t('projects.pulls_none')}</span>
  // Open ones are what staff look for; the rest of the sentence stands below them.
  const [first = '', ...rest] = t('projects.pulls', { open, merged, closed }).split(', ')
  return (
    <>
      {first}
      {rest.map((words) => (
        <div key={words} className="text-sm text-muted">
          {words}
        </div>
      ))}
    </>
  )
}

function LeaseWords({ card, state }: { card: LeaseCard; state: LeaseState }) {
  const t = useT()
  const age = useAge(card.heartbeatAt)
  if (card.state === 'free') return null
  const held = t('projects.lease.held', { person: card.person, host: card.host })
  const progress = card.progress
  return (
    <div className="mt-0.5 text-sm text-muted">
      <bdi className="block max-w-28 truncate" title={held}>
        {card.mine ? t('projects.lease.mine') : held}
      </bdi>
      {state !== 'reclaimable' && progress && progress.planned > 0 && (
        <div>{t('projects.lease.progress', { done: progress.done, planned: progress.planned })}</div>
      )}
      <div className="whitespace-nowrap">{t('projects.lease.heard', { age })}</div>
    </div>
  )
}

interface RowButtonProps {
  row: ProjectRow
  kind: PressKind
  busy: boolean
  onPress: () => void
}

function RowButton({ row, kind, busy, onPress }: RowButtonProps) {
  const t = useT()
  if (kind === 'none' && row.state !== 'archived') return null
  const words = {
    none: t('projects.unarchive'),
    resume: t('projects.resume'),
    watch: t('projects.watch'),
    sync: t('projects.sync'),
    owed: t('projects.send_owed', { n: row.owed }),
    again: t('projects.sync_again'),
  }[kind]
  return (
    <Button
      size="small"
      className="whitespace-nowrap"
      busy={busy}
      aria-label={t('projects.sync_named', { action: words, name: row.name })}
      data-testid="row-press"
      onClick={(event) => {
        event.stopPropagation()
        onPress()
      }}
    >
      {words}
    </Button>
  )
}
