/**
 * What the window reads, each under a key that carries its tags: the feed names tags, and whatever wears one is read
 * again. Live rows, leases and runs do not pass through here; they go straight into the live stores.
 */
import { QueryClient, type QueryKey, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { calls, type Tag } from '@/ipc'
import { clock } from '@/live/clock'
import { rowsOf } from '@/live/rows'
import { liveRuns } from '@/live/runs'

export const queryClient = new QueryClient({
  defaultOptions: {
    // The feed says when something is stale; a failed read is shown with its remedy instead of being repeated blindly.
    queries: { staleTime: Number.POSITIVE_INFINITY, retry: false, refetchOnWindowFocus: false, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
})

export const keys = {
  info: ['info'] as const,
  preferences: ['preferences'] as const,
  connections: ['connections'] as const,
  hint: ['practice'] as const,
  sources: ['sources'] as const,
  projects: ['projects'] as const,
  project: (id: string) => ['project', id] as const,
  recipients: (project: string) => ['recipients', project] as const,
  runs: (project: string) => ['runs', project] as const,
  allRuns: ['all-runs'] as const,
  leases: ['leases'] as const,
  leaseHistories: ['lease-history'] as const,
  leaseHistory: (project: string | null) => ['lease-history', project] as const,
}

function keysOf(tag: Tag): QueryKey[] {
  switch (tag.kind) {
    case 'projects':
      // Which leases there are follows the projects; how they stand comes by the feed.
      return [keys.projects, keys.leases]
    case 'project':
      return [keys.project(tag.id), keys.projects]
    case 'recipients':
      return [keys.recipients(tag.project)]
    case 'runs':
      return [keys.runs(tag.project), keys.allRuns]
    case 'sources':
      return [keys.sources]
    case 'leases':
      return [keys.leaseHistories]
    case 'connections':
      return [keys.connections, keys.info]
  }
}

/** Reads again whatever wears one of the tags. */
export function readAgain(tags: readonly Tag[]): void {
  for (const tag of tags) for (const queryKey of keysOf(tag)) void queryClient.invalidateQueries({ queryKey })
}

/** After the link to the database was broken: everything. */
export function readAllAgain(): void {
  void queryClient.invalidateQueries()
}

export function useInfo() {
  return useQuery({
    queryKey: keys.info,
    queryFn: async () => {
      const info = await calls.appInfo()
      clock.read(info.database.now)
      return info
    },
  })
}

export function usePreferences() {
  return useQuery({ queryKey: keys.preferences, queryFn: () => calls.preferencesGet() })
}

export function useConnections() {
  return useQuery({ queryKey: keys.connections, queryFn: () => calls.connectionList() })
}

export function usePracticeHint(enabled: boolean) {
  return useQuery({ queryKey: keys.hint, queryFn: () => calls.practiceHint(), enabled })
}

export function useSources() {
  return useQuery({ queryKey: keys.sources, queryFn: () => calls.sourceList() })
}

export function useProjects() {
  return useQuery({
    queryKey: keys.projects,
    queryFn: async () => {
      const rows = await calls.projectList()
      for (const row of rows) liveRuns.takeLease(row.lease)
      return rows
    },
  })
}

export function useProject(id: string) {
  return useQuery({
    queryKey: keys.project(id),
    queryFn: async () => {
      const view = await calls.projectGet(id)
      liveRuns.takeLease(view.row.lease)
      if (view.run) liveRuns.takeRun(view.run)
      return view
    },
  })
}

export function useRecipients(project: string) {
  return useQuery({
    queryKey: keys.recipients(project),
    queryFn: async () => {
      const live = rowsOf(project)
      const mark = live.mark()
      const rows = await calls.recipientList(project)
      live.replace(rows, mark)
      return rows.length
    },
  })
}

/** All leases of the database; the live store has what changed since. */
export function useLeases() {
  return useQuery({
    queryKey: keys.leases,
    queryFn: async () => {
      const cards = await calls.leaseList()
      for (const card of cards) liveRuns.takeLease(card)
      return cards
    },
  })
}

/** Events of one page of the history. */
const HISTORY_PAGE = 40

/** What happened to one lease, or to all, newest first. */
export function useLeaseHistory(project: string | null) {
  return useInfiniteQuery({
    queryKey: keys.leaseHistory(project),
    queryFn: ({ pageParam }) => calls.leaseHistory(project, pageParam, HISTORY_PAGE),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.before,
  })
}

/** The newest runs of all projects. */
export function useAllRuns() {
  return useQuery({ queryKey: keys.allRuns, queryFn: () => calls.runList(null) })
}

export function useRuns(project: string) {
  return useQuery({ queryKey: keys.runs(project), queryFn: () => calls.runList(project) })
}
