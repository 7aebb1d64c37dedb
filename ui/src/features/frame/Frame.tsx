import { Link as RouterLink, Outlet, useRouterState } from '@tanstack/react-router'
import { useState } from 'react'
import { useConnections, useInfo, usePreferences, useProjects, useSources } from '@/api/queries'
import { Palette } from '@/features/palette/Palette'
import { ShortcutList } from '@/features/palette/ShortcutList'
import { Age } from '@/ui/Age'
import { formatTime } from '@/domain/format'
import { useStore } from '@/live/hooks'
import { link } from '@/live/feed'
import { type MessageKey, useT } from '@/messages'
import { Icon, type IconName, Mark } from '@/ui/Icon'
import { Kbd } from '@/ui/Button'
import { Toasts } from '@/ui/toasts'
import { useFrameKeys } from './keys'
import { QuitQuestion } from './QuitQuestion'

const SCREENS: { to: '/' | '/sources' | '/leases' | '/settings'; label: MessageKey; icon: IconName; key: string }[] = [
  { to: '/', label: 'nav.projects', icon: 'projects', key: '1' },
  { to: '/sources', label: 'nav.sources', icon: 'sources', key: '2' },
  { to: '/leases', label: 'nav.leases', icon: 'lock', key: '3' },
  { to: '/settings', label: 'nav.settings', icon: 'settings', key: '4' },
]

/** The frame of every screen but the first start: navigation, state of the link, palette, messages. */
export function Frame() {
  const t = useT()
  const [palette, setPalette] = useState(false)
  const [help, setHelp] = useState(false)
  useFrameKeys({ onPalette: () => setPalette(true), onHelp: () => setHelp(true) })
  const path = useRouterState({ select: (state) => state.location.pathname })
  const projects = useProjects()
  const sources = useSources()
  const counts: Record<string, number | undefined> = {
    '/': projects.data?.filter((row) => row.state !== 'archived').length,
    '/sources': sources.data?.length,
  }
  return (
    <div className="frame">
      <a href="#content" className="btn fixed start-2 -top-16 z-50 focus:top-2" onClick={focusContent}>
        {t('nav.skip')}
      </a>
      <aside className="side">
        <div className="brand mb-3 flex items-center gap-2.5 px-2 py-1 text-lg font-semibold">
          <Mark />
          <span className="words">{t('app.name')}</span>
        </div>
        <nav aria-label={t('nav.label')} className="flex flex-col gap-0.5">
          {SCREENS.map((screen) => (
            <RouterLink
              key={screen.to}
              to={screen.to}
              className="nav"
              activeOptions={{ exact: true, includeSearch: false }}
              aria-current={isWithin(path, screen.to) ? 'page' : undefined}
              title={t(screen.label)}
            >
              <Icon name={screen.icon} size={16} />
              <span className="words">{t(screen.label)}</span>
              {counts[screen.to] !== undefined && <span className="count">{counts[screen.to]}</span>}
            </RouterLink>
          ))}
          <button type="button" className="nav-button" onClick={() => setPalette(true)} title={t('palette.open')}>
            <Icon name="search" size={16} />
            <span className="words">{t('palette.open')}</span>
            <span className="words ms-auto">
              <Kbd>Ctrl K</Kbd>
            </span>
          </button>
        </nav>
        <Foot />
      </aside>
      <main className="page" id="content" tabIndex={-1}>
        <OfflineNote />
        <Outlet />
      </main>
      <Palette open={palette} onClose={() => setPalette(false)} onHelp={() => setHelp(true)} />
      <ShortcutList open={help} onClose={() => setHelp(false)} />
      <QuitQuestion />
      <Toasts />
    </div>
  )
}

/** Whether a place belongs to a screen; a project's page and a new project belong to Projects. */
function isWithin(path: string, screen: string): boolean {
  return screen === '/' ? path === '/' || path === '/new' || path.startsWith('/project/') : path.startsWith(screen)
}

function focusContent(event: React.MouseEvent) {
  event.preventDefault()
  document.getElementById('content')?.focus()
}

function OfflineNote() {
  const t = useT()
  const state = useStore(link)
  if (state.state !== 'offline') return null
  return (
    <div className="flex items-center gap-2 border-b border-line bg-(--warn-ground) px-5 py-2" role="status" data-testid="offline">
      <Icon name="warn" className="tone-warn shrink-0" size={16} />
      <p>
        <strong className="font-semibold">{t('offline.title')}</strong>{' '}
        {state.lastHeard === null ? t('offline.never') : <Since at={state.lastHeard} />}
      </p>
    </div>
  )
}

function Since({ at }: { at: number }) {
  const t = useT()
  // The age ticks inside the sentence, so the sentence is cut where the age stands.
  const [before, after] = t('offline.since', { time: formatTime(at), age: '\u0000' }).split('\u0000')
  return (
    <>
      {before}
      <Age at={at} />
      {after}
    </>
  )
}

function Foot() {
  const t = useT()
  const info = useInfo()
  const preferences = usePreferences()
  const connections = useConnections()
  const state = useStore(link).state
  const troubled = connections.data?.find((one) => one.state !== 'usable')
  const tone = { online: 'tone-ok', offline: 'tone-warn', connecting: 'tone-idle' }[state]
  return (
    <footer className="foot mt-auto flex flex-col gap-1 border-t border-line px-2 pt-2.5 text-xs text-faint" data-testid="foot">
      <span className="flex items-center gap-1.5" title={t(`foot.${state}`)}>
        <span className={`${tone} -mx-1`}>
          <Icon name={state === 'offline' ? 'warn' : 'dot'} size={state === 'offline' ? 13 : 18} />
        </span>
        <span className="words wrap-anywhere">{t(`foot.${state}`)}</span>
      </span>
      {info.data && (
        <span className="words wrap-anywhere">
          {t(info.data.database.kind === 'sqlite' ? 'foot.sqlite' : 'foot.postgres')},{' '}
          {t('foot.latency', { ms: info.data.database.latencyMs })}
        </span>
      )}
      {connections.data && (
        <span className={troubled ? 'words tone-warn wrap-anywhere' : 'words wrap-anywhere'}>
          {troubled ? t('foot.github_trouble', { name: troubled.name }) : t('foot.github', { count: connections.data.length })}
        </span>
      )}
      {info.data && (
        <span className="words wrap-anywhere">
          <bdi>
            {t('foot.you', { person: preferences.data?.person || info.data.person || t('foot.nobody'), host: info.data.host })}
          </bdi>
        </span>
      )}
    </footer>
  )
}
