import { useState } from 'react'
import { useRecipients } from '@/api/queries'
import { Trouble } from '@/features/errors'
import { rowsOf } from '@/live/rows'
import { useT } from '@/messages'
import { Button } from '@/ui/Button'
import { Empty, Skeleton } from '@/ui/Empty'
import { DeadlineDialog } from './DeadlineDialog'
import { DetailsDialog } from './DetailsDialog'
import { Grid } from './Grid'
import { ImportDialog } from './ImportDialog'
import { Selection } from './selection'
import { Toolbar } from './Toolbar'
import { useRecipientActions } from './useActions'
import { useView } from './useView'

interface RecipientsTableProps {
  project: string
  branches: readonly string[]
  /** Whether something may be sent now. */
  canSend: boolean
  /** Whether a run is under way. */
  live: boolean
  /** The connection that reaches the recipients. */
  connection: string | null
  onSend: (ids: readonly string[]) => void
  importing: boolean
  onImporting: (open: boolean) => void
}

/** The recipients of a project: searched, filtered, grouped by cause, chosen and acted on by keyboard or pointer. */
export function RecipientsTable(props: RecipientsTableProps) {
  const { project, branches, canSend, live, connection, onSend, importing, onImporting } = props
  const t = useT()
  const recipients = useRecipients(project)
  const rows = rowsOf(project)
  const [view, setView] = useView(project)
  const [selection] = useState(() => new Selection())
  const [detailsOf, setDetailsOf] = useState<string | null>(null)
  const [deadlineOf, setDeadlineOf] = useState<readonly string[]>([])
  const actions = useRecipientActions(project, rows, onSend, setDeadlineOf)
  const trouble = (
    <Trouble error={recipients.error} onRetry={() => void recipients.refetch()} className="mx-4 my-2.5 flex-none" />
  )
  if (recipients.data === undefined) return recipients.error ? trouble : <Loading />
  const importDialog = importing && <ImportDialog project={project} connection={connection} onClose={() => onImporting(false)} />
  if (recipients.data === 0) {
    return (
      <>
        {trouble}
        <Empty
          icon="person"
          title={t('recipients.empty.title')}
          action={
            <Button icon="plus" onClick={() => onImporting(true)} data-testid="import-first">
              {t('recipients.empty.action')}
            </Button>
          }
        >
          {t('recipients.empty.text')}
        </Empty>
        {importDialog}
      </>
    )
  }
  const part = { rows, view, onView: setView, selection, actions, branches, canSend, live }
  return (
    <>
      {trouble}
      <Toolbar {...part} onDeadline={setDeadlineOf} />
      {deadlineOf.length === 0 && (
        <Trouble error={actions.error} onRetry={actions.repeat} onDismiss={actions.dismiss} className="mx-4 mb-2.5 flex-none" />
      )}
      <Grid {...part} onDetails={setDetailsOf} />
      {detailsOf !== null && <DetailsDialog rows={rows} id={detailsOf} onClose={() => setDetailsOf(null)} />}
      <DeadlineDialog ids={deadlineOf} actions={actions} onClose={() => setDeadlineOf([])} />
      {importDialog}
    </>
  )
}

function Loading() {
  const t = useT()
  return (
    <div className="flex flex-col gap-5 px-4 py-5" aria-busy="true">
      <span className="sr-only">{t('common.loading')}</span>
      {['72%', '64%', '70%', '58%', '66%'].map((width) => (
        <Skeleton key={width} width={width} />
      ))}
    </div>
  )
}
