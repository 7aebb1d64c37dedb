/** What a person does: one mutation per command, each reading again what it changed (the feed does the same a moment
 * later; the person should not have to wait for it). */
import { useMutation } from '@tanstack/react-query'
import { type ApiFailure, type Tag, calls } from '@/ipc'
import { keys, queryClient, readAgain } from './queries'

function useAction<In, Out>(act: (input: In) => Promise<Out>, tags: (input: In, out: Out) => Tag[]) {
  return useMutation<Out, ApiFailure, In>({
    mutationFn: act,
    onSuccess: (out, input) => readAgain(tags(input, out)),
  })
}

export function useConnect() {
  return useAction(calls.connectionAdd, () => [{ kind: 'connections' }])
}

export function usePracticeStart() {
  return useAction(
    async (_: void) => {
      const connection = await calls.practiceStart()
      await queryClient.invalidateQueries({ queryKey: keys.hint })
      return connection
    },
    () => [{ kind: 'connections' }],
  )
}

export function useSavePreferences() {
  return useMutation<Awaited<ReturnType<typeof calls.preferencesSet>>, ApiFailure, Parameters<typeof calls.preferencesSet>[0]>({
    mutationFn: (input) => calls.preferencesSet(input),
    onSuccess: (saved) => {
      queryClient.setQueryData(keys.preferences, saved)
      void queryClient.invalidateQueries({ queryKey: keys.info })
    },
  })
}

export function useAddSource() {
  return useAction(
    (input: { connection: string; repo: string }) => calls.sourceAdd(input.connection, input.repo),
    () => [{ kind: 'sources' }],
  )
}

export function useCheckSource() {
  return useAction(
    (source: string) => calls.sourceCheck(source),
    (_, view) => [{ kind: 'sources' }, { kind: 'projects' }, ...view.projects.map((p) => ({ kind: 'project' as const, id: p.id }))],
  )
}

export function useRetireSource() {
  return useAction((source: string) => calls.sourceRetire(source), () => [{ kind: 'sources' }, { kind: 'projects' }])
}

export function useCreateProject() {
  return useAction(calls.projectCreate, () => [{ kind: 'projects' }, { kind: 'sources' }])
}

export function useImportRecipients() {
  return useAction(
    (input: { project: string; roster: Parameters<typeof calls.recipientImport>[1] }) =>
      calls.recipientImport(input.project, input.roster),
    ({ project }) => [{ kind: 'recipients', project }, { kind: 'project', id: project }],
  )
}

export function useEditRecipients(project: string) {
  return useAction(
    (edit: Parameters<typeof calls.recipientEdit>[1]) => calls.recipientEdit(project, edit),
    () => [{ kind: 'recipients', project }, { kind: 'project', id: project }],
  )
}

export function useStartSync() {
  return useAction(calls.syncStart, (input) => [
    { kind: 'project', id: input.project },
    { kind: 'runs', project: input.project },
  ])
}

export function useCancelRun() {
  return useAction(
    (input: { project: string; fence: string; reason: string }) =>
      calls.runCancel(input.project, input.fence, input.reason),
    ({ project }) => [{ kind: 'project', id: project }, { kind: 'leases' }],
  )
}

export function useReclaim() {
  return useAction(
    (input: { project: string; fence: string }) => calls.leaseReclaim(input.project, input.fence),
    ({ project }) => [{ kind: 'project', id: project }, { kind: 'runs', project }, { kind: 'leases' }],
  )
}

export function useArchiveProject() {
  return useAction(
    (input: { project: string; archived: boolean }) => calls.projectArchive(input.project, input.archived),
    ({ project }) => [{ kind: 'project', id: project }],
  )
}

/** Opens a page in the person's browser. */
export function openLink(url: string): void {
  void calls.linkOpen(url)
}
