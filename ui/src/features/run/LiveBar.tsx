import { present } from '@/domain/outcome'
import type { Counts } from '@/ipc'
import { useT } from '@/messages'

interface LiveBarProps {
  counts: Counts | null
  done: number
  planned: number
}

/** Items done of items planned; the done part is coloured by how the recipients ended. */
export function LiveBar({ counts, done, planned }: LiveBarProps) {
  const t = useT()
  const share = planned > 0 ? Math.min(100, (done / planned) * 100) : 0
  const parts = counts ? present(counts).filter(({ outcome }) => outcome !== 'waiting') : []
  return (
    <div
      className="bar"
      data-size="large"
      role="progressbar"
      aria-label={t('run.progress')}
      aria-valuemin={0}
      aria-valuemax={Math.max(1, planned)}
      aria-valuenow={done}
      aria-valuetext={t('run.done_of', { done, planned })}
      data-testid="progress"
      data-done={done}
      data-planned={planned}
    >
      <span className="parts" style={{ width: `${share}%` }}>
        {parts.length > 0 ? (
          parts.map(({ outcome, count }) => <i key={outcome} data-outcome={outcome} style={{ flexGrow: count }} />)
        ) : (
          <i style={{ flexGrow: 1 }} />
        )}
      </span>
    </div>
  )
}
