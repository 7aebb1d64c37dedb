import { useRetireSource } from '@/api/actions'
import { formatList } from '@/domain/format'
import { HeldTrouble } from '@/features/lease'
import type { SourceView } from '@/ipc'
import { useT } from '@/messages'
import { Button } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'
import { say } from '@/ui/toasts'

/** Says in numbers what stops, and asks once. */
export function RetireDialog({ source, onClose }: { source: SourceView; onClose: () => void }) {
  const t = useT()
  const retire = useRetireSource()
  const projects = source.projects.map((project) => project.name)
  const text =
    projects.length === 0
      ? t('sources.retire_text_none')
      : t('sources.retire_text', { count: projects.length, projects: formatList(projects) })
  const done = () => {
    say(t('sources.retired', { name: source.name }))
    onClose()
  }
  const button = (
    <Button
      kind="danger-solid"
      busy={retire.isPending}
      onClick={() => retire.mutate(source.id, { onSuccess: done })}
      data-testid="retire-do"
    >
      {t('sources.retire_do')}
    </Button>
  )
  return (
    <Dialog open onClose={onClose} title={t('sources.retire_title', { name: source.name })} actions={button}>
      <p>{text}</p>
      <p className="text-muted">{t('sources.retire_note')}</p>
      <HeldTrouble error={retire.error} bare />
    </Dialog>
  )
}
