import type { RunStatus } from '@/ipc'
import { useT } from '@/messages'
import { Chip, type ChipTone } from '@/ui/Chip'
import type { IconName } from '@/ui/Icon'

const LOOK: Record<RunStatus, { tone: ChipTone; icon: IconName }> = {
  running: { tone: 'info', icon: 'play' },
  succeeded: { tone: 'ok', icon: 'check' },
  incomplete: { tone: 'warn', icon: 'warn' },
  failed: { tone: 'bad', icon: 'cross' },
  cancelled: { tone: 'idle', icon: 'skip' },
  interrupted: { tone: 'warn', icon: 'warn' },
}

export function StatusChip({ status }: { status: RunStatus }) {
  const t = useT()
  return (
    <Chip {...LOOK[status]} testId="run-status">
      {t(`status.${status}`)}
    </Chip>
  )
}
