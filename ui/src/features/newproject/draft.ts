import { glance } from '@/domain/roster'
import { ownerOf, repoName, repoRef } from '@/domain/names'
import type { PracticeHint, SourceView, Strategy } from '@/ipc'
import type { MessageKey } from '@/messages'
import type { RosterDraft } from './RosterFields'

/** The source: one that is registered, or a repository to be registered when the project is created. */
export type SourceChoice = { kind: 'registered'; id: string } | { kind: 'other' }

/** A project that does not exist yet; texts are as typed. */
export interface Draft {
  connection: string
  choice: SourceChoice
  /** `owner/name` as typed, for a repository that is not registered. */
  repo: string
  branches: readonly string[]
  strategy: Strategy
  adopt: boolean
  distribution: string
  roster: RosterDraft
  name: string
  deadline: string
}

export const STEPS = ['source', 'branches', 'distribution', 'recipients', 'review'] as const
export type Step = (typeof STEPS)[number]

export function emptyDraft(connection: string, sources: readonly SourceView[], wanted?: string): Draft {
  const known = sources.find((source) => source.id === wanted) ?? sources[0]
  return {
    connection,
    choice: known ? { kind: 'registered', id: known.id } : { kind: 'other' },
    repo: '',
    branches: [],
    strategy: 'squash',
    adopt: false,
    distribution: '',
    roster: { kind: 'pattern', pattern: '', text: '' },
    name: '',
    deadline: '',
  }
}

/** The practice course, filled in. */
export function hintedDraft(hint: PracticeHint, sources: readonly SourceView[]): Draft {
  const known = sources.find((source) => source.name === hint.source)
  return {
    ...emptyDraft(hint.connection, []),
    choice: known ? { kind: 'registered', id: known.id } : { kind: 'other' },
    repo: hint.source,
    branches: ['main'],
    adopt: true,
    distribution: hint.distribution,
    roster: { kind: 'pattern', pattern: hint.pattern, text: '' },
    name: hint.project,
  }
}

/** `owner/name` of the chosen source, or null while it cannot be told. */
export function sourceName(draft: Draft, sources: readonly SourceView[]): string | null {
  const choice = draft.choice
  if (choice.kind === 'registered') return sources.find((source) => source.id === choice.id)?.name ?? null
  return repoRef(draft.repo)
}

/** What a person would have to type most often, proposed once the source is known. */
export function proposed(draft: Draft, source: string): Draft {
  return {
    ...draft,
    name: draft.name || repoName(source),
    distribution: draft.distribution || `${ownerOf(source)}/${repoName(source)}-distribution`,
    roster: draft.roster.pattern ? draft.roster : { ...draft.roster, pattern: `${ownerOf(source)}/${repoName(source)}-*` },
  }
}

/** The first thing that keeps a step from being complete. */
export function problemOf(step: Step, draft: Draft, sources: readonly SourceView[]): MessageKey | null {
  const source = sourceName(draft, sources)
  switch (step) {
    case 'source':
      if (source) return null
      return draft.choice.kind === 'other' ? 'sources.repo_bad' : 'new.source.pick'
    case 'branches':
      if (draft.branches.length === 0) return 'new.branches.pick'
      return draft.branches.length > 10 ? 'new.branches.too_many' : null
    case 'distribution': {
      const distribution = repoRef(draft.distribution)
      if (!distribution) return 'new.distribution.bad'
      return distribution.toLowerCase() === source?.toLowerCase() ? 'new.distribution.same' : null
    }
    case 'recipients':
      return rosterReady(draft.roster) ? null : 'new.recipients.need'
    case 'review':
      return draft.name.trim() === '' ? 'new.name_empty' : null
  }
}

function rosterReady(roster: RosterDraft): boolean {
  if (roster.kind === 'later') return true
  if (roster.kind === 'pattern') return repoPattern(roster.pattern) !== null
  const seen = glance(roster.text)
  return seen.rows > 0 && seen.problems.length === 0
}

/** `owner/pattern`, trimmed; null when it has not that form. */
export function repoPattern(text: string): string | null {
  const trimmed = text.trim()
  return /^[\w.-]+\/[\w.*-]+$/.test(trimmed) ? trimmed : null
}
