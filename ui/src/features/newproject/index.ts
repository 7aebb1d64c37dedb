export { NewProject } from './NewProject'
export { RosterFields, type RosterDraft, rosterInput, rosterProblem } from './RosterFields'
