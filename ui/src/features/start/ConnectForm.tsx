import { type FormEvent, useState } from 'react'
import { useConnect } from '@/api/actions'
import { Trouble } from '@/features/errors'
import type { ConnectInput, ConnectionView } from '@/ipc'
import { type MessageKey, useT } from '@/messages'
import { Button } from '@/ui/Button'
import { Segments } from '@/ui/Choice'
import { TextArea, TextField } from '@/ui/Field'

const GITHUB = 'https://api.github.com'

type How = 'token' | 'app'
type Problem = { field: 'baseUrl' | 'secret' | 'ids'; key: MessageKey }

function check(how: How, input: ConnectInput): Problem | null {
  const loopback = /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?(\/|$)/.test(input.baseUrl)
  if (!input.baseUrl.startsWith('https://') && !loopback) return { field: 'baseUrl', key: 'start.github.bad_url' }
  if (how === 'app' && !(/^\d+$/.test(input.appId ?? '') && /^\d+$/.test(input.installationId ?? ''))) {
    return { field: 'ids', key: 'start.github.need_ids' }
  }
  if (input.secret.trim() === '') {
    return { field: 'secret', key: how === 'token' ? 'start.github.need_token' : 'start.github.need_key' }
  }
  return null
}

/** Makes a connection. What is secret lives in this form only until the core has tested it. */
export function ConnectForm({ onConnected }: { onConnected: (connection: ConnectionView) => void }) {
  const t = useT()
  const [how, setHow] = useState<How>('token')
  const [baseUrl, setBaseUrl] = useState(GITHUB)
  const [name, setName] = useState('')
  const [secret, setSecret] = useState('')
  const [appId, setAppId] = useState('')
  const [installationId, setInstallationId] = useState('')
  const [problem, setProblem] = useState<Problem | null>(null)
  const connect = useConnect()

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const app = how === 'app'
    const input: ConnectInput = {
      name: name.trim(),
      baseUrl: baseUrl.trim().replace(/\/+$/, ''),
      secret: secret.trim(),
      appId: app ? appId.trim() : null,
      installationId: app ? installationId.trim() : null,
    }
    const found = check(how, input)
    setProblem(found)
    if (found || connect.isPending) return
    connect.mutate(input, {
      onSuccess: (connection) => {
        setSecret('')
        onConnected(connection)
      },
    })
  }

  const problemOf = (field: Problem['field']) => (problem?.field === field ? t(problem.key) : null)
  return (
    <form className="flex flex-col gap-3" onSubmit={submit} data-testid="connect-form" noValidate>
      <Segments
        label={t('start.github.how')}
        value={how}
        onChange={setHow}
        options={[
          { value: 'token', label: t('start.github.token') },
          { value: 'app', label: t('start.github.app') },
        ]}
      />
      <TextField
        label={t('start.github.base_url')}
        hint={t('start.github.base_url_hint')}
        problem={problemOf('baseUrl')}
        value={baseUrl}
        onChange={(event) => setBaseUrl(event.target.value)}
        className="mono"
        testId="base-url"
      />
      {how === 'app' && (
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label={t('start.github.app_id')}
            problem={problemOf('ids')}
            inputMode="numeric"
            value={appId}
            onChange={(event) => setAppId(event.target.value)}
            testId="app-id"
          />
          <TextField
            label={t('start.github.installation_id')}
            inputMode="numeric"
            value={installationId}
            onChange={(event) => setInstallationId(event.target.value)}
            testId="installation-id"
          />
        </div>
      )}
      {how === 'token' ? (
        <TextField
          label={t('start.github.token_field')}
          hint={t('start.github.token_hint')}
          problem={problemOf('secret')}
          type="password"
          autoComplete="new-password"
          value={secret}
          onChange={(event) => setSecret(event.target.value)}
          testId="token"
        />
      ) : (
        <TextArea
          label={t('start.github.key')}
          hint={t('start.github.key_hint')}
          problem={problemOf('secret')}
          rows={4}
          value={secret}
          onChange={(event) => setSecret(event.target.value)}
          className="mono"
          testId="private-key"
        />
      )}
      <TextField
        label={t('start.github.name')}
        hint={t('start.github.name_hint')}
        aside={t('common.optional')}
        value={name}
        onChange={(event) => setName(event.target.value)}
        testId="connection-name"
      />
      <Trouble error={connect.error} bare />
      <div>
        <Button type="submit" kind="primary" busy={connect.isPending} data-testid="connect">
          {connect.isPending ? t('start.github.connecting') : t('start.github.connect')}
        </Button>
      </div>
    </form>
  )
}
