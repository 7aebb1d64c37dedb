import { useEffect, useState } from 'react'
import { calls, onQuitAsked } from '@/ipc'
import { useT } from '@/messages'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'

/** Closing the window while runs are under way asks once, and says what quitting does to them. */
export function QuitQuestion() {
  const t = useT()
  const [runs, setRuns] = useState(0)
  const [going, setGoing] = useState(false)
  useEffect(() => onQuitAsked(setRuns), [])
  const quit = () => {
    setGoing(true)
    calls.appQuit().catch(() => setGoing(false))
  }
  return (
    <Dialog
      open={runs > 0}
      onClose={() => setRuns(0)}
      title={t('quit.title')}
      cancel={false}
      testId="quit"
      actions={
        <>
          <Button onClick={() => setRuns(0)}>{t('quit.stay')}</Button>
          <Button kind="primary" busy={going} onClick={quit}>
            {going ? t('quit.going') : t('quit.do')}
          </Button>
        </>
      }
    >
      <p>{t('quit.text', { count: runs })}</p>
    </Dialog>
  )
}
