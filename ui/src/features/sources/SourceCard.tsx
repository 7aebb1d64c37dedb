import { useCheckSource } from '@/api/actions'
import { openLink } from '@/api/actions'
import { formatAge, formatList, shortSha } from '@/domain/format'
import { ERRORS } from '@/errors/words'
import { Trouble } from '@/features/errors'
import type { AheadView, SourceView } from '@/ipc'
import { useTicking } from '@/live/hooks'
import { useT } from '@/messages'
import { Button } from '@/ui/Button'
import { Problem } from '@/ui/Field'
import { Icon } from '@/ui/Icon'
import { AheadChip } from '@/features/ahead/AheadChip'

interface SourceCardProps {
  source: SourceView
  onRetire: () => void
  onOpenProject: ((project: string) => void) | undefined
  onNewProject: ((source: string) => void) | undefined
}

export function SourceCard({ source, onRetire, onOpenProject, onNewProject }: SourceCardProps) {
  const t = useT()
  const check = useCheckSource()
  return (
    <li className="panel flex flex-col" data-testid="source">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5">
        <button type="button" className="mono font-semibold wrap-anywhere hover:underline" onClick={() => openLink(source.url)}>
          {source.name} <Icon name="external" size={11} className="inline text-faint" />
        </button>
        <span className="text-muted">{t('sources.via', { connection: source.connection })}</span>
        <Seen at={source.checkedAt} />
        <div className="ms-auto flex items-center gap-2">
          <Button
            size="small"
            icon="refresh"
            busy={check.isPending}
            aria-label={t('sources.check_named', { name: source.name })}
            onClick={() => check.mutate(source.id)}
          >
            {check.isPending ? t('sources.checking') : t('sources.check')}
          </Button>
          {onNewProject && (
            <Button size="small" kind="quiet" icon="plus" onClick={() => onNewProject(source.id)}>
              {t('sources.new_project')}
            </Button>
          )}
          <Button size="small" kind="quiet" aria-label={t('sources.retire_named', { name: source.name })} onClick={onRetire}>
            {t('sources.retire')}
          </Button>
        </div>
      </div>
      <Alarms source={source} />
      {check.error && (
        <div className="px-4 pb-2">
          <Trouble error={check.error} onRetry={() => check.mutate(source.id)} onDismiss={check.reset} />
        </div>
      )}
      <div className="grid grid-cols-2 gap-x-8 border-t border-line px-4 py-2 max-md:grid-cols-1">
        <Heads source={source} />
        <Projects source={source} onOpenProject={onOpenProject} />
      </div>
    </li>
  )
}

function Seen({ at }: { at: number | null }) {
  const t = useT()
  const age = useTicking((now) => (at === null ? '' : formatAge(now - at)))
  return <span className="text-faint">{at === null ? t('sources.never') : t('sources.seen', { age })}</span>
}

/** What needs a person. */
function Alarms({ source }: { source: SourceView }) {
  const t = useT()
  const rewritten = new Set<string>()
  const gone = new Set<string>()
  for (const ahead of source.projects.flatMap((project): readonly AheadView[] => project.ahead)) {
    if (ahead.kind === 'rewritten') rewritten.add(ahead.branch)
    if (ahead.kind === 'branch_gone') gone.add(ahead.branch)
  }
  if (!source.trouble && rewritten.size === 0 && gone.size === 0) return null
  return (
    <div className="flex flex-col gap-1 px-4 pb-2">
      {source.trouble && (
        <Problem>
          {t(ERRORS[source.trouble].title)} {t(ERRORS[source.trouble].hint)}
        </Problem>
      )}
      {rewritten.size > 0 && <Problem>{t('sources.alarm.rewritten', { branches: formatList([...rewritten]) })}</Problem>}
      {gone.size > 0 && <Problem>{t('sources.alarm.branch_gone', { branches: formatList([...gone]) })}</Problem>}
    </div>
  )
}

function Heads({ source }: { source: SourceView }) {
  const t = useT()
  return (
    <table className="w-full">
      <caption className="sr-only">{t('sources.head')}</caption>
      <thead className="sr-only">
        <tr>
          <th scope="col">{t('sources.branch')}</th>
          <th scope="col">{t('sources.head')}</th>
        </tr>
      </thead>
      <tbody>
        {source.heads.map((head) => (
          <tr key={head.branch}>
            <td className="mono py-0.5 wrap-anywhere">{head.branch}</td>
            <td className="mono py-0.5 text-end text-muted">{head.oid ? shortSha(head.oid) : t('sources.head_gone')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Projects({ source, onOpenProject }: Pick<SourceCardProps, 'source' | 'onOpenProject'>) {
  const t = useT()
  if (source.projects.length === 0) return <p className="py-0.5 text-muted">{t('sources.no_projects')}</p>
  return (
    <ul aria-label={t('sources.projects')}>
      {source.projects.map((project) => (
        <li key={project.id} className="flex flex-wrap items-center justify-between gap-2 py-0.5">
          <button type="button" className="text-start wrap-anywhere hover:underline" onClick={() => onOpenProject?.(project.id)}>
            {project.name}
          </button>
          <span className="flex flex-wrap gap-1">
            {project.ahead.map((ahead) => (
              <AheadChip key={ahead.branch} ahead={ahead} named />
            ))}
          </span>
        </li>
      ))}
    </ul>
  )
}
