import { useT } from '@/messages'
import { Icon } from '@/ui/Icon'

interface StepListProps {
  label: string
  titles: readonly string[]
  at: number
  onGo: (step: number) => void
}

/** Where one stands among the steps; the ones done can be gone back to. */
export function StepList({ label, titles, at, onGo }: StepListProps) {
  const t = useT()
  return (
    <ol className="flex flex-col gap-1" aria-label={label}>
      {titles.map((title, index) => {
        const done = index < at
        return (
          <li key={title}>
            <button
              type="button"
              className="flex w-full items-center gap-2 rounded-md px-2 py-1 text-start"
              aria-current={index === at ? 'step' : undefined}
              disabled={!done}
              onClick={() => onGo(index)}
            >
              <span
                className={`flex size-5 flex-none items-center justify-center rounded-full text-xs ${index === at ? 'bg-accent text-on-accent' : done ? 'bg-ok-ground text-ok' : 'bg-idle-ground text-muted'}`}
                aria-hidden="true"
              >
                {done ? <Icon name="check" size={11} /> : index + 1}
              </span>
              <span className={index === at ? 'font-semibold' : 'text-muted'}>{title}</span>
              {done && <span className="sr-only">{t('start.done')}</span>}
            </button>
          </li>
        )
      })}
    </ol>
  )
}
