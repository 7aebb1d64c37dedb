import { RouterProvider } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { readAgain, readAllAgain, useInfo, usePreferences } from '@/api/queries'
import { FullTrouble } from '@/features/errors'
import { FirstStart } from '@/features/start'
import { followFeed } from '@/live/feed'
import { setLanguage, useT } from '@/messages'
import { setTheme, watchTheme } from '@/platform/theme'
import type { WindowRouter } from '@/routes/router'

/** What the window shows before anything else: an error that keeps it from working, the first start, or the frame. */
export function StartUp({ router }: { router: WindowRouter }) {
  const t = useT()
  const info = useInfo()
  const preferences = usePreferences()
  const [started, setStarted] = useState(false)
  useEffect(watchTheme, [])
  useEffect(() => {
    if (!preferences.data) return
    setTheme(preferences.data.theme)
    setLanguage(preferences.data.language)
  }, [preferences.data])
  const usable = info.data !== undefined
  useEffect(() => {
    if (!usable) return
    return followFeed({ onStale: readAgain, onBack: readAllAgain })
  }, [usable])
  // Once the window is open, a failed read is told where it matters and the last known state stays.
  if (info.error && !info.data) {
    return (
      <main className="page">
        <FullTrouble error={info.error} onlyRetry onRetry={() => void info.refetch()} />
      </main>
    )
  }
  if (!info.data) {
    return (
      <main className="page" aria-busy="true">
        <p className="p-8 text-muted">{t('foot.connecting')}</p>
      </main>
    )
  }
  return <Begin router={router} firstStart={info.data.firstStart} started={started} onStarted={() => setStarted(true)} />
}

interface BeginProps {
  router: WindowRouter
  firstStart: boolean
  started: boolean
  onStarted: () => void
}

/** The first start stays on screen until it is done, also when a connection exists half way through. */
function Begin({ router, firstStart, started, onStarted }: BeginProps) {
  const [first] = useState(firstStart)
  if (!first || started) return <RouterProvider router={router} />
  const done = (project: string | null) => {
    router.history.push(project ? `/project/${project}` : '/')
    onStarted()
  }
  return <FirstStart onDone={done} />
}
