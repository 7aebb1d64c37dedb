import { useInfo } from '@/api/queries'
import { formatDuration } from '@/domain/format'
import { useT } from '@/messages'

/** Differences below this are the noise of a network. */
const WORTH_TELLING_MS = 2_000

/** A clock that is off is told where seconds decide. */
export function Skew() {
  const t = useT()
  const skew = Math.abs(useInfo().data?.database.skewMs ?? 0)
  if (skew < WORTH_TELLING_MS) return null
  return (
    <p className="tone-warn text-sm" data-testid="lease-skew">
      {t('lease.skew', { time: formatDuration(skew) })}
    </p>
  )
}
