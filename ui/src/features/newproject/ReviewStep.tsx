import { glance } from '@/domain/roster'
import { type Translate, useT } from '@/messages'
import { Button } from '@/ui/Button'
import { TextField } from '@/ui/Field'
import { type Draft, type Step, sourceName } from './draft'
import type { StepProps } from './steps'

function recipientsLine(t: Translate, draft: Draft): string {
  if (draft.roster.kind === 'later') return t('new.review.later')
  if (draft.roster.kind === 'csv') return t('new.review.csv', { count: glance(draft.roster.text).rows })
  return t('new.review.pattern', { pattern: draft.roster.pattern })
}

/** Everything on one page, each line with its way back; name and deadline are asked here. */
export function ReviewStep({ draft, onChange, sources, onGo }: StepProps & { onGo: (step: Step) => void }) {
  const t = useT()
  const lines: [Step, string, string][] = [
    ['source', t('new.review.source'), sourceName(draft, sources) ?? ''],
    ['branches', t('new.review.branches'), draft.branches.join(', ')],
    ['branches', t('new.review.strategy'), t(`new.strategy.${draft.strategy}`)],
    [
      'distribution',
      t('new.review.distribution'),
      t(draft.adopt ? 'new.review.adopt' : 'new.review.build', { repo: draft.distribution }),
    ],
    ['recipients', t('new.review.recipients'), recipientsLine(t, draft)],
  ]
  return (
    <>
      <p className="text-muted">{t('new.review.text')}</p>
      <dl className="flex flex-col divide-y divide-line border-y border-line">
        {lines.map(([step, label, value]) => (
          <div key={label} className="flex items-baseline gap-3 py-1.5">
            <dt className="w-28 flex-none text-muted">{label}</dt>
            <dd className="mono min-w-0 flex-1 wrap-anywhere">{value}</dd>
            <Button size="small" kind="quiet" aria-label={t('new.change', { step: label })} onClick={() => onGo(step)}>
              {t('common.change')}
            </Button>
          </div>
        ))}
      </dl>
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        <TextField
          label={t('new.name')}
          hint={t('new.name_hint')}
          value={draft.name}
          onChange={(event) => onChange({ ...draft, name: event.target.value })}
          testId="project-name"
        />
        <TextField
          label={t('new.deadline')}
          hint={t('new.deadline_hint')}
          aside={t('common.optional')}
          type="datetime-local"
          value={draft.deadline}
          onChange={(event) => onChange({ ...draft, deadline: event.target.value })}
          testId="deadline"
        />
      </div>
    </>
  )
}
