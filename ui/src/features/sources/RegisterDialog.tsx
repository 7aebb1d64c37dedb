import { useState } from 'react'
import { useAddSource } from '@/api/actions'
import { repoRef } from '@/domain/names'
import { Trouble } from '@/features/errors'
import type { ConnectionView } from '@/ipc'
import { useT } from '@/messages'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { Problem, SelectField, TextField } from '@/ui/Field'

interface RegisterDialogProps {
  connections: readonly ConnectionView[]
  onClose: () => void
}

export function RegisterDialog({ connections, onClose }: RegisterDialogProps) {
  const t = useT()
  const add = useAddSource()
  const [connection, setConnection] = useState(connections[0]?.id ?? '')
  const [repo, setRepo] = useState('')
  const [tried, setTried] = useState(false)
  const wanted = repoRef(repo)
  const submit = () => {
    setTried(true)
    if (wanted && connection && !add.isPending) add.mutate({ connection, repo: wanted }, { onSuccess: onClose })
  }
  const button = (
    <Button kind="primary" busy={add.isPending} onClick={submit} data-testid="register-do">
      {t('sources.register_do')}
    </Button>
  )
  return (
    <Dialog open onClose={onClose} title={t('sources.register_title')} actions={button} testId="register">
      <p className="text-muted">{t('sources.register_text')}</p>
      {connections.length === 0 && <Problem>{t('new.no_connection')}</Problem>}
      <form
        className="flex flex-col gap-3"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        {connections.length > 1 && (
          <SelectField
            label={t('sources.connection')}
            value={connection}
            onChange={(event) => setConnection(event.target.value)}
          >
            {connections.map((one) => (
              <option key={one.id} value={one.id}>
                {one.name}
              </option>
            ))}
          </SelectField>
        )}
        <TextField
          label={t('sources.repo')}
          hint={t('sources.repo_hint')}
          problem={tried && !wanted ? t('sources.repo_bad') : null}
          className="mono"
          value={repo}
          onChange={(event) => setRepo(event.target.value)}
          testId="register-repo"
        />
      </form>
      <Trouble error={add.error} bare />
    </Dialog>
  )
}
