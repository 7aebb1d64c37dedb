export { ProjectsTable } from './ProjectsTable'
