import { useState } from 'react'
import { readAgain } from '@/api/queries'
import { type ApiError, asFailure, calls, type ProjectRow } from '@/ipc'
import { liveRuns } from '@/live/runs'
import { translate } from '@/messages'
import { say } from '@/ui/toasts'

/** A project that did not take part, and why. */
export interface Refusal {
  row: ProjectRow
  error: ApiError
}

function syncOf(row: ProjectRow): Parameters<typeof calls.syncStart>[0] {
  const selection = row.press === 'owed' ? 'owed' : 'all'
  const resumes = row.press === 'resume' ? (row.resumable?.id ?? null) : null
  return { project: row.id, selection, recipients: [], resumes }
}

/**
 * Does one thing to several projects, one after the other: each has its own lease and its own answer, and what one
 * refuses keeps no other from it.
 */
export function useTogether() {
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState<readonly Refusal[]>([])
  const each = async (rows: readonly ProjectRow[], act: (row: ProjectRow) => Promise<unknown>): Promise<number> => {
    setBusy(true)
    const refusals: Refusal[] = []
    for (const row of rows) {
      try {
        await act(row)
      } catch (error) {
        const { api } = asFailure(error)
        if (api.holder) liveRuns.takeLease(api.holder)
        refusals.push({ row, error: api })
      }
    }
    readAgain([{ kind: 'projects' }, ...rows.map((row) => ({ kind: 'project' as const, id: row.id }))])
    setRefused(refusals)
    setBusy(false)
    return rows.length - refusals.length
  }
  return {
    busy,
    refused,
    dismiss: () => setRefused([]),
    sync: async (rows: readonly ProjectRow[]) => {
      const started = await each(rows, (row) => calls.syncStart(syncOf(row)))
      if (started > 0) say(translate('projects.together_started', { count: started }), 'info')
    },
    archive: async (rows: readonly ProjectRow[], archived: boolean) => {
      const done = await each(rows, (row) => calls.projectArchive(row.id, archived))
      if (done > 0) say(translate(archived ? 'projects.archive_done' : 'projects.unarchive_done', { count: done }))
    },
  }
}

export type Together = ReturnType<typeof useTogether>
