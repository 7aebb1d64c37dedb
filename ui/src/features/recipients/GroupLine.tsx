import { CAUSE_ACTION, type Cause, type CauseAction } from '@/domain/causes'
import { formatNumber } from '@/domain/format'
import { causeLook } from '@/features/outcomes/words'
import { useT } from '@/messages'
import { Button } from '@/ui/Button'
import { Icon } from '@/ui/Icon'

interface GroupLineProps {
  cause: Cause
  ids: readonly string[]
  at: number
  active: boolean
  /** Whether actions that send something may be offered now. */
  canAct: boolean
  onAct: (action: CauseAction, ids: readonly string[]) => void
}

/** The head of a group: what these rows have in common, how many, and the one action that fixes it. */
export function GroupLine({ cause, ids, at, active, canAct, onAct }: GroupLineProps) {
  const t = useT()
  const look = causeLook(cause)
  const action = CAUSE_ACTION[cause]
  return (
    <div
      role="row"
      id={`line-g-${cause}`}
      className="grid-group"
      style={{ top: `calc(var(--row) * ${at})` }}
      aria-rowindex={at + 2}
      data-active={active}
      data-testid="group"
      data-cause={cause}
    >
      <span role="gridcell" className="sticky start-4 flex min-w-0 items-center gap-2">
        <span className={`tone-${look.tone} flex`}>
          <Icon name={look.icon} />
        </span>
        <span className="cell">{t(`cause.${cause}`)}</span>
        <span className="font-normal text-muted">{formatNumber(ids.length)}</span>
      </span>
      {action && canAct && (
        <span role="gridcell" className="sticky end-4 ms-auto flex">
          <Button size="small" onClick={() => onAct(action, ids)}>
            {t(`remedy.${action}`, { count: ids.length })}
          </Button>
        </span>
      )}
    </div>
  )
}
