import type { ComponentProps, ReactNode } from 'react'
import { Icon, type IconName } from './Icon'

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  kind?: 'plain' | 'primary' | 'quiet' | 'danger' | 'danger-solid'
  size?: 'small' | 'normal' | 'large'
  icon?: IconName
  /** The key that does the same, shown at the end. */
  shortcut?: string
  /** Something is under way: the button stays focusable and says so. */
  busy?: boolean
  children: ReactNode
}

export function Button({ kind = 'plain', size = 'normal', icon, shortcut, busy, children, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`btn ${rest.className ?? ''}`}
      data-kind={kind}
      data-size={size}
      aria-busy={busy || undefined}
      aria-disabled={busy || rest['aria-disabled'] || undefined}
      aria-keyshortcuts={shortcut}
      onClick={busy || rest['aria-disabled'] ? undefined : rest.onClick}
    >
      {icon && <Icon name={icon} size={size === 'small' ? 12 : 14} />}
      <span>{children}</span>
      {shortcut && <Kbd>{shortcut}</Kbd>}
    </button>
  )
}

export function Kbd({ children }: { children: string }) {
  return (
    <kbd className="kbd" aria-hidden="true">
      {children}
    </kbd>
  )
}
