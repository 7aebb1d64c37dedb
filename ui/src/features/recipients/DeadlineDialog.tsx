import { useState } from 'react'
import { Trouble } from '@/features/errors'
import { useT } from '@/messages'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { TextField } from '@/ui/Field'
import type { RecipientActions } from './useActions'

interface DeadlineDialogProps {
  ids: readonly string[]
  actions: RecipientActions
  onClose: () => void
}

/** A deadline of their own for some recipients, or back to the project's. */
export function DeadlineDialog({ ids, actions, onClose }: DeadlineDialogProps) {
  const t = useT()
  const [value, setValue] = useState('')
  const at = value === '' ? Number.NaN : new Date(value).getTime()
  const save = () => {
    if (Number.isFinite(at)) actions.setDeadline(ids, at, onClose)
  }
  return (
    <Dialog
      open={ids.length > 0}
      onClose={onClose}
      title={t('recipients.deadline_title', { count: ids.length })}
      testId="deadline-dialog"
      actions={
        <>
          <Button busy={actions.busy} onClick={() => actions.setDeadline(ids, null, onClose)}>
            {t('recipients.deadline_clear')}
          </Button>
          <Button kind="primary" busy={actions.busy} aria-disabled={!Number.isFinite(at) || undefined} onClick={save}>
            {t('recipients.deadline_set')}
          </Button>
        </>
      }
    >
      <p className="text-muted">{t('recipients.deadline_text')}</p>
      <TextField
        label={t('recipients.deadline_field')}
        type="datetime-local"
        value={value}
        onChange={(event) => setValue(event.target.value)}
        testId="deadline-field"
      />
      {actions.error !== null && <Trouble error={actions.error} onRetry={actions.repeat} onDismiss={actions.dismiss} />}
    </Dialog>
  )
}
