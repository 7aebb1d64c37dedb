import type { RecipientBranchRow } from '@/ipc'
import { useT } from '@/messages'
import { Chip } from '@/ui/Chip'
import { OUTCOME_LOOK } from './words'

/** Outcome and reason of one branch; while its item is under way, the step. */
export function OutcomeChip({ branch }: { branch: RecipientBranchRow }) {
  const t = useT()
  if (branch.step !== null && branch.step !== 'done') {
    return (
      <Chip tone={branch.step === 'planned' ? 'plain' : 'info'} icon={branch.step === 'planned' ? 'dashed' : 'up'}>
        {t(`step.${branch.step}`)}
      </Chip>
    )
  }
  if (branch.outcome === null) {
    return (
      <Chip tone="plain" icon="dashed">
        {t('outcome.none')}
      </Chip>
    )
  }
  const look = OUTCOME_LOOK[branch.outcome]
  const warns = branch.reason === 'foreign_commits'
  const word = t(`outcome.${branch.outcome}`)
  return (
    <Chip
      tone={warns ? 'warn' : look.tone === 'idle' ? 'plain' : look.tone}
      icon={warns ? 'warn' : look.icon}
      title={branch.cause}
    >
      {branch.reason ? t('outcome.with_reason', { outcome: word, reason: t(`reason.${branch.reason}`) }) : word}
    </Chip>
  )
}
