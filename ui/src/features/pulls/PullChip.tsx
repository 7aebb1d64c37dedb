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

interface PullChipProps {
  pull: PullView
  /** Forecast number of conflicting files. */
  conflicts: number | null
  tabIndex?: number
  /** The number alone; the state is told by the icon and to who asks. */
  short?: boolean
}

/** A pull request by number and state. While it is open, a conflict is what matters most and takes the state's place. */
export function PullChip({ pull, conflicts, tabIndex, short = false }: PullChipProps) {
  const t = useT()
  const state = t(`pull.${pull.state}`)
  const files = conflicts ?? 0
  const clashes = pull.state === 'open' && (files > 0 || pull.mergeable === 'conflicting')
  const clash = files > 0 ? t('pull.conflicts', { count: files }) : t('pull.conflicting')
  const look = clashes ? ({ tone: 'warn', icon: 'warn' } as const) : LOOK[pull.state]
  const behind = pull.state === 'open' && pull.behind ? t('pull.behind') : ''
  const details = [clashes ? clash : '', behind].filter(Boolean).join(', ')
  const label = t('pull.label', { number: String(pull.number), state })
  return (
    <a
      className="chip flex-none"
      data-tone={look.tone}
      href={pull.url}
      rel="noreferrer"
      tabIndex={tabIndex}
      title={short ? [label, details].filter(Boolean).join(', ') : details || undefined}
      aria-label={details ? `${label}, ${details}` : label}
      onClick={(event) => {
        event.preventDefault()
        event.stopPropagation()
        openLink(pull.url)
      }}
    >
      <Icon name={look.icon} size={12} />#{pull.number} {!short && (clashes ? t('pull.conflicting') : state)}
    </a>
  )
}

/** A forecast conflict where there is no pull request yet. */
export function ConflictChip({ conflicts, short = false }: { conflicts: number | null; short?: boolean }) {
  const t = useT()
  if (conflicts === null || conflicts === 0) return null
  return (
    <Chip tone="warn" icon="warn" title={t('pull.conflicts', { count: conflicts })}>
      {short ? conflicts : t('pull.conflicting')}
    </Chip>
  )
}
