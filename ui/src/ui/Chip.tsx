import type { ReactNode } from 'react'
import { Icon, type IconName } from './Icon'

export type ChipTone = 'ok' | 'info' | 'warn' | 'bad' | 'idle' | 'plain'

export interface ChipProps {
  tone?: ChipTone
  icon?: IconName
  children: ReactNode
  title?: string | undefined
  testId?: string
}

export function Chip({ tone = 'idle', icon, children, title, testId }: ChipProps) {
  return (
    <span className="chip" data-tone={tone} title={title} data-testid={testId}>
      {icon && <Icon name={icon} size={12} />}
      <span className="cell">{children}</span>
    </span>
  )
}
