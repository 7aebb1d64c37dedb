import { useRef, useState } from 'react'
import { useConnections, useSources } from '@/api/queries'
import { matches } from '@/domain/names'
import { Trouble } from '@/features/errors'
import type { SourceView } from '@/ipc'
import { useT } from '@/messages'
import { useKeys } from '@/platform/keys'
import { Button } from '@/ui/Button'
import { Empty, Skeleton } from '@/ui/Empty'
import { SearchBox } from '@/ui/SearchBox'
import { RegisterDialog } from './RegisterDialog'
import { RetireDialog } from './RetireDialog'
import { SourceCard } from './SourceCard'

interface SourcesProps {
  /** Opens a project's page. */
  onOpenProject?: (project: string) => void
  /** Begins a project with this source. */
  onNewProject?: (source: string) => void
}

/** Every registered source: its branches, when they were seen, and who hands it out. */
export function Sources({ onOpenProject, onNewProject }: SourcesProps) {
  const t = useT()
  const sources = useSources()
  const connections = useConnections()
  const [search, setSearch] = useState('')
  const [registering, setRegistering] = useState(false)
  const [retiring, setRetiring] = useState<SourceView | null>(null)
  const box = useRef<HTMLInputElement>(null)
  useKeys({ '/': () => box.current?.focus(), n: () => setRegistering(true) })
  const all = sources.data ?? []
  const shown = all.filter((source) => matches(search, source.name, ...source.projects.map((project) => project.name)))
  return (
    <div className="flex flex-col gap-4 px-6 py-5" data-testid="sources">
      <header className="flex flex-wrap items-center gap-3">
        <h1 className="text-xl">{t('sources.title')}</h1>
        <span className="text-muted">{t('sources.count', { count: all.length })}</span>
        <div className="ms-auto flex items-center gap-2">
          <SearchBox inputRef={box} value={search} onChange={setSearch} label={t('sources.search')} />
          <Button kind="primary" icon="plus" shortcut="N" onClick={() => setRegistering(true)} data-testid="source-register">
            {t('sources.register')}
          </Button>
        </div>
      </header>
      {sources.error && !sources.data && <Trouble error={sources.error} onRetry={() => void sources.refetch()} />}
      {sources.isPending && <Skeleton width="60%" />}
      {sources.data && all.length === 0 && (
        <Empty
          icon="sources"
          title={t('sources.empty.title')}
          action={
            <Button kind="primary" onClick={() => setRegistering(true)}>
              {t('sources.register')}
            </Button>
          }
        >
          {t('sources.empty.text')}
        </Empty>
      )}
      {all.length > 0 && shown.length === 0 && <p className="text-muted">{t('sources.nothing')}</p>}
      <ul className="flex flex-col gap-3">
        {shown.map((source) => (
          <SourceCard
            key={source.id}
            source={source}
            onRetire={() => setRetiring(source)}
            onOpenProject={onOpenProject}
            onNewProject={onNewProject}
          />
        ))}
      </ul>
      {registering && <RegisterDialog connections={connections.data ?? []} onClose={() => setRegistering(false)} />}
      {retiring && <RetireDialog source={retiring} onClose={() => setRetiring(null)} />}
    </div>
  )
}
