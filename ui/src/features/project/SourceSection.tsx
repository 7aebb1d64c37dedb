import { useState } from 'react'
import { useCheckSource } from '@/api/actions'
import { shortSha } from '@/domain/format'
import { ERRORS } from '@/errors/words'
import { AheadChip } from '@/features/ahead/AheadChip'
import { Trouble } from '@/features/errors'
import type { AheadView, CommitView, PendingBranch, ProjectView } from '@/ipc'
import { useT } from '@/messages'
import { Age, useAge } from '@/ui/Age'
import { Icon } from '@/ui/Icon'

/** How many commits stand under a branch before the rest goes behind a button. */
const INLINE = 2

function Commit({ commit, full }: { commit: CommitView; full: boolean }) {
  return (
    <li className="commit">
      <code>{commit.short}</code>
      <bdi className={full ? 'wrap-anywhere' : 'cell'} title={commit.subject}>
        {commit.subject}
      </bdi>
      <span className="cell text-end" title={commit.author}>
        {full && <bdi>{commit.author}, </bdi>}
        <Age at={commit.at} />
      </span>
    </li>
  )
}

/** The commits behind the number: the newest at once, all with one click. */
function Commits({ pending, ahead }: { pending: PendingBranch; ahead: AheadView }) {
  const t = useT()
  const [open, setOpen] = useState(false)
  const all = pending.commits
  const shown = open ? all : all.slice(0, INLINE)
  const hidden = Math.max(all.length, ahead.number ?? 0) - shown.length
  const id = `commits-${ahead.branch}`
  return (
    <>
      <ol id={id} className="commits" aria-label={t('source.commits')} data-open={open}>
        {shown.map((commit) => (
          <Commit key={commit.short} commit={commit} full={open} />
        ))}
        {open && hidden > 0 && <li>{t('source.more_commits', { n: hidden })}</li>}
      </ol>
      <button
        type="button"
        className="fold"
        aria-expanded={open}
        aria-controls={id}
        aria-label={t(open ? 'source.hide_commits' : 'source.show_commits', { branch: ahead.branch })}
        onClick={() => setOpen(!open)}
        data-testid="show-commits"
      >
        <Icon name={open ? 'chevronUp' : 'chevron'} size={12} />
        {open ? t('source.commits') : hidden > 0 ? t('source.more_commits', { n: hidden }) : t('source.commits')}
      </button>
    </>
  )
}

/** Which head was handed out, and which is seen at the source. */
function Heads({ view }: { view: AheadView }) {
  const moved = view.handedOut !== null && view.seen !== null && view.handedOut !== view.seen
  return (
    <code className="text-muted">
      {moved ? `${shortSha(view.handedOut)} → ${shortSha(view.seen)}` : shortSha(view.seen ?? view.handedOut)}
    </code>
  )
}

function Branch({ view, pending }: { view: AheadView; pending: PendingBranch | undefined }) {
  const t = useT()
  const files = pending?.netFiles ?? 0
  return (
    <li className="flex flex-col gap-0.5" data-testid="branch" data-branch={view.branch}>
      <div className="flex items-center justify-between gap-3">
        <code className="cell font-semibold" title={view.branch}>
          {view.branch}
        </code>
        <AheadChip ahead={view} />
      </div>
      <div className="flex items-baseline justify-between gap-3 text-sm text-muted">
        <span className="cell">
          {files > 0 ? t('source.net_files', { count: files }) : view.updateNumber > 0 && t('source.update', { n: view.updateNumber })}
        </span>
        <Heads view={view} />
      </div>
      {pending && pending.commits.length > 0 && <Commits pending={pending} ahead={view} />}
    </li>
  )
}

export function SourceSection({ view }: { view: ProjectView }) {
  const t = useT()
  const check = useCheckSource()
  const seen = useAge(view.sourceCheckedAt)
  const look = () => {
    if (!check.isPending) check.mutate(view.sourceId)
  }
  return (
    <section aria-labelledby="source-title" data-testid="source">
      <div className="caption">
        <h2 id="source-title">{t('source.title')}</h2>
        <span className="flex items-center gap-1 text-muted">
          {view.sourceCheckedAt === null ? t('source.never_seen') : t('source.seen', { age: seen })}
          <button
            type="button"
            className="icon-btn -me-1"
            aria-label={t('source.check')}
            title={t('source.check')}
            aria-busy={check.isPending || undefined}
            onClick={look}
            data-testid="look-again"
          >
            <Icon name="refresh" size={13} />
          </button>
        </span>
      </div>
      <ul className="flex flex-col gap-2.5">
        {view.row.ahead.map((ahead) => (
          <Branch key={ahead.branch} view={ahead} pending={view.pending.find((one) => one.branch === ahead.branch)} />
        ))}
      </ul>
      {view.sourceTrouble && !check.error && (
        <p className="tone-warn flex gap-1.5" data-testid="source-trouble">
          <span className="mt-0.5 flex-none">
            <Icon name="warn" />
          </span>
          <span>{t('source.trouble', { what: t(ERRORS[view.sourceTrouble].title) })}</span>
        </p>
      )}
      <Trouble error={check.error} onRetry={look} onDismiss={check.reset} />
    </section>
  )
}
