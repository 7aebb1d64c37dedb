import { i18n } from '@/messages'

const cache = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat | Intl.RelativeTimeFormat | Intl.ListFormat>()

function cached<T extends Intl.DateTimeFormat | Intl.NumberFormat | Intl.RelativeTimeFormat | Intl.ListFormat>(
  key: string,
  make: () => T,
): T {
  let found = cache.get(key)
  if (!found) {
    found = make()
    cache.set(key, found)
  }
  return found as T
}

export function formatNumber(value: number): string {
  const language = i18n.language
  return cached(`n:${language}`, () => new Intl.NumberFormat(language)).format(value)
}

export function formatList(items: readonly string[]): string {
  const language = i18n.language
  return cached(`l:${language}`, () => new Intl.ListFormat(language, { type: 'conjunction' })).format(items)
}

/** "14:05". */
export function formatTime(at: number): string {
  const language = i18n.language
  return cached(
    `t:${language}`,
    () => new Intl.DateTimeFormat(language, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  ).format(at)
}

/** "Fri 4 Dec, 23:59"; the year only when it is another one. */
export function formatDateTime(at: number, now: number): string {
  const language = i18n.language
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear()
  const day = cached(
    `d:${language}:${sameYear}`,
    () =>
      new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : language, {
        weekday: 'short',
        day: 'numeric',
        month: 'short',
        ...(sameYear ? {} : { year: 'numeric' }),
      }),
  )
  const parts = day.format(at).replace(',', '')
  return `${parts}, ${formatTime(at)}`
}

const STEPS: [limit: number, unit: 'second' | 'minute' | 'hour' | 'day' | 'month' | 'year', size: number][] = [
  [60_000, 'second', 1_000],
  [3_600_000, 'minute', 60_000],
  [86_400_000, 'hour', 3_600_000],
  [30 * 86_400_000, 'day', 86_400_000],
  [365 * 86_400_000, 'month', 30 * 86_400_000],
  [Number.POSITIVE_INFINITY, 'year', 365 * 86_400_000],
]

/** "12 sec. ago", "3 days ago", in the short form of the language. */
export function formatAge(ms: number): string {
  const language = i18n.language
  const format = cached(`a:${language}`, () => new Intl.RelativeTimeFormat(language, { numeric: 'always', style: 'short' }))
  const step = STEPS.find(([limit]) => Math.abs(ms) < limit) ?? STEPS[5]!
  const amount = Math.trunc(Math.abs(ms) / step[2])
  return format
    .format(ms < 0 ? amount : -amount, step[1])
    .replace('sec.', 's')
    .replace('min.', 'min')
    .replace('hr.', 'h')
    .replace('mo.', 'months')
    .replace('1 months', '1 month')
    .replace('yr.', 'years')
    .replace('1 years', '1 year')
}

/** "35 s", "3 min 52", "1 h 04". */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 60) return `${formatNumber(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  const rest = seconds % 60
  if (minutes < 60) return rest === 0 ? `${minutes} min` : `${minutes} min ${String(rest).padStart(2, '0')}`
  return `${formatNumber(Math.floor(minutes / 60))} h ${String(minutes % 60).padStart(2, '0')}`
}

/** Seven digits of a commit id. */
export function shortSha(sha: string | null): string {
  return sha ? sha.slice(0, 7) : ''
}
