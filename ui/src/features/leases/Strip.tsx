import { formatDuration } from '@/domain/format'
import type { LeaseCard } from '@/ipc'
import { useBeats, useNow } from '@/live/hooks'
import { useT } from '@/messages'
import { marksOf, spanOf } from './strip'

const WIDTH = 300
const HEIGHT = 28

/** Heartbeats as this window saw them: a mark each, now at the end. The words beside say the same. */
export function Strip({ card }: { card: LeaseCard }) {
  const t = useT()
  const beats = useBeats(card.project)
  const marks = marksOf(beats, card.windowMs, useNow())
  const late = marks.filter((mark) => mark.late).length
  const time = formatDuration(spanOf(card.windowMs))
  const words = marks.length === 0 ? t('leases.strip_none') : t('leases.strip_text', { count: marks.length, time, late })
  return (
    <figure className="flex flex-col gap-1" data-testid="strip">
      <figcaption className="label">{t('leases.strip')}</figcaption>
      <svg className="strip-marks" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <line className="base" x1="0" x2={WIDTH} y1={HEIGHT - 1} y2={HEIGHT - 1} />
        {marks.map((mark, index) => (
          <rect
            key={index}
            data-late={mark.late || undefined}
            data-first={mark.first || undefined}
            x={Math.max(0, mark.at * WIDTH - 2.5)}
            y={mark.first ? 2 : 8}
            width={2.5}
            height={mark.first ? HEIGHT - 3 : HEIGHT - 9}
          />
        ))}
      </svg>
      <p className="text-sm text-muted" data-testid="strip-words">
        {words}
      </p>
    </figure>
  )
}
