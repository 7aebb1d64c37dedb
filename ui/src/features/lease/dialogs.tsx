import { useState } from 'react'
import { useCancelRun, useReclaim } from '@/api/actions'
import { formatDuration } from '@/domain/format'
import { Trouble } from '@/features/errors'
import type { LeaseCard } from '@/ipc'
import { useTicking } from '@/live/hooks'
import { useT } from '@/messages'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { TextField } from '@/ui/Field'

interface AskProps {
  card: LeaseCard
  open: boolean
  onClose: () => void
}

function numbers(card: LeaseCard) {
  const done = card.progress?.done ?? 0
  const planned = card.progress?.planned ?? 0
  return { done, planned, left: Math.max(0, planned - done) }
}

/** Says in numbers what a cancel does, asks once. The fence that the person saw goes with it. */
export function CancelDialog({ card, open, onClose }: AskProps) {
  const t = useT()
  const cancel = useCancelRun()
  const [reason, setReason] = useState('')
  const close = () => {
    cancel.reset()
    onClose()
  }
  const stop = () => {
    if (!cancel.isPending) {
      cancel.mutate({ project: card.project, fence: card.fence, reason: reason.trim() }, { onSuccess: close })
    }
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      title={t('lease.cancel_title')}
      testId="cancel-dialog"
      actions={
        <Button kind="danger-solid" busy={cancel.isPending} onClick={stop} data-testid="cancel-confirm">
          {t('lease.cancel_do')}
        </Button>
      }
    >
      <p>{t('lease.cancel_text', { person: card.person, ...numbers(card) })}</p>
      <TextField
        label={t('lease.cancel_reason')}
        aside={t('common.optional')}
        value={reason}
        maxLength={200}
        onChange={(event) => setReason(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && stop()}
      />
      <Trouble error={cancel.error} onRetry={stop} onDismiss={close} />
    </Dialog>
  )
}

/** Reclaiming says whose lease, how old its heartbeat, and what becomes of the run. */
export function ReclaimDialog({ card, open, onClose }: AskProps) {
  const t = useT()
  const reclaim = useReclaim()
  const age = useTicking((now) => formatDuration(Math.abs(now - (card.heartbeatAt ?? now))))
  const close = () => {
    reclaim.reset()
    onClose()
  }
  const take = () => {
    if (!reclaim.isPending) reclaim.mutate({ project: card.project, fence: card.fence }, { onSuccess: close })
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      title={t('lease.reclaim_title')}
      testId="reclaim-dialog"
      actions={
        <Button kind="danger-solid" busy={reclaim.isPending} onClick={take} data-testid="reclaim-confirm">
          {t('lease.reclaim_do')}
        </Button>
      }
    >
      <p>{t('lease.reclaim_text', { person: card.person, host: card.host, age, ...numbers(card) })}</p>
      <Trouble error={reclaim.error} onRetry={take} onDismiss={close} />
    </Dialog>
  )
}
