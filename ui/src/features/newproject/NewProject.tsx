import { useState } from 'react'
import { useConnections, usePracticeHint, useSources } from '@/api/queries'
import { Trouble } from '@/features/errors'
import type { ConnectionView, PracticeHint, SourceView } from '@/ipc'
import { useT } from '@/messages'
import { Button } from '@/ui/Button'
import { Problem } from '@/ui/Field'
import { say } from '@/ui/toasts'
import { type Draft, STEPS, type Step, emptyDraft, hintedDraft, problemOf, proposed, sourceName } from './draft'
import { ReviewStep } from './ReviewStep'
import { BranchesStep, DistributionStep, RecipientsStep, SourceStep } from './steps'
import { type Creation, useCreate } from './useCreate'

interface NewProjectProps {
  onCreated: (project: string) => void
  onCancel: () => void
  /** Within the first start: no title of its own. */
  embedded?: boolean
  /** A source to begin with. */
  source?: string
}

/** From a source to a project, step by step; errors appear at the step where they belong. */
export function NewProject(props: NewProjectProps) {
  const t = useT()
  const connections = useConnections()
  const sources = useSources()
  const hint = usePracticeHint(true)
  if (connections.isPending || sources.isPending || hint.isPending) return <p className="text-muted">{t('common.loading')}</p>
  const failure = connections.error ?? sources.error
  if (failure) return <Trouble error={failure} />
  if (!connections.data || connections.data.length === 0) return <Problem>{t('new.no_connection')}</Problem>
  return (
    <Wizard {...props} connections={connections.data} sources={sources.data ?? []} hint={freshHint(hint.data, props.source)} />
  )
}

/** The practice course is filled in only for the first project. */
function freshHint(hint: PracticeHint | null | undefined, source: string | undefined): PracticeHint | null {
  return source ? null : (hint ?? null)
}

interface WizardProps extends NewProjectProps {
  connections: readonly ConnectionView[]
  sources: readonly SourceView[]
  hint: PracticeHint | null
}

function Wizard({ onCreated, onCancel, embedded, source, connections, sources, hint }: WizardProps) {
  const t = useT()
  const taken = hint && sources.some((one) => one.name === hint.source && one.projects.length > 0)
  const usable = taken ? null : hint
  const [draft, setDraft] = useState<Draft>(() =>
    usable ? hintedDraft(usable, sources) : emptyDraft(connections[0]?.id ?? '', sources, source),
  )
  const [step, setStep] = useState<Step>(usable ? 'review' : 'source')
  const [tried, setTried] = useState(false)
  const creation = useCreate()
  const problem = problemOf(step, draft, sources)
  const go = (to: Step) => {
    setTried(false)
    setStep(to)
  }
  const forward = async () => {
    setTried(true)
    if (problem) return
    if (step !== 'review') {
      if (step === 'source') setDraft(proposed(draft, sourceName(draft, sources) ?? ''))
      go(STEPS[STEPS.indexOf(step) + 1] ?? 'review')
      return
    }
    const made = await creation.create(draft, sources)
    if (!made) return
    say(t('new.created_empty'))
    onCreated(made)
  }
  const part = { draft, onChange: setDraft, sources, connections }
  return (
    <form
      className="flex min-w-0 flex-col gap-4"
      data-testid="new-project"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void forward()
      }}
    >
      {!embedded && <h1 className="text-xl">{t('new.title')}</h1>}
      {usable && <p>{t('start.project.prefilled')}</p>}
      <StepTabs step={step} draft={draft} sources={sources} onGo={go} />
      {step === 'source' && <SourceStep {...part} />}
      {step === 'branches' && <BranchesStep {...part} />}
      {step === 'distribution' && <DistributionStep {...part} />}
      {step === 'recipients' && <RecipientsStep {...part} />}
      {step === 'review' && <ReviewStep {...part} onGo={go} />}
      {tried && problem && <Problem>{t(problem)}</Problem>}
      <Foot step={step} draft={draft} creation={creation} onBack={go} onCancel={embedded ? undefined : onCancel} onOpen={onCreated} />
    </form>
  )
}

interface StepTabsProps {
  step: Step
  draft: Draft
  sources: readonly SourceView[]
  onGo: (step: Step) => void
}

/** The steps in a row; one may go to any whose predecessors are complete. */
function StepTabs({ step, draft, sources, onGo }: StepTabsProps) {
  const t = useT()
  const firstOpen = STEPS.findIndex((one) => problemOf(one, draft, sources) !== null)
  return (
    <ol className="flex flex-wrap gap-x-4 gap-y-1 border-b border-line" aria-label={t('new.steps')}>
      {STEPS.map((one, at) => (
        <li key={one}>
          <button
            type="button"
            className={`-mb-px border-b-2 px-0.5 py-1.5 ${one === step ? 'border-accent font-semibold' : 'border-transparent text-muted'}`}
            aria-current={one === step ? 'step' : undefined}
            disabled={firstOpen >= 0 && at > firstOpen}
            onClick={() => onGo(one)}
          >
            {at + 1}. {t(`new.step.${one}`)}
          </button>
        </li>
      ))}
    </ol>
  )
}

interface FootProps {
  step: Step
  draft: Draft
  creation: Creation
  onBack: (step: Step) => void
  onCancel: (() => void) | undefined
  onOpen: (project: string) => void
}

function Foot({ step, draft, creation, onBack, onCancel, onOpen }: FootProps) {
  const t = useT()
  const busy = creation.stage === 'creating' || creation.stage === 'importing'
  const before = STEPS[STEPS.indexOf(step) - 1]
  const made = creation.project
  const create = draft.adopt ? t('new.create_adopt') : t('new.create_build')
  const working = draft.adopt ? t('new.adopting') : t('new.creating')
  const words = creation.stage === 'importing' ? t('new.importing') : busy ? working : made ? t('new.import_again') : create
  return (
    <>
      {made && creation.failure && <p className="text-warn">{t('new.import_failed')}</p>}
      <Trouble error={creation.failure} bare />
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" kind="primary" busy={busy} data-testid="new-next">
          {step === 'review' ? words : t('common.next')}
        </Button>
        {made && creation.failure && <Button onClick={() => onOpen(made)}>{t('new.go_project')}</Button>}
        {before && !made && (
          <Button onClick={() => onBack(before)} disabled={busy}>
            {t('common.back')}
          </Button>
        )}
        {onCancel && (
          <Button kind="quiet" onClick={onCancel} disabled={busy}>
            {t('common.cancel')}
          </Button>
        )}
      </div>
    </>
  )
}
