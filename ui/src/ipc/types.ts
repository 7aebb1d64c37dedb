import type * as Wire from './bindings'

/** What Rust may leave out is sent as null, so nothing is optional here. */
export type Firm<T> = T extends (infer Item)[]
  ? Firm<Item>[]
  : T extends object
    ? { [K in keyof T]-?: Firm<Exclude<T[K], undefined>> }
    : T

export type {
  AheadKind,
  Code,
  ConnectionKind,
  ConnectionState,
  ItemStep,
  LeaseEvent,
  LeaseReason,
  LeaseState,
  Mergeable,
  Outcome,
  PressKind,
  ProjectState,
  PullState,
  Reason,
  RecipientState,
  RunKind,
  RunStatus,
  Strategy,
  Tag,
} from './bindings'

export type ApiError = Firm<Wire.ApiError>
export type AppInfo = Firm<Wire.AppInfo>
export type AheadView = Firm<Wire.AheadView>
export type CommitView = Firm<Wire.CommitView>
export type ConnectInput = Firm<Wire.ConnectInput>
export type ConnectionView = Firm<Wire.ConnectionView>
export type Counts = Firm<Wire.Counts>
export type FeedBatch = Firm<Wire.FeedBatch>
export type ImportedView = Firm<Wire.ImportedView>
export type LeaseCard = Firm<Wire.LeaseCard>
export type LeaseEventView = Firm<Wire.LeaseEventView>
export type LeaseHistory = Firm<Wire.LeaseHistory>
export type NewProjectInput = Firm<Wire.NewProjectInput>
export type PendingBranch = Firm<Wire.PendingBranch>
export type PracticeHint = Firm<Wire.PracticeHint>
export type Preferences = Firm<Wire.Preferences>
export type PreferencesInput = Firm<Wire.PreferencesInput>
export type PressForecast = Firm<Wire.PressForecast>
export type ProgressView = Firm<Wire.ProgressView>
export type ProjectCreated = Firm<Wire.ProjectCreated>
export type ProjectRow = Firm<Wire.ProjectRow>
export type ProjectView = Firm<Wire.ProjectView>
export type PullCounts = Firm<Wire.PullCounts>
export type PullView = Firm<Wire.PullView>
export type RecipientBranchRow = Firm<Wire.RecipientBranchRow>
export type RecipientEdit = Firm<Wire.RecipientEdit>
export type RecipientRow = Firm<Wire.RecipientRow>
export type RepoHit = Firm<Wire.RepoHit>
export type RosterInput = Firm<Wire.RosterInput>
export type RunView = Firm<Wire.RunView>
export type SourceProject = Firm<Wire.SourceProject>
export type SourceView = Firm<Wire.SourceView>
export type SyncInput = Firm<Wire.SyncInput>
export type SyncStarted = Firm<Wire.SyncStarted>
