import { useEffect } from 'react'
import { useStore } from '@/live/hooks'
import { store } from '@/live/store'
import { useT } from '@/messages'
import { Icon, type IconName } from './Icon'

interface Toast {
  id: number
  text: string
  tone: 'ok' | 'bad' | 'info'
}

const toasts = store<readonly Toast[]>([])
let next = 1

/** Says something in passing; errors belong where they happened and not here. */
export function say(text: string, tone: Toast['tone'] = 'ok'): void {
  toasts.set([...toasts.get().slice(-2), { id: next++, text, tone }])
}

function forget(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id))
}

const ICONS: Record<Toast['tone'], IconName> = { ok: 'check', bad: 'warn', info: 'info' }
const STAY_MS = 6_000

function ToastLine({ toast }: { toast: Toast }) {
  const t = useT()
  useEffect(() => {
    const timer = setTimeout(() => forget(toast.id), STAY_MS)
    return () => clearTimeout(timer)
  }, [toast.id])
  return (
    <div className="panel flex items-start gap-2 border-line-strong! px-3 py-2">
      <span className={`tone-${toast.tone} mt-0.5`}>
        <Icon name={ICONS[toast.tone]} />
      </span>
      <span className="min-w-0 flex-1 wrap-anywhere">{toast.text}</span>
      <button type="button" className="text-faint" aria-label={t('common.close')} onClick={() => forget(toast.id)}>
        <Icon name="cross" size={12} />
      </button>
    </div>
  )
}

export function Toasts() {
  const t = useT()
  const list = useStore(toasts)
  return (
    <section
      aria-label={t('toast.label')}
      aria-live="polite"
      className="pointer-events-none fixed end-4 bottom-4 z-50 flex w-80 max-w-[90vw] flex-col gap-2 *:pointer-events-auto"
      data-testid="toasts"
    >
      {list.map((toast) => (
        <ToastLine key={toast.id} toast={toast} />
      ))}
    </section>
  )
}
