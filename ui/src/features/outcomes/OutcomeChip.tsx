import type { RecipientBranchRow } from '@/ipc'
import { type Translate, useT } from '@/messages'
import { Chip, type ChipProps } from '@/ui/Chip'
import { OUTCOME_LOOK } from './words'

interface OutcomeChipProps {
  branch: RecipientBranchRow
  /** The icon alone; the words are told to who asks. */
  short?: boolean
  /** Tells the rest: words, pull request, and what was answered. */
  onDetails?: () => void
}

type Look = Pick<ChipProps, 'tone' | 'icon'>

/** Outcome and reason in words. */
export function outcomeWords(t: Translate, { outcome, reason }: Pick<RecipientBranchRow, 'outcome' | 'reason'>): string {
  if (outcome === null) return t('outcome.none')
  const word = t(`outcome.${outcome}`)
  return reason ? t('outcome.with_reason', { outcome: word, reason: t(`reason.${reason}`) }) : word
}

function lookOf({ outcome, reason, step }: RecipientBranchRow): Look {
  if (step !== null && step !== 'done') {
    return step === 'planned' ? { tone: 'plain', icon: 'dashed' } : { tone: 'info', icon: 'up' }
  }
  if (outcome === null) return { tone: 'plain', icon: 'dashed' }
  if (reason === 'foreign_commits') return { tone: 'warn', icon: 'warn' }
  const { tone, icon } = OUTCOME_LOOK[outcome]
  return { icon, tone: tone === 'idle' ? 'plain' : tone }
}

/** Outcome and reason of one branch; while its item is under way, the step. */
export function OutcomeChip({ branch, short = false, onDetails }: OutcomeChipProps) {
  const t = useT()
  const moving = branch.step !== null && branch.step !== 'done'
  const words = moving ? t(`step.${branch.step as Exclude<typeof branch.step, null>}`) : outcomeWords(t, branch)
  const chip = (
    <Chip {...lookOf(branch)} title={branch.reason && !moving ? t(`cause.${branch.reason}`) : short ? words : undefined}>
      {short ? <span className="sr-only">{words}</span> : words}
    </Chip>
  )
  if (!onDetails || moving || branch.outcome === null) return chip
  return (
    <button type="button" tabIndex={-1} className="flex min-w-0 rounded hover:underline" onClick={onDetails}>
      {chip}
    </button>
  )
}
