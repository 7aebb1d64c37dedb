import type { ReactNode } from 'react'
import { openLink } from '@/api/actions'
import { formatDateTime } from '@/domain/format'
import type { ProjectView } from '@/ipc'
import { useTicking } from '@/live/hooks'
import { translate, useT } from '@/messages'
import { Chip } from '@/ui/Chip'

function Due({ at }: { at: number }) {
  const words = useTicking((now) =>
    translate(at < now ? 'project.was_due' : 'project.due', { when: formatDateTime(at, now) }),
  )
  return <span>{words}</span>
}

/** A repository's name that opens its page in the person's browser. */
function Repository({ name, url }: { name: string; url: string | null }) {
  const t = useT()
  if (!url) return <code>{name}</code>
  return (
    <button type="button" className="link mono wrap-anywhere" title={t('common.on_github')} onClick={() => openLink(url)}>
      {name}
    </button>
  )
}

export function ProjectHeader({ view, action }: { view: ProjectView; action: ReactNode }) {
  const t = useT()
  const { row, distribution } = view
  // The name is a link inside the sentence, so the sentence is cut where the name stands.
  const [before = '', after = ''] = t('project.from', { source: '\u0000' }).split('\u0000')
  return (
    <header className="flex flex-wrap items-center gap-x-6 gap-y-1 px-4 pt-3 pb-2.5">
      <div className="flex min-w-0 flex-1 basis-72 items-center gap-2.5">
        <h1 className="text-xl wrap-anywhere">{row.name}</h1>
        {row.state !== 'published' && <Chip>{t(row.state === 'draft' ? 'projects.draft' : 'projects.archived')}</Chip>}
      </div>
      {action}
      <p className="facts basis-full text-muted">
        <span>
          {before}
          <Repository name={row.source} url={view.sourceUrl} />
          {after}
        </span>
        {distribution && (
          <span>
            {t('project.distribution')} <Repository name={distribution} url={view.distributionUrl} />
          </span>
        )}
        <span>{t(`project.strategy.${row.strategy}`)}</span>
        <span>{t('project.recipients', { count: row.recipients })}</span>
        {row.deadline !== null && <Due at={row.deadline} />}
      </p>
      {view.note && <p className="basis-full text-muted wrap-anywhere">{view.note}</p>}
    </header>
  )
}
