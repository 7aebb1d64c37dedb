import type { ReactNode } from 'react'
import type { ApiFailure } from '@/ipc'
import { formatDuration } from '@/domain/format'
import { useT } from '@/messages'
import { Icon } from '@/ui/Icon'
import { ERRORS } from './words'

interface FailureNoteProps {
  failure: ApiFailure | null | undefined
  /** The one button that does what the hint says, where this place has one. */
  action?: ReactNode
}

/** What went wrong, where it went wrong: what happened, to whom, what to do. The reference is for whoever looks into it. */
export function FailureNote({ failure, action }: FailureNoteProps) {
  const t = useT()
  if (!failure) return null
  const { code, message, holder, waitMs, refId } = failure.api
  const words = ERRORS[code]
  return (
    <div className="flex items-start gap-2 rounded-md bg-bad-ground px-3 py-2 text-bad" role="alert" data-testid="failure" data-code={code}>
      <span className="mt-0.5">
        <Icon name="warn" size={14} />
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-1 wrap-anywhere">
        <p className="font-semibold">{t(words.title)}</p>
        {message && <p className="text-text">{message}</p>}
        {holder && <p className="text-text">{t('error.held_by', { person: holder.person, host: holder.host })}</p>}
        <p className="text-muted">
          {t(words.hint)} {waitMs ? t('error.wait', { time: formatDuration(waitMs) }) : ''}
        </p>
        {refId && <p className="mono text-faint select-text">{t('error.reference', { id: refId })}</p>}
        {action && <div className="mt-1">{action}</div>}
      </div>
    </div>
  )
}
