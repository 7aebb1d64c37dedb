import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Trouble } from '@/features/errors'
import { type ConnectionView, type SourceView, calls } from '@/ipc'
import { useT } from '@/messages'
import { Button } from '@/ui/Button'
import { Chip } from '@/ui/Chip'
import { Choices } from '@/ui/Choice'
import { SelectField, TextField } from '@/ui/Field'
import { type Draft, sourceName } from './draft'
import { RosterFields } from './RosterFields'

export interface StepProps {
  draft: Draft
  onChange: (draft: Draft) => void
  sources: readonly SourceView[]
  connections: readonly ConnectionView[]
}

const OTHER = 'other'

export function SourceStep({ draft, onChange, sources, connections }: StepProps) {
  const t = useT()
  const chosen = draft.choice.kind === 'registered' ? draft.choice.id : OTHER
  const choose = (value: string) =>
    onChange({
      ...draft,
      choice: value === OTHER ? { kind: 'other' } : { kind: 'registered', id: value },
      connection: connectionOf(sources, connections, value) ?? draft.connection,
      branches: [],
    })
  return (
    <>
      <p className="text-muted">{t('new.source.text')}</p>
      {sources.length > 0 && (
        <Choices
          label={t('new.source.registered')}
          value={chosen}
          onChange={choose}
          options={[
            ...sources.map((source) => ({ value: source.id, label: source.name, text: t('sources.via', { connection: source.connection }) })),
            { value: OTHER, label: t('new.source.other') },
          ]}
        />
      )}
      {chosen === OTHER && <OtherRepository draft={draft} onChange={onChange} connections={connections} />}
    </>
  )
}

/** A registered source brings its connection along. */
function connectionOf(sources: readonly SourceView[], connections: readonly ConnectionView[], id: string): string | null {
  const name = sources.find((source) => source.id === id)?.connection
  return connections.find((connection) => connection.name === name)?.id ?? null
}

function OtherRepository({ draft, onChange, connections }: Omit<StepProps, 'sources'>) {
  const t = useT()
  return (
    <>
      {connections.length > 1 && (
        <SelectField
          label={t('sources.connection')}
          value={draft.connection}
          onChange={(event) => onChange({ ...draft, connection: event.target.value })}
        >
          {connections.map((connection) => (
            <option key={connection.id} value={connection.id}>
              {connection.name}
            </option>
          ))}
        </SelectField>
      )}
      <TextField
        label={t('sources.repo')}
        hint={t('sources.repo_hint')}
        className="mono"
        value={draft.repo}
        onChange={(event) => onChange({ ...draft, repo: event.target.value, branches: [] })}
        testId="source-repo"
      />
    </>
  )
}

export function BranchesStep({ draft, onChange, sources }: StepProps) {
  const t = useT()
  const source = sourceName(draft, sources)
  const list = useQuery({
    queryKey: ['branches', draft.connection, source],
    queryFn: () => calls.branchList(draft.connection, source ?? ''),
    enabled: source !== null,
    staleTime: 30_000,
  })
  const names = list.data
  useEffect(() => {
    if (!names || draft.branches.length > 0) return
    const first = names.find((name) => name === 'main') ?? names[0]
    if (first) onChange({ ...draft, branches: [first] })
  }, [names, draft, onChange])
  const toggle = (branch: string, on: boolean) =>
    onChange({ ...draft, branches: on ? [...draft.branches, branch] : draft.branches.filter((one) => one !== branch) })
  return (
    <>
      <p className="text-muted">{t('new.branches.text')}</p>
      {list.isFetching && <p className="text-muted">{t('common.loading')}</p>}
      <Trouble error={list.error} bare />
      {names?.length === 0 && <p className="text-warn">{t('new.branches.none')}</p>}
      <fieldset className="flex flex-col gap-1" data-testid="branches">
        <legend className="label mb-1">{t('new.step.branches')}</legend>
        {(names ?? []).map((branch) => (
          <BranchLine key={branch} branch={branch} draft={draft} onChange={onChange} onToggle={toggle} />
        ))}
      </fieldset>
      <Choices
        label={t('new.strategy')}
        value={draft.strategy}
        onChange={(strategy) => onChange({ ...draft, strategy })}
        options={[
          { value: 'squash', label: t('new.strategy.squash'), text: t('new.strategy.squash_text') },
          { value: 'whole', label: t('new.strategy.whole'), text: t('new.strategy.whole_text') },
        ]}
      />
    </>
  )
}

interface BranchLineProps {
  branch: string
  draft: Draft
  onChange: (draft: Draft) => void
  onToggle: (branch: string, on: boolean) => void
}

function BranchLine({ branch, draft, onChange, onToggle }: BranchLineProps) {
  const t = useT()
  const at = draft.branches.indexOf(branch)
  const up = () => {
    const next = [...draft.branches]
    next.splice(at, 1)
    next.splice(at - 1, 0, branch)
    onChange({ ...draft, branches: next })
  }
  return (
    <div className="flex items-center gap-2">
      <label className="flex min-w-0 items-center gap-2">
        <input type="checkbox" checked={at >= 0} onChange={(event) => onToggle(branch, event.target.checked)} />
        <code className="cell">{branch}</code>
      </label>
      {at === 0 && <Chip>{t('new.branches.default')}</Chip>}
      {at > 0 && (
        <Button size="small" kind="quiet" icon="up" aria-label={t('new.branches.up', { branch })} onClick={up}>
          {String(at + 1)}
        </Button>
      )}
    </div>
  )
}

export function DistributionStep({ draft, onChange }: StepProps) {
  const t = useT()
  return (
    <>
      <p className="text-muted">{t('new.distribution.text')}</p>
      <Choices
        label={t('new.step.distribution')}
        hideLabel
        value={draft.adopt ? 'adopt' : 'build'}
        onChange={(value) => onChange({ ...draft, adopt: value === 'adopt' })}
        options={[
          { value: 'build', label: t('new.distribution.build'), text: t('new.distribution.build_text') },
          { value: 'adopt', label: t('new.distribution.adopt'), text: t('new.distribution.adopt_text') },
        ]}
      />
      <TextField
        label={t('new.distribution.field')}
        hint={t('new.distribution.hint')}
        className="mono"
        value={draft.distribution}
        onChange={(event) => onChange({ ...draft, distribution: event.target.value })}
        testId="distribution"
      />
    </>
  )
}

export function RecipientsStep({ draft, onChange }: StepProps) {
  const t = useT()
  return (
    <>
      <p className="text-muted">{t('new.recipients.text')}</p>
      <RosterFields
        connection={draft.connection}
        roster={draft.roster}
        onChange={(roster) => onChange({ ...draft, roster })}
        later
      />
    </>
  )
}
