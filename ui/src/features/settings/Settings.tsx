import { type ReactNode, useState } from 'react'
import { useConnections, useInfo, usePreferences } from '@/api/queries'
import { useSavePreferences } from '@/api/actions'
import { formatDuration } from '@/domain/format'
import { Trouble } from '@/features/errors'
import { ConnectForm } from '@/features/start'
import type { AppInfo, ConnectionView, PreferencesInput } from '@/ipc'
import { useT } from '@/messages'
import { Button } from '@/ui/Button'
import { Chip } from '@/ui/Chip'
import { Segments } from '@/ui/Choice'
import { Dialog } from '@/ui/Dialog'
import { Problem, TextField } from '@/ui/Field'
import { say } from '@/ui/toasts'

/** Who sits here, how it looks, what it stands on. */
export function Settings() {
  const t = useT()
  const info = useInfo()
  return (
    <div className="flex max-w-3xl flex-col gap-6 px-6 py-5" data-testid="settings">
      <h1 className="text-xl">{t('settings.title')}</h1>
      <Trouble error={info.error} onRetry={() => void info.refetch()} />
      <Person info={info.data} />
      <Appearance />
      <Connections />
      {info.data && <Machine info={info.data} />}
    </div>
  )
}

function Part({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-3 border-t border-line pt-4" aria-label={title}>
      <div className="flex items-center justify-between gap-3">
        <h2 className="text-lg">{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}

const NOTHING: PreferencesInput = { theme: null, person: null, language: null }

function Person({ info }: { info: AppInfo | undefined }) {
  const t = useT()
  const preferences = usePreferences()
  const save = useSavePreferences()
  const [typed, setTyped] = useState<string | null>(null)
  const stored = preferences.data?.person ?? ''
  const person = typed ?? stored
  const submit = () => {
    if (person.trim() === '') return
    save.mutate({ ...NOTHING, person: person.trim() }, { onSuccess: () => say(t('common.saved')) })
  }
  return (
    <Part title={t('settings.person')}>
      <form
        className="flex max-w-md flex-col gap-3"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
      >
        <TextField
          label={t('settings.person_field')}
          hint={info && t('settings.person_hint', { user: info.osUser, host: info.host })}
          problem={person.trim() === '' && typed !== null ? t('start.person_empty') : null}
          value={person}
          onChange={(event) => setTyped(event.target.value)}
          testId="settings-person"
        />
        <Trouble error={save.error} bare />
        <div>
          <Button type="submit" busy={save.isPending} aria-disabled={person.trim() === stored || undefined}>
            {t('common.save')}
          </Button>
        </div>
      </form>
    </Part>
  )
}

function Appearance() {
  const t = useT()
  const preferences = usePreferences()
  const save = useSavePreferences()
  const theme = (preferences.data?.theme ?? 'system') as 'system' | 'light' | 'dark'
  const language = (preferences.data?.language ?? 'en') as 'en' | 'fr'
  return (
    <Part title={t('settings.appearance')}>
      <div className="flex flex-wrap gap-x-8 gap-y-3">
        <Segments
          label={t('settings.theme')}
          value={theme}
          onChange={(next) => save.mutate({ ...NOTHING, theme: next })}
          options={[
            { value: 'system', label: t('settings.theme.system') },
            { value: 'light', label: t('settings.theme.light') },
            { value: 'dark', label: t('settings.theme.dark') },
          ]}
          testId="theme"
        />
        <Segments
          label={t('settings.language')}
          value={language}
          onChange={(next) => save.mutate({ ...NOTHING, language: next })}
          options={[
            { value: 'en', label: 'English' },
            { value: 'fr', label: 'Français' },
          ]}
          testId="language"
        />
      </div>
      <p className="hint">{t('settings.language_hint')}</p>
      <Trouble error={save.error} bare />
    </Part>
  )
}

function Connections() {
  const t = useT()
  const connections = useConnections()
  const [adding, setAdding] = useState(false)
  const done = (made: ConnectionView) => {
    setAdding(false)
    say(t('start.github.connected', { login: made.login }))
  }
  return (
    <Part
      title={t('settings.connections')}
      aside={
        <Button icon="plus" onClick={() => setAdding(true)} data-testid="settings-connect">
          {t('settings.connect')}
        </Button>
      }
    >
      <Trouble error={connections.error} onRetry={() => void connections.refetch()} />
      {connections.data?.length === 0 && <p className="text-muted">{t('settings.no_connections')}</p>}
      {connections.data && connections.data.length > 0 && (
        <ul className="flex flex-col divide-y divide-line">
          {connections.data.map((connection) => (
            <ConnectionLine key={connection.id} connection={connection} />
          ))}
        </ul>
      )}
      <Dialog open={adding} onClose={() => setAdding(false)} title={t('settings.connect_title')}>
        <ConnectForm onConnected={done} />
      </Dialog>
    </Part>
  )
}

function ConnectionLine({ connection }: { connection: ConnectionView }) {
  const t = useT()
  const usable = connection.state === 'usable'
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <span className="font-medium wrap-anywhere">{connection.name}</span>
      <code className="text-muted wrap-anywhere">{connection.baseUrl}</code>
      <span className="ms-auto flex items-center gap-2">
        <span className="text-muted">
          {t(`settings.kind.${connection.kind}`)}, <span className="mono">{connection.login}</span>
        </span>
        <Chip tone={usable ? 'ok' : 'bad'} icon={usable ? 'check' : 'warn'}>
          {t(`settings.state.${connection.state}`)}
        </Chip>
      </span>
    </li>
  )
}

const NOTICEABLE_MS = 1_000

function Machine({ info }: { info: AppInfo }) {
  const t = useT()
  const { database } = info
  const skew = Math.abs(database.skewMs)
  const lines: [string, ReactNode][] = [
    [
      t('settings.database'),
      <>
        {t('settings.database_line', { engine: database.engine, place: database.place })},{' '}
        {t('settings.database_speed', { ms: database.latencyMs })}.{' '}
        {skew < NOTICEABLE_MS ? t('settings.skew_none') : t('settings.skew', { time: formatDuration(skew) })}
        {database.kind === 'sqlite' && <span className="hint block">{t('settings.database_shared')}</span>}
      </>,
    ],
    [t('settings.git'), info.git.ok ?? <Problem>{info.git.problem ?? ''}</Problem>],
    [t('settings.secrets'), info.secrets],
    [t('settings.version'), info.version],
  ]
  return (
    <Part title={t('settings.machine')}>
      <dl className="flex flex-col divide-y divide-line">
        {lines.map(([label, value]) => (
          <div key={label} className="flex gap-4 py-2 max-sm:flex-col max-sm:gap-0">
            <dt className="w-32 flex-none text-muted">{label}</dt>
            <dd className="min-w-0 wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
    </Part>
  )
}
