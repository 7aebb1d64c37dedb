import type { Code } from '@/ipc'
import type { MessageKey } from '@/messages'

/** The one button beside an error. */
export type Remedy = 'retry' | 'projects' | 'sources' | 'settings' | 'connect' | 'watch' | 'reload' | 'dismiss'

export interface ErrorWords {
  /** What happened. */
  title: MessageKey
  /** What to do. */
  hint: MessageKey
  remedy: Remedy
}

function words<C extends Code>(code: C, remedy: Remedy): ErrorWords {
  return { title: `error.${code}`, hint: `error.${code}.do`, remedy }
}

/** Every code has words and a button; one without is a type error. */
export const ERRORS: Record<Code, ErrorWords> = {
  project_missing: words('project_missing', 'projects'),
  source_missing: words('source_missing', 'sources'),
  store_split: words('store_split', 'retry'),
  project_archived: words('project_archived', 'projects'),
  distribution_missing: words('distribution_missing', 'projects'),
  app_not_installed: words('app_not_installed', 'retry'),
  installation_suspended: words('installation_suspended', 'retry'),
  sync_in_progress: words('sync_in_progress', 'watch'),
  source_gone: words('source_gone', 'sources'),
  source_branch_gone: words('source_branch_gone', 'sources'),
  source_rewritten: words('source_rewritten', 'sources'),
  source_bounds: words('source_bounds', 'retry'),
  would_reveal_source: words('would_reveal_source', 'retry'),
  distribution_public: words('distribution_public', 'retry'),
  distribution_owned: words('distribution_owned', 'dismiss'),
  distribution_changed: words('distribution_changed', 'retry'),
  distribution_failed: words('distribution_failed', 'retry'),
  store_unusable: words('store_unusable', 'retry'),
  collect_failed: words('collect_failed', 'retry'),
  publication_failed: words('publication_failed', 'retry'),
  lease_lost: words('lease_lost', 'watch'),
  cancelled: words('cancelled', 'dismiss'),
  quit: words('quit', 'dismiss'),
  not_reclaimable: words('not_reclaimable', 'reload'),
  already_finished: words('already_finished', 'reload'),
  bad_credentials: words('bad_credentials', 'connect'),
  permission_missing: words('permission_missing', 'retry'),
  forge_unreachable: words('forge_unreachable', 'retry'),
  not_a_forge: words('not_a_forge', 'dismiss'),
  rate_limited: words('rate_limited', 'retry'),
  repository_not_found: words('repository_not_found', 'retry'),
  git_missing: words('git_missing', 'settings'),
  git_too_old: words('git_too_old', 'settings'),
  database_unusable: words('database_unusable', 'retry'),
  database_newer: words('database_newer', 'dismiss'),
  data_folder_unusable: words('data_folder_unusable', 'retry'),
  secrets_unusable: words('secrets_unusable', 'retry'),
  bad_input: words('bad_input', 'dismiss'),
  bad_roster: words('bad_roster', 'dismiss'),
  already_exists: words('already_exists', 'dismiss'),
  not_found: words('not_found', 'reload'),
  bug: words('bug', 'retry'),
}

/** Codes whose text names what the person wrote: which line, which name, which address. */
export const TELLS: ReadonlySet<Code> = new Set<Code>([
  'bad_input',
  'bad_roster',
  'already_exists',
  'repository_not_found',
  'permission_missing',
  'source_branch_gone',
  'would_reveal_source',
])
