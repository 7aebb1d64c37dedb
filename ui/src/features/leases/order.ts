import { isHeld, leaseLife } from '@/domain/lease'
import { matches } from '@/domain/names'
import type { LeaseCard, LeaseState } from '@/ipc'

export type Filter = 'all' | 'held' | 'attention' | 'free'
export const FILTERS = ['all', 'held', 'attention', 'free'] as const

export interface BoardView {
  filter: Filter
}

export const PLAIN_BOARD: BoardView = { filter: 'all' }

/** What needs a person stands first, what runs next, what rests last. */
const RANK: Record<LeaseState, number> = { reclaimable: 0, late: 1, clock_ahead: 1, unknown: 2, live: 3, free: 4 }

function passes(state: LeaseState, filter: Filter): boolean {
  switch (filter) {
    case 'all':
      return true
    case 'held':
      return isHeld(state)
    case 'attention':
      return RANK[state] < RANK.live
    case 'free':
      return state === 'free'
  }
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** The leases that are shown, in order. */
export function arrange(cards: readonly LeaseCard[], search: string, filter: Filter, now: number): LeaseCard[] {
  return cards
    .map((card) => ({ card, state: leaseLife(card, now).state }))
    .filter(({ card, state }) => passes(state, filter) && matches(search, card.projectName, `${card.person} ${card.host}`))
    .sort((a, b) => RANK[a.state] - RANK[b.state] || collator.compare(a.card.projectName, b.card.projectName))
    .map(({ card }) => card)
}

/** What the order depends on, as one short text: while it stays, nothing moves. */
export function signature(cards: readonly LeaseCard[], now: number): string {
  return cards.map((card) => `${RANK[leaseLife(card, now).state]}${card.person}`).join('|')
}
