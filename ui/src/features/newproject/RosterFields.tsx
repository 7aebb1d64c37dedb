import { useQuery } from '@tanstack/react-query'
import { type ChangeEvent, useDeferredValue } from 'react'
import { glance } from '@/domain/roster'
import { Trouble } from '@/features/errors'
import { type RosterInput, calls } from '@/ipc'
import { type MessageKey, useT } from '@/messages'
import { Segments } from '@/ui/Choice'
import { Problem, TextArea, TextField } from '@/ui/Field'
import { repoPattern } from './draft'

/** A roster as typed. `later`: none for now. */
export interface RosterDraft {
  kind: 'pattern' | 'csv' | 'later'
  pattern: string
  text: string
}

/** What the core gets; null when there is nothing to import. */
export function rosterInput(roster: RosterDraft): RosterInput | null {
  if (roster.kind === 'later') return null
  return roster.kind === 'csv' ? { kind: 'csv', text: roster.text } : { kind: 'pattern', pattern: roster.pattern.trim() }
}

/** What keeps it from being imported. */
export function rosterProblem(roster: RosterDraft): MessageKey | null {
  if (roster.kind === 'later') return null
  if (roster.kind === 'pattern') return repoPattern(roster.pattern) ? null : 'new.recipients.need'
  const seen = glance(roster.text)
  return seen.rows > 0 && seen.problems.length === 0 ? null : 'new.recipients.need'
}

interface RosterFieldsProps {
  connection: string
  roster: RosterDraft
  onChange: (roster: RosterDraft) => void
  /** Whether "later" is offered. */
  later?: boolean
}

/** By name pattern with a live count, or from a CSV roster that is looked through while it is pasted. */
export function RosterFields({ connection, roster, onChange, later }: RosterFieldsProps) {
  const t = useT()
  const options: { value: RosterDraft['kind']; label: string }[] = [
    { value: 'pattern', label: t('roster.pattern') },
    { value: 'csv', label: t('roster.csv') },
  ]
  if (later) options.push({ value: 'later', label: t('new.recipients.later') })
  return (
    <div className="flex flex-col gap-3">
      <Segments
        label={t('roster.how')}
        value={roster.kind}
        options={options}
        onChange={(kind) => onChange({ ...roster, kind })}
      />
      {roster.kind === 'pattern' && <PatternField connection={connection} roster={roster} onChange={onChange} />}
      {roster.kind === 'csv' && <CsvField roster={roster} onChange={onChange} />}
    </div>
  )
}

type PartProps = Pick<RosterFieldsProps, 'roster' | 'onChange'>

function PatternField({ connection, roster, onChange }: PartProps & { connection: string }) {
  const t = useT()
  const pattern = useDeferredValue(repoPattern(roster.pattern))
  const found = useQuery({
    queryKey: ['repositories', connection, pattern],
    queryFn: () => calls.repoSearch(connection, pattern ?? ''),
    enabled: pattern !== null && connection !== '',
    staleTime: 30_000,
  })
  const archived = found.data?.filter((repo) => repo.archived).length ?? 0
  return (
    <>
      <TextField
        label={t('roster.pattern_field')}
        hint={t('roster.pattern_hint')}
        className="mono"
        value={roster.pattern}
        onChange={(event) => onChange({ ...roster, pattern: event.target.value })}
        testId="pattern"
      />
      <div aria-live="polite" data-testid="pattern-count">
        {found.isFetching && <p className="text-muted">{t('roster.counting')}</p>}
        {!found.isFetching && found.data && found.data.length === 0 && <Problem>{t('roster.none')}</Problem>}
        {!found.isFetching && found.data && found.data.length > 0 && (
          <p className="text-ok">{t('roster.count', { count: found.data.length })}</p>
        )}
        {archived > 0 && <p className="text-muted">{t('roster.count_archived', { n: archived })}</p>}
      </div>
      <Trouble error={found.error} bare />
    </>
  )
}

function CsvField({ roster, onChange }: PartProps) {
  const t = useT()
  const seen = glance(roster.text)
  const take = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0]
    if (file) onChange({ ...roster, text: await file.text() })
  }
  return (
    <>
      <TextArea
        label={t('roster.csv_field')}
        hint={t('roster.csv_hint')}
        rows={6}
        className="mono"
        placeholder={'repository,label,deadline\nalgo-2026/lab4-student-01,Student 01,2026-12-04 23:59'}
        value={roster.text}
        onChange={(event) => onChange({ ...roster, text: event.target.value })}
        testId="csv"
      />
      <label className="btn w-fit">
        {t('roster.csv_file')}
        <input type="file" accept=".csv,text/csv,text/plain" className="sr-only" onChange={(event) => void take(event)} />
      </label>
      <div aria-live="polite">
        {seen.rows > 0 && <p className="text-ok">{t('roster.csv_rows', { count: seen.rows })}</p>}
        {seen.problems.map((problem) => (
          <Problem key={`${problem.line}:${problem.kind}`}>
            {t(`roster.problem.${problem.kind}`, { line: problem.line, value: problem.value })}
          </Problem>
        ))}
      </div>
    </>
  )
}
