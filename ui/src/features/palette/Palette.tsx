import { Dialog as Base } from '@base-ui/react/dialog'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { useSavePreferences } from '@/api/actions'
import { useProjects } from '@/api/queries'
import { matches } from '@/domain/names'
import { useStore } from '@/live/hooks'
import { type MessageKey, setLanguage, useT } from '@/messages'
import { setTheme } from '@/platform/theme'
import { Icon, type IconName } from '@/ui/Icon'
import { pageAction } from './pageAction'

interface Item {
  id: string
  group: MessageKey
  label: string
  aside?: string
  icon: IconName
  act: () => void
}

function useItems(onClose: () => void, onHelp: () => void): Item[] {
  const t = useT()
  const navigate = useNavigate()
  const projects = useProjects()
  const save = useSavePreferences()
  const go = (act: () => void) => () => {
    onClose()
    act()
  }
  const screens: Item[] = [
    { id: 's1', group: 'palette.screens', label: t('nav.projects'), icon: 'projects', act: go(() => void navigate({ to: '/' })) },
    { id: 's2', group: 'palette.screens', label: t('nav.sources'), icon: 'sources', act: go(() => void navigate({ to: '/sources' })) },
    { id: 's4', group: 'palette.screens', label: t('nav.leases'), icon: 'lock', act: go(() => void navigate({ to: '/leases' })) },
    { id: 's3', group: 'palette.screens', label: t('nav.settings'), icon: 'settings', act: go(() => void navigate({ to: '/settings' })) },
  ]
  const found: Item[] = (projects.data ?? []).map((row) => ({
    id: row.id,
    group: 'palette.projects',
    label: row.name,
    aside: row.source,
    icon: 'arrowRight',
    act: go(() => void navigate({ to: '/project/$id', params: { id: row.id } })),
  }))
  const primary = useStore(pageAction)
  const actions: Item[] = [
    ...(primary ? [{ id: 'a0', group: 'palette.actions', label: primary.label, icon: 'arrowRight', act: go(primary.act) } as const] : []),
    { id: 'a1', group: 'palette.actions', label: t('projects.new'), icon: 'plus', act: go(() => void navigate({ to: '/new' })) },
    { id: 'a2', group: 'palette.actions', label: t('palette.keys'), icon: 'info', act: go(onHelp) },
    ...(['system', 'light', 'dark'] as const).map((theme): Item => ({
      id: `t-${theme}`,
      group: 'palette.actions',
      label: t(`palette.theme.${theme}`),
      icon: 'eye',
      act: go(() => {
        setTheme(theme)
        save.mutate({ theme, person: null, language: null })
      }),
    })),
    ...(['en', 'fr'] as const).map((language): Item => ({
      id: `l-${language}`,
      group: 'palette.actions',
      label: t(`palette.language.${language}`),
      icon: 'settings',
      act: go(() => {
        setLanguage(language)
        save.mutate({ language, theme: null, person: null })
      }),
    })),
  ]
  return [...found, ...screens, ...actions]
}

interface PaletteProps {
  open: boolean
  onClose: () => void
  onHelp: () => void
}

/** Ctrl or Cmd K: go to a project or screen, or do something, by typing. */
export function Palette({ open, onClose, onHelp }: PaletteProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="veil z-40" />
        <Base.Popup className="dialog z-50" data-testid="palette">
          <PaletteBody onClose={onClose} onHelp={onHelp} />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

function PaletteBody({ onClose, onHelp }: Omit<PaletteProps, 'open'>) {
  const t = useT()
  const items = useItems(onClose, onHelp)
  const [search, setSearch] = useState('')
  const [at, setAt] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  const shown = items.filter((item) => matches(search, item.label, item.aside ?? ''))
  const active = shown[Math.min(at, shown.length - 1)]
  const move = (to: number) => {
    const next = (to + shown.length) % Math.max(1, shown.length)
    setAt(next)
    list.current?.querySelector(`[data-at="${next}"]`)?.scrollIntoView?.({ block: 'nearest' })
  }
  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === 'ArrowDown') move(at + 1)
    else if (event.key === 'ArrowUp') move(at - 1)
    else if (event.key === 'Enter') active?.act()
    else return
    event.preventDefault()
  }
  return (
    <>
      <Base.Title className="sr-only">{t('palette.label')}</Base.Title>
      <div className="flex items-center gap-2.5 border-b border-line px-3.5">
        <Icon name="search" size={16} className="text-faint" />
        <input
          className="min-h-11 flex-1 bg-transparent text-lg outline-none!"
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={active ? `palette-${active.id}` : undefined}
          aria-label={t('palette.label')}
          placeholder={t('palette.placeholder')}
          value={search}
          spellCheck={false}
          onChange={(event) => {
            setSearch(event.target.value)
            setAt(0)
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div ref={list} id="palette-list" role="listbox" aria-label={t('palette.label')} className="max-h-[46vh] overflow-auto p-1.5" tabIndex={-1}>
        {shown.map((item, index) => (
          <div key={item.id}>
            {item.group !== shown[index - 1]?.group && (
              <div className="px-2 pt-2 pb-1 text-xs font-semibold text-faint" role="presentation">
                {t(item.group)}
              </div>
            )}
            <div
              id={`palette-${item.id}`}
              role="option"
              aria-selected={item === active}
              data-at={index}
              data-highlighted={item === active ? '' : undefined}
              className="menu-item"
              onMouseMove={() => index !== at && setAt(index)}
              onClick={item.act}
              onKeyDown={onKeyDown}
              tabIndex={-1}
            >
              <Icon name={item.icon} className="shrink-0 text-faint" />
              <bdi className="cell">{item.label}</bdi>
              {item.aside && <code className="cell ms-auto text-faint">{item.aside}</code>}
            </div>
          </div>
        ))}
        {shown.length === 0 && <p className="px-2 py-6 text-center text-muted">{t('palette.empty')}</p>}
      </div>
      <p className="border-t border-line px-3.5 py-2 text-xs text-faint">{t('palette.hint')}</p>
    </>
  )
}
