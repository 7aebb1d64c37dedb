import { useRouter } from '@tanstack/react-router'
import { readAllAgain } from '@/api/queries'
import type { Remedy } from '@/errors/words'
import type { ApiError } from '@/ipc'
import type { MessageKey } from '@/messages'

export interface RemedyEnds {
  /** Does the same again. */
  onRetry?: (() => void) | undefined
  /** Takes the message away. */
  onDismiss?: (() => void) | undefined
}

export interface RemedyButton {
  label: MessageKey
  act: () => void
}

/** The one button beside an error, and what it does here. */
export function useRemedy(remedy: Remedy, error: ApiError, { onRetry, onDismiss }: RemedyEnds): RemedyButton | null {
  const router = useRouter({ warn: false }) as ReturnType<typeof useRouter> | null
  const go = (path: string) => {
    onDismiss?.()
    if (router) router.history.push(path)
    else window.location.hash = path
  }
  const reload = () => {
    onDismiss?.()
    readAllAgain()
  }
  switch (remedy) {
    case 'retry':
      return { label: 'action.retry', act: onRetry ?? reload }
    case 'projects':
      return { label: 'action.projects', act: () => go('/') }
    case 'sources':
      return { label: 'action.sources', act: () => go('/sources') }
    case 'settings':
      return { label: 'action.settings', act: () => go('/settings') }
    case 'connect':
      return { label: 'action.connect', act: () => go('/settings') }
    case 'watch':
      return error.holder
        ? { label: 'action.watch', act: () => go(`/project/${error.holder?.project}`) }
        : { label: 'action.reload', act: reload }
    case 'reload':
      return { label: 'action.reload', act: reload }
    case 'dismiss':
      if (onDismiss) return { label: 'action.dismiss', act: onDismiss }
      return onRetry ? { label: 'action.retry', act: onRetry } : null
  }
}
