import { useState } from 'react'
import { useAddSource, useCreateProject, useImportRecipients } from '@/api/actions'
import { repoRef } from '@/domain/names'
import type { ApiFailure, ImportedView, SourceView } from '@/ipc'
import type { Draft } from './draft'
import { rosterInput } from './RosterFields'

export type Stage = 'idle' | 'creating' | 'importing' | 'done'

export interface Creation {
  stage: Stage
  /** Set as soon as the project exists, also when its recipients could not be imported. */
  project: string | null
  imported: ImportedView | null
  failure: ApiFailure | null
  create: (draft: Draft, sources: readonly SourceView[]) => Promise<string | null>
}

/** Registers the source if need be, creates the project, imports its recipients. Called again, it goes on where it
 * failed: a project that exists is not made twice. */
export function useCreate(): Creation {
  const addSource = useAddSource()
  const createProject = useCreateProject()
  const importRecipients = useImportRecipients()
  const [stage, setStage] = useState<Stage>('idle')
  const [project, setProject] = useState<string | null>(null)
  const [imported, setImported] = useState<ImportedView | null>(null)
  const [failure, setFailure] = useState<ApiFailure | null>(null)

  const sourceOf = async (draft: Draft, sources: readonly SourceView[]): Promise<string> => {
    if (draft.choice.kind === 'registered') return draft.choice.id
    const repo = repoRef(draft.repo) ?? draft.repo
    const known = sources.find((source) => source.name.toLowerCase() === repo.toLowerCase())
    return known?.id ?? (await addSource.mutateAsync({ connection: draft.connection, repo })).id
  }

  const makeProject = async (draft: Draft, sources: readonly SourceView[]): Promise<string> => {
    const source = await sourceOf(draft, sources)
    const made = await createProject.mutateAsync({
      name: draft.name.trim(),
      source,
      branches: [...draft.branches],
      strategy: draft.strategy,
      distribution: repoRef(draft.distribution) ?? draft.distribution,
      adopt: draft.adopt,
      deadline: draft.deadline ? new Date(draft.deadline).getTime() : null,
    })
    setProject(made.project)
    return made.project
  }

  const create = async (draft: Draft, sources: readonly SourceView[]): Promise<string | null> => {
    setFailure(null)
    try {
      setStage('creating')
      const id = project ?? (await makeProject(draft, sources))
      const roster = rosterInput(draft.roster)
      if (roster) {
        setStage('importing')
        setImported(await importRecipients.mutateAsync({ project: id, roster }))
      }
      setStage('done')
      return id
    } catch (error) {
      setStage('idle')
      setFailure(error as ApiFailure)
      return null
    }
  }
  return { stage, project, imported, failure, create }
}
