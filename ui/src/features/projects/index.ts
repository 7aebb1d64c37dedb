export { ProjectsTable } from './ProjectsTable'
export { ArchiveDialog } from './ArchiveDialog'
export { Refusals } from './SelectionBar'
export { type Together, useTogether } from './useTogether'
