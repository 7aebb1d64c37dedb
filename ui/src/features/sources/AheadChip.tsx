import type { AheadKind, AheadView } from '@/ipc'
import { useT } from '@/messages'
import { Chip, type ChipTone } from '@/ui/Chip'
import type { IconName } from '@/ui/Icon'

const LOOK: Record<AheadKind, [ChipTone, IconName]> = {
  never_handed_out: ['info', 'up'],
  level: ['idle', 'equal'],
  ahead: ['info', 'up'],
  ahead_unknown: ['info', 'up'],
  rewritten: ['warn', 'warn'],
  branch_gone: ['warn', 'warn'],
  source_gone: ['bad', 'warn'],
  not_checked: ['idle', 'clock'],
}

/** How far one branch is ahead: colour with icon and word, the branch named where several stand together. */
export function AheadChip({ ahead, named = true }: { ahead: AheadView; named?: boolean }) {
  const t = useT()
  const [tone, icon] = LOOK[ahead.kind]
  const words = t(`ahead.${ahead.kind}`, { n: ahead.number ?? '' })
  return (
    <Chip tone={tone} icon={icon}>
      {named && <span className="mono me-1">{ahead.branch}</span>}
      {words}
    </Chip>
  )
}
