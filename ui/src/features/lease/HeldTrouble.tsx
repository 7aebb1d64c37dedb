import { type ComponentProps, useState } from 'react'
import { isHeld, leaseLife } from '@/domain/lease'
import { Trouble } from '@/features/errors'
import { type ApiError, asFailure, type LeaseCard } from '@/ipc'
import { clock } from '@/live/clock'
import { useLease } from '@/live/hooks'
import { useT } from '@/messages'
import { Button } from '@/ui/Button'
import { CancelDialog } from './dialogs'

function holderOf(error: unknown): LeaseCard | null {
  if (error === null || error === undefined) return null
  const api = 'code' in (error as object) ? (error as ApiError) : asFailure(error).api
  return api.code === 'sync_in_progress' ? api.holder : null
}

/** An error of something that a live lease forbids: it names the holder, and the button asks that holder to stop. */
export function HeldTrouble(props: ComponentProps<typeof Trouble>) {
  const holder = holderOf(props.error)
  return holder ? <Held {...props} holder={holder} /> : <Trouble {...props} />
}

function Held({ holder, ...props }: ComponentProps<typeof Trouble> & { holder: LeaseCard }) {
  const t = useT()
  const card = useLease(holder)
  const [asking, setAsking] = useState(false)
  const held = isHeld(leaseLife(card, clock.now()).state)
  const again = (
    <Button size="small" onClick={props.onRetry ?? props.onDismiss} data-testid="error-remedy">
      {t(props.onRetry ? 'action.retry' : 'action.dismiss')}
    </Button>
  )
  const stop = (
    <Button size="small" kind="danger" onClick={() => setAsking(true)} data-testid="ask-to-stop">
      {t('lease.cancel')}
    </Button>
  )
  return (
    <>
      <Trouble {...props} action={held && card.cancelBy === null ? stop : again} />
      <CancelDialog card={card} open={asking && held && card.cancelBy === null} onClose={() => setAsking(false)} />
    </>
  )
}
