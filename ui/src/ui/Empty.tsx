import type { ReactNode } from 'react'
import { Icon, type IconName } from './Icon'

interface EmptyProps {
  icon?: IconName
  title: string
  children?: ReactNode
  action?: ReactNode
}

/** An empty state: a full sentence and the next step. */
export function Empty({ icon = 'inbox', title, children, action }: EmptyProps) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 px-4 py-12 text-center" data-testid="empty">
      <span className="text-faint">
        <Icon name={icon} size={28} />
      </span>
      <p className="text-lg font-semibold">{title}</p>
      {children && <p className="text-muted">{children}</p>}
      {action && <div className="mt-2">{action}</div>}
    </div>
  )
}

/** Grey bars where the words will be. */
export function Skeleton({ width }: { width: string }) {
  return <span className="skeleton" style={{ width }} />
}

/** The picture of a list that is still loading; `label` is for those who do not see it. */
export function SkeletonLines({ label }: { label: string }) {
  return (
    <div className="flex flex-col border-t border-line bg-surface" aria-busy="true">
      <span className="sr-only">{label}</span>
      {['52%', '44%', '57%', '48%'].map((width) => (
        <div key={width} className="flex flex-col gap-3 border-b border-line px-4 py-4">
          <Skeleton width={width} />
          <Skeleton width="24%" />
        </div>
      ))}
    </div>
  )
}
