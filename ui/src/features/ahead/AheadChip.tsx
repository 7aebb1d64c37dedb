import type { AheadKind, AheadView } from '@/ipc'
import { useT } from '@/messages'
import { Chip, type ChipTone } from '@/ui/Chip'
import type { IconName } from '@/ui/Icon'

const LOOK: Record<AheadKind, { icon: IconName; tone: ChipTone }> = {
  never_handed_out: { icon: 'plus', tone: 'info' },
  level: { icon: 'equal', tone: 'idle' },
  ahead: { icon: 'up', tone: 'info' },
  ahead_unknown: { icon: 'up', tone: 'info' },
  rewritten: { icon: 'warn', tone: 'warn' },
  branch_gone: { icon: 'cross', tone: 'bad' },
  source_gone: { icon: 'cross', tone: 'bad' },
  not_checked: { icon: 'dashed', tone: 'idle' },
}

/** How far one branch is ahead: colour with icon and word, the branch named where several stand together. */
export function AheadChip({ ahead, named }: { ahead: AheadView; named?: boolean }) {
  const t = useT()
  const kind = ahead.kind === 'ahead' && ahead.number === null ? 'ahead_unknown' : ahead.kind
  return (
    <Chip {...LOOK[kind]}>
      {named && <code className="me-1.5">{ahead.branch}</code>}
      {t(`ahead.${kind}`, { n: ahead.number ?? 0 })}
    </Chip>
  )
}
