import type { ReactNode } from 'react'
import { openLink } from '@/api/actions'
import { formatDateTime } from '@/domain/format'
import type { ProjectView } from '@/ipc'
import { useTicking } from '@/live/hooks'
import { translate, useT } from '@/messages'
import { Chip } from '@/ui/Chip'
import { SourceLink } from './SourceSection'

function Due({ at }: { at: number }) {
  const words = useTicking((now) =>
    translate(at < now ? 'project.was_due' : 'project.due', { when: formatDateTime(at, now) }),
  )
  return <span>{words}</span>
}

export function ProjectHeader({ view, action }: { view: ProjectView; action: ReactNode }) {
  const t = useT()
  const { row, distribution, distributionUrl } = view
  const [before = '', after = ''] = t('project.from', { source: '\u0000' }).split('\u0000')
  return (
    <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 px-4 pt-3.5 pb-3">
      <div className="min-w-0 flex-1 basis-96">
        <div className="flex items-center gap-2">
          <h1 className="text-xl wrap-anywhere">{row.name}</h1>
          {row.state !== 'published' && <Chip>{t(row.state === 'draft' ? 'projects.draft' : 'projects.archived')}</Chip>}
        </div>
        <p className="facts text-muted">
          <span>
            {before}
            <SourceLink name={row.source} url={view.sourceUrl} />
            {after}
          </span>
          {distribution && (
            <span>
              {t('project.distribution')}{' '}
              {distributionUrl ? (
                <button type="button" className="link mono" title={t('common.on_github')} onClick={() => openLink(distributionUrl)}>
                  {distribution}
                </button>
              ) : (
                <code>{distribution}</code>
              )}
            </span>
          )}
          <span>{t(`project.strategy.${row.strategy}`)}</span>
          <span>{t('project.recipients', { count: row.recipients })}</span>
          {row.deadline !== null && <Due at={row.deadline} />}
        </p>
        {view.note && <p className="text-muted wrap-anywhere">{view.note}</p>}
      </div>
      {action}
    </header>
  )
}
