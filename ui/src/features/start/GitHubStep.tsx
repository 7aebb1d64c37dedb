import { usePracticeStart } from '@/api/actions'
import { Trouble } from '@/features/errors'
import type { ConnectionView } from '@/ipc'
import { useT } from '@/messages'
import { Button } from '@/ui/Button'
import { Icon } from '@/ui/Icon'
import { ConnectForm } from './ConnectForm'

interface GitHubStepProps {
  practice: boolean
  connection: ConnectionView | null
  onConnected: (connection: ConnectionView) => void
  onNext: () => void
}

/** Connect the real GitHub, or start the practice course. */
export function GitHubStep({ practice, connection, onConnected, onNext }: GitHubStepProps) {
  const t = useT()
  const start = usePracticeStart()
  const take = (made: ConnectionView) => {
    onConnected(made)
    onNext()
  }
  if (connection) {
    return (
      <>
        <p className="flex items-center gap-2 text-ok" data-testid="connected">
          <Icon name="check" /> {t('start.github.connected', { login: connection.login })}
        </p>
        <div>
          <Button kind="primary" onClick={onNext} data-testid="start-next">
            {t('common.next')}
          </Button>
        </div>
      </>
    )
  }
  return (
    <>
      <p className="text-muted">{t('start.github.text')}</p>
      <ConnectForm onConnected={take} />
      {practice && (
        <section className="flex flex-col gap-2 border-t border-line pt-4" aria-label={t('start.practice.title')}>
          <h3>{t('start.practice.title')}</h3>
          <p className="text-muted">{t('start.practice.text')}</p>
          <Trouble error={start.error} bare />
          <div>
            <Button
              icon="play"
              busy={start.isPending}
              onClick={() => start.mutate(undefined, { onSuccess: take })}
              data-testid="practice"
            >
              {start.isPending ? t('start.practice.starting') : t('start.practice.do')}
            </Button>
          </div>
        </section>
      )}
    </>
  )
}
