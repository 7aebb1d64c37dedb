import { useState } from 'react'
import { useInfo } from '@/api/queries'
import { NewProject } from '@/features/newproject'
import type { ConnectionView } from '@/ipc'
import { useT } from '@/messages'
import { Button } from '@/ui/Button'
import { Mark } from '@/ui/Icon'
import { DataStep } from './DataStep'
import { GitHubStep } from './GitHubStep'
import { StepList } from './StepList'

type Step = 'data' | 'github' | 'project'
const STEPS: readonly Step[] = ['data', 'github', 'project']

/** Three steps from nothing to a project; each says what it does and can be gone back to. */
export function FirstStart({ onDone }: { onDone: (project: string | null) => void }) {
  const t = useT()
  const info = useInfo()
  const [step, setStep] = useState<Step>('data')
  const [connection, setConnection] = useState<ConnectionView | null>(null)
  const at = STEPS.indexOf(step)
  const titles = [t('start.data.title'), t('start.github.title'), t('start.project.title')]
  return (
    <main className="page items-center" data-testid="first-start">
      <div className="flex w-full max-w-4xl flex-col gap-6 px-6 py-8">
        <header className="flex items-center gap-3">
          <Mark size={26} />
          <div>
            <h1 className="text-xl">{t('start.title')}</h1>
            <p className="text-muted">{t('start.lead')}</p>
          </div>
        </header>
        <div className="steps">
          <StepList label={t('start.steps')} titles={titles} at={at} onGo={(to) => to < at && setStep(STEPS[to] ?? 'data')} />
          <section className="panel flex min-w-0 flex-col gap-4 p-5" aria-label={titles[at]} data-testid={`step-${step}`}>
            <div>
              <p className="text-faint">{t('start.step', { n: at + 1 })}</p>
              <h2 className="text-lg">{titles[at]}</h2>
            </div>
            {step === 'data' && <DataStep info={info.data} onNext={() => setStep('github')} />}
            {step === 'github' && (
              <GitHubStep
                practice={info.data?.practice ?? false}
                connection={connection}
                onConnected={setConnection}
                onNext={() => setStep('project')}
              />
            )}
            {step === 'project' && (
              <>
                <p className="text-muted">{t('start.project.text')}</p>
                <NewProject embedded onCreated={(project) => onDone(project)} onCancel={() => onDone(null)} />
                <div>
                  <Button kind="quiet" onClick={() => onDone(null)} data-testid="start-later">
                    {t('start.project.later')}
                  </Button>
                </div>
              </>
            )}
          </section>
        </div>
      </div>
    </main>
  )
}
