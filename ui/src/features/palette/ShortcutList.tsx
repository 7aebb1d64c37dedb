import { type MessageKey, useT } from '@/messages'
import { Kbd } from '@/ui/Button'
import { Dialog } from '@/ui/Dialog'

const GROUPS: { title: MessageKey; keys: [keys: string[], does: MessageKey][] }[] = [
  {
    title: 'keys.everywhere',
    keys: [
      [['Ctrl', 'K'], 'keys.palette'],
      [['1', '2', '3', '4'], 'keys.screens'],
      [['/'], 'keys.search'],
      [['S'], 'keys.sync'],
      [['N'], 'keys.new'],
      [['?'], 'keys.help'],
      [['Esc'], 'keys.escape'],
    ],
  },
  {
    title: 'keys.in_lists',
    keys: [
      [['↑', '↓'], 'keys.move'],
      [['Home', 'End', 'PgUp', 'PgDn'], 'keys.ends'],
      [['Enter'], 'keys.enter'],
      [['Space'], 'keys.select'],
      [['Ctrl', 'A'], 'keys.all'],
      [['I'], 'keys.details'],
      [['P'], 'keys.pull'],
      [['L'], 'keys.lock'],
      [['R'], 'keys.retry'],
      [['A'], 'keys.archive'],
      [['C'], 'keys.cancel_lease'],
      [['R'], 'keys.reclaim_lease'],
    ],
  },
]

export function ShortcutList({ open, onClose }: { open: boolean; onClose: () => void }) {
  const t = useT()
  return (
    <Dialog open={open} onClose={onClose} title={t('keys.title')} testId="keys">
      {GROUPS.map((group) => (
        <section key={group.title}>
          <h3 className="label mb-1 text-muted">{t(group.title)}</h3>
          <dl className="grid grid-cols-[9.5rem_1fr] gap-y-1.5">
            {group.keys.map(([keys, does]) => (
              <div key={does} className="contents">
                <dt className="flex flex-wrap gap-1">
                  {keys.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                  <span className="sr-only">{keys.join(' ')}</span>
                </dt>
                <dd>{t(does)}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  )
}
