import type { SortKey } from '@/domain/causes'

/** How much of a branch a row shows: outcome and pull request in words, as icons with a number, or the outcome alone. */
export type BranchLook = 'words' | 'short' | 'icon'

export interface Plan {
  /** For `grid-template-columns`. */
  template: string
  /** How many columns. */
  count: number
  branch: BranchLook
  label: boolean
  deadline: boolean
  last: boolean
  /** Below this the table scrolls sideways; in rem. */
  minRem: number
}

/** Smallest widths in rem. */
const SELECT = 1.25
const REPO = 8
const LABEL = 6
const DEADLINE = 11.5
const LAST = 6
const GAP = 0.75
const SIDES = 2
const BRANCH: Record<BranchLook, number> = { words: 13.25, short: 6.25, icon: 1.75 }

type Shown = Pick<Plan, 'label' | 'deadline' | 'last'>
const ALL: Shown = { label: true, deadline: true, last: true }
const NO_LAST: Shown = { ...ALL, last: false }
const NO_DATES: Shown = { ...NO_LAST, deadline: false }
const NONE: Shown = { label: false, deadline: false, last: false }

/** What is given up first stands first: words of a branch that the group names anyway, then dates, then people. */
const STEPS: [BranchLook, Shown][] = [
  ['words', ALL],
  ['short', ALL],
  ['short', NO_LAST],
  ['short', NO_DATES],
  ['short', NONE],
  ['icon', NO_LAST],
  ['icon', NO_DATES],
  ['icon', NONE],
]

function planOf(branch: BranchLook, shown: Shown, count: number): Plan {
  const fixed: [boolean, number, string][] = [
    [true, SELECT, `${SELECT}rem`],
    [true, REPO, `minmax(${REPO}rem, 1.2fr)`],
    [shown.label, LABEL, `minmax(${LABEL}rem, 1fr)`],
    [shown.deadline, DEADLINE, `minmax(${DEADLINE}rem, 1fr)`],
  ]
  const each = branch === 'words' ? `minmax(${BRANCH.words}rem, 2fr)` : `${BRANCH[branch]}rem`
  const columns = [
    ...fixed,
    ...Array.from({ length: count }, (): [boolean, number, string] => [true, BRANCH[branch], each]),
    [shown.last, LAST, `${LAST}rem`] as [boolean, number, string],
  ].filter(([there]) => there)
  const widths = columns.reduce((sum, [, width]) => sum + width, 0)
  return {
    template: columns.map(([, , track]) => track).join(' '),
    count: columns.length,
    branch,
    ...shown,
    minRem: widths + (columns.length - 1) * GAP + SIDES,
  }
}

/**
 * The columns that fit into so many rem: the first step that does, and the narrowest when none does (ten branches in a
 * very narrow window scroll). What the table is sorted by is never given up.
 */
export function planColumns(rem: number, branches: number, sort: SortKey): Plan {
  const kept: Partial<Shown> = sort === 'repo' ? {} : { [sort]: true }
  const plans = STEPS.map(([branch, shown]) => planOf(branch, { ...shown, ...kept }, branches))
  const fits = plans.find((plan) => plan.minRem <= rem)
  return fits ?? plans.reduce((least, plan) => (plan.minRem < least.minRem ? plan : least))
}
