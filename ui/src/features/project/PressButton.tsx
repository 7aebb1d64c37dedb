import type { Press } from '@/domain/press'
import type { ProjectState } from '@/ipc'
import { useT } from '@/messages'
import { useKeys } from '@/platform/keys'
import { Button } from '@/ui/Button'
import type { IconName } from '@/ui/Icon'
import { usePageAction } from '@/features/palette/pageAction'
import { pressWords } from './pressWords'

const ICONS: Record<Press['kind'], IconName> = {
  sync: 'arrowRight',
  owed: 'arrowRight',
  again: 'refresh',
  watch: 'eye',
  resume: 'play',
  none: 'cross',
}

interface PressButtonProps {
  press: Press
  state: ProjectState
  busy: boolean
  onPress: () => void
}

/** The one primary button of a project. */
export function PressButton({ press, state, busy, onPress }: PressButtonProps) {
  const t = useT()
  const off = press.kind === 'none'
  useKeys({
    s: () => {
      if (!busy && !off) onPress()
    },
  })
  const words = pressWords(t, press)
  usePageAction(off ? null : words, onPress)
  return (
    <Button
      kind="primary"
      size="large"
      icon={ICONS[press.kind]}
      shortcut={off ? undefined : 'S'}
      busy={busy}
      aria-disabled={off || undefined}
      title={off ? t(state === 'archived' ? 'press.none_archived' : 'press.none_draft') : undefined}
      onClick={onPress}
      data-testid="press"
      data-press={press.kind}
    >
      {busy ? t('press.starting') : words}
    </Button>
  )
}
