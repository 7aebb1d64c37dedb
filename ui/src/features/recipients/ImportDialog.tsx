import { useState } from 'react'
import { useImportRecipients } from '@/api/actions'
import { Trouble } from '@/features/errors'
import { RosterFields, type RosterDraft, rosterInput, rosterProblem } from '@/features/newproject'
import { useT } from '@/messages'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Problem } from '@/ui/Field'
import { say } from '@/ui/toasts'

interface ImportDialogProps {
  project: string
  /** The project's own connection. */
  connection: string | null
  onClose: () => void
}

/** More recipients for a project, by name pattern or from a roster. */
export function ImportDialog({ project, connection, onClose }: ImportDialogProps) {
  const t = useT()
  const load = useImportRecipients()
  const [draft, setDraft] = useState<RosterDraft>({ kind: 'pattern', pattern: '', text: '' })
  const [tried, setTried] = useState(false)
  const problem = rosterProblem(draft)
  const submit = () => {
    setTried(true)
    const roster = rosterInput(draft)
    if (problem || !roster || load.isPending) return
    load.mutate(
      { project, roster },
      {
        onSuccess: (done) => {
          say(t('recipients.imported', { ...done }))
          onClose()
        },
      },
    )
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('recipients.import_title')}
      testId="import-dialog"
      actions={
        <Button kind="primary" busy={load.isPending} onClick={submit} data-testid="import-do">
          {t('recipients.import_do')}
        </Button>
      }
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <RosterFields connection={connection ?? ''} roster={draft} onChange={setDraft} />
      </form>
      {tried && problem && <Problem>{t(problem)}</Problem>}
      <Trouble error={load.error} bare />
    </Dialog>
  )
}
