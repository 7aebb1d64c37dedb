import { Trouble } from '@/features/errors'
import type { ProjectRow } from '@/ipc'
import { useT } from '@/messages'
import { Button } from '@/ui/Button'
import { Icon } from '@/ui/Icon'
import type { Refusal, Together } from './useTogether'

interface SelectionBarProps {
  rows: readonly ProjectRow[]
  together: Together
  onArchive: (into: boolean) => void
  onClear: () => void
}

/** What may be done with the selected projects. */
export function SelectionBar({ rows, together, onArchive, onClear }: SelectionBarProps) {
  const t = useT()
  const into = rows.some((row) => row.state !== 'archived')
  const recipients = rows.reduce((all, row) => all + row.recipients, 0)
  return (
    <div className="flex flex-wrap items-center gap-2" data-testid="projects-selected">
      <span className="font-semibold" role="status">
        {t('recipients.selected', { count: rows.length })}
      </span>
      {into && (
        <Button
          kind="primary"
          icon="arrowRight"
          shortcut="S"
          busy={together.busy}
          title={t('projects.recipients', { count: recipients })}
          onClick={() => void together.sync(rows)}
          data-testid="sync-selected"
        >
          {t('projects.sync_selected', { count: rows.length })}
        </Button>
      )}
      <Button shortcut="A" busy={together.busy} onClick={() => onArchive(into)} data-testid="archive-selected">
        {t(into ? 'projects.archive' : 'projects.unarchive')}
      </Button>
      <button
        type="button"
        className="icon-btn"
        aria-label={t('recipients.clear')}
        title={`${t('recipients.clear')} (Esc)`}
        onClick={onClear}
      >
        <Icon name="cross" size={12} />
      </button>
    </div>
  )
}

/** The projects that did not take part, each with its reason and the one thing to do about it. */
export function Refusals({ refused, onDismiss }: { refused: readonly Refusal[]; onDismiss: () => void }) {
  const t = useT()
  if (refused.length === 0) return null
  return (
    <section className="mx-4 mb-3 flex flex-col gap-2" aria-label={t('projects.refused', { count: refused.length })} data-testid="refusals">
      <div className="flex items-center justify-between gap-2">
        <h2 className="text-sm">{t('projects.refused', { count: refused.length })}</h2>
        <button type="button" className="icon-btn" aria-label={t('common.close')} onClick={onDismiss}>
          <Icon name="cross" size={12} />
        </button>
      </div>
      {refused.map(({ row, error }) => (
        <div key={row.id} className="flex flex-col gap-1">
          <bdi className="font-semibold">{row.name}</bdi>
          <Trouble error={error} />
        </div>
      ))}
    </section>
  )
}
