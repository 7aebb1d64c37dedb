import { formatList } from '@/domain/format'
import { present, totalOf } from '@/domain/outcome'
import type { Counts } from '@/ipc'
import { type Translate, useT } from '@/messages'
import { Chip } from '@/ui/Chip'
import { OUTCOME_LOOK } from './words'

/** "130 opened, 38 updated and 9 failed". */
export function countsInWords(t: Translate, counts: Counts): string {
  return formatList(present(counts).map(({ outcome, count }) => t(`outcome.count_${outcome}`, { n: count })))
}

/** Last outcomes as one bar; the numbers are its label and stand beside it as chips. */
export function OutcomeBar({ counts, small }: { counts: Counts; small?: boolean }) {
  const t = useT()
  const total = totalOf(counts)
  const label = total === 0 ? t('outcome.bar_empty') : t('outcome.bar', { list: countsInWords(t, counts) })
  return (
    <div className="bar" data-size={small ? 'small' : 'normal'} role="img" aria-label={label} title={label}>
      {present(counts).map(({ outcome, count }) => (
        <i key={outcome} data-outcome={outcome} style={{ flexGrow: count, flexBasis: 0 }} />
      ))}
    </div>
  )
}

/** The same as chips with icon, number and word. */
export function OutcomeChips({ counts }: { counts: Counts }) {
  const t = useT()
  return (
    <ul className="flex flex-wrap gap-x-1.5 gap-y-1" data-testid="outcome-counts">
      {present(counts).map(({ outcome, count }) => (
        <li key={outcome}>
          <Chip {...OUTCOME_LOOK[outcome]} testId={`count-${outcome}`}>
            {t(`outcome.count_${outcome}`, { n: count })}
          </Chip>
        </li>
      ))}
    </ul>
  )
}

/** For dense tables: icon and number, the word as its label. */
export function OutcomeFigures({ counts }: { counts: Counts }) {
  const t = useT()
  return (
    <ul className="flex flex-wrap gap-x-2.5 text-xs">
      {present(counts).map(({ outcome, count }) => {
        const { tone } = OUTCOME_LOOK[outcome]
        return (
          <li key={outcome} className={`tone-${tone} inline-flex items-center gap-1 whitespace-nowrap`}>
            <span className="dot size-1.5 rounded-full" data-outcome={outcome} aria-hidden="true" />
            {t(`outcome.count_${outcome}`, { n: count })}
          </li>
        )
      })}
    </ul>
  )
}
