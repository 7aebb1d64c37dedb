import { type ReactNode, useState } from 'react'
import { formatDuration } from '@/domain/format'
import { ERRORS, TELLS } from '@/errors/words'
import { type ApiError, asFailure } from '@/ipc'
import { i18n, useT } from '@/messages'
import { copyText } from '@/platform/copy'
import { Button } from '@/ui/Button'
import { Icon } from '@/ui/Icon'
import { type RemedyEnds, useRemedy } from './remedy'

interface TroubleProps extends RemedyEnds {
  /** What was thrown, or the error itself; nothing is shown when there is none. */
  error: unknown
  /** Nothing but the repetition can help here, as before the window could open. */
  onlyRetry?: boolean
  /** In a form, where its own button does the same again. */
  bare?: boolean
  /** A button of this place instead of the usual one. */
  action?: ReactNode
  className?: string
}

/** The reference of an error, copied with one click. */
function Reference({ id }: { id: string }) {
  const t = useT()
  const [copied, setCopied] = useState(false)
  return (
    <button
      type="button"
      className="link text-xs text-muted select-text"
      title={t('common.copy')}
      data-testid="error-reference"
      onClick={() => void copyText(id).then(setCopied)}
    >
      {copied ? t('common.copied') : t('error.reference', { id })}
    </button>
  )
}

/**
 * What the core itself said, in its English, one click away. Where the text names what the person wrote and the window
 * speaks English too, it is open from the start.
 */
function Answer({ error }: { error: ApiError }) {
  const t = useT()
  const [open, setOpen] = useState(() => i18n.language === 'en' && TELLS.has(error.code))
  const text = [error.message, error.hint].filter(Boolean).join(' ')
  if (!error.message) return null
  return (
    <>
      <button
        type="button"
        className="fold"
        aria-expanded={open}
        data-testid="error-details"
        onClick={() => setOpen(!open)}
      >
        <Icon name={open ? 'up' : 'down'} size={11} />
        {t('common.details')}
      </button>
      {open && (
        <p className="text-sm text-muted select-text" lang="en" data-testid="error-message">
          {text}
        </p>
      )}
    </>
  )
}

function Words({ error }: { error: ApiError }) {
  const t = useT()
  const words = ERRORS[error.code] ?? ERRORS.bug
  return (
    <div className="min-w-0 flex-1 basis-64 wrap-anywhere">
      <p className="font-semibold">{t(words.title)}</p>
      <p className="text-muted">
        {t(words.hint)}
        {error.holder && ` ${t('error.held_by', { person: error.holder.person, host: error.holder.host })}`}
        {error.waitMs !== null && error.waitMs > 0 && ` ${t('error.wait', { time: formatDuration(error.waitMs) })}`}
      </p>
      <Answer error={error} />
    </div>
  )
}

function Shown({ api, onRetry, onDismiss, onlyRetry, bare, action, className }: Omit<TroubleProps, 'error'> & { api: ApiError }) {
  const t = useT()
  const words = ERRORS[api.code] ?? ERRORS.bug
  const remedy = useRemedy(onlyRetry ? 'retry' : words.remedy, api, { onRetry, onDismiss })
  const button = action ?? (remedy && !bare && (
    <Button size="small" onClick={remedy.act} data-testid="error-remedy">
      {t(remedy.label)}
    </Button>
  ))
  return (
    <div className={`trouble ${className ?? ''}`} role="alert" data-testid="failure" data-code={api.code}>
      <span className="tone-bad mt-0.5 flex-none">
        <Icon name="warn" size={15} />
      </span>
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-2">
        <Words error={api} />
        <div className="flex flex-wrap items-center gap-3">
          {api.refId && <Reference id={api.refId} />}
          {button}
        </div>
      </div>
      {onDismiss && remedy?.act !== onDismiss && (
        <button type="button" className="icon-btn" aria-label={t('common.close')} onClick={onDismiss}>
          <Icon name="cross" size={12} />
        </button>
      )}
    </div>
  )
}

/** An error where it happened: what, to whom, what to do, and one button that does it. */
export function Trouble({ error, ...rest }: TroubleProps) {
  if (error === null || error === undefined) return null
  return <Shown api={'code' in (error as object) ? (error as ApiError) : asFailure(error).api} {...rest} />
}

/** An error in the place of a whole page. */
export function FullTrouble(props: TroubleProps) {
  return (
    <div className="mx-auto w-full max-w-2xl px-4 py-16">
      <Trouble {...props} />
    </div>
  )
}
