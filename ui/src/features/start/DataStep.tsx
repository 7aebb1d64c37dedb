import { type FormEvent, useState } from 'react'
import { useSavePreferences } from '@/api/actions'
import { usePreferences } from '@/api/queries'
import { Trouble } from '@/features/errors'
import type { AppInfo } from '@/ipc'
import { useT } from '@/messages'
import { Button } from '@/ui/Button'
import { Problem, TextField } from '@/ui/Field'
import { Icon } from '@/ui/Icon'

/** Where the data lives, and who is sitting here. */
export function DataStep({ info, onNext }: { info: AppInfo | undefined; onNext: () => void }) {
  const t = useT()
  const preferences = usePreferences()
  const save = useSavePreferences()
  const [typed, setTyped] = useState<string | null>(null)
  const [empty, setEmpty] = useState(false)
  const person = typed ?? preferences.data?.person ?? info?.osUser ?? ''
  const shared = info?.database.kind === 'postgres'

  const submit = (event: FormEvent) => {
    event.preventDefault()
    setEmpty(person.trim() === '')
    if (person.trim() === '' || save.isPending) return
    save.mutate({ person: person.trim(), theme: null, language: null }, { onSuccess: onNext })
  }
  return (
    <form className="flex flex-col gap-4" onSubmit={submit} noValidate>
      <p className="flex items-start gap-2">
        <span className="mt-0.5 text-ok">
          <Icon name="database" size={16} />
        </span>
        <span>{shared ? t('start.data.shared_now', { place: info.database.place }) : t('start.data.text')}</span>
      </p>
      {!shared && (
        <details>
          <summary className="font-semibold">{t('start.data.shared_title')}</summary>
          <p className="mt-1 text-muted">{t('start.data.shared')}</p>
        </details>
      )}
      {info?.git.problem && <Problem>{t('start.data.git_missing', { problem: info.git.problem })}</Problem>}
      <TextField
        label={t('start.person')}
        hint={t('start.person_hint')}
        problem={empty ? t('start.person_empty') : null}
        value={person}
        onChange={(event) => setTyped(event.target.value)}
        testId="person"
      />
      <Trouble error={save.error} bare />
      <div>
        <Button type="submit" kind="primary" busy={save.isPending} data-testid="start-next">
          {t('common.next')}
        </Button>
      </div>
    </form>
  )
}
