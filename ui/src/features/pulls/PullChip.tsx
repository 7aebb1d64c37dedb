import { openLink } from '@/api/actions'
import type { PullView } from '@/ipc'
import { useT } from '@/messages'
import type { ChipTone } from '@/ui/Chip'
import { Chip } from '@/ui/Chip'
import { Icon, type IconName } from '@/ui/Icon'

const LOOK: Record<PullView['state'], { icon: IconName; tone: ChipTone }> = {
  open: { icon: 'pull', tone: 'info' },
  merged: { icon: 'merge', tone: 'ok' },
  closed: { icon: 'cross', tone: 'idle' },
}

/** A link of the window: shown as one, opened in the person's own browser. */
export function WebLink({
  url,
  className,
  children,
  label,
  tabIndex,
  title,
}: {
  url: string
  className?: string
  children: React.ReactNode
  label?: string
  tabIndex?: number
  title?: string
}) {
  return (
    <a
      href={url}
      className={className ?? 'link'}
      aria-label={label}
      title={title}
      tabIndex={tabIndex}
      rel="noreferrer"
      onClick={(event) => {
        event.preventDefault()
        event.stopPropagation()
        openLink(url)
      }}
    >
      {children}
    </a>
  )
}

export function PullChip({ pull, tabIndex }: { pull: PullView; tabIndex?: number }) {
  const t = useT()
  const look = LOOK[pull.state]
  const state = t(`pull.${pull.state}`)
  return (
    <a
      className="chip"
      data-tone={look.tone}
      href={pull.url}
      rel="noreferrer"
      tabIndex={tabIndex}
      aria-label={t('pull.label', { number: String(pull.number), state })}
      onClick={(event) => {
        event.preventDefault()
        event.stopPropagation()
        openLink(pull.url)
      }}
    >
      <Icon name={look.icon} size={12} />#{pull.number} {state}
    </a>
  )
}

/** Conflicts as GitHub sees them, or as forecast. */
export function ConflictChip({ pull, conflicts }: { pull: PullView | null; conflicts: number | null }) {
  const t = useT()
  if (pull && pull.state !== 'open') return null
  const clashes = conflicts !== null && conflicts > 0
  if (!clashes && pull?.mergeable !== 'conflicting') return null
  return (
    <Chip tone="warn" icon="warn" title={clashes ? t('pull.conflicts', { count: conflicts }) : undefined}>
      {t('pull.conflicting')}
    </Chip>
  )
}
