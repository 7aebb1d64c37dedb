/**
 * A stand-in for the core, for tests and for looking at the window without one: a course with a few projects and a sync
 * that runs by itself. Never part of what is shipped.
 */
import type { Backend, Calls } from '..'
import { type FakeControls, fakeCalls } from './calls'
import { makeWorld } from './seed'
import type { FakeSync } from './sync'
import type { World } from './world'

export { failure, type FakeControls } from './calls'
export { COLLEAGUE, ME } from './make'
export { FakeSync } from './sync'
export type { FakeProject, World } from './world'

/** Stands in the text of every bundle that holds the stand-in. */
export const MARK = 'lockstep-stand-in'

export interface Fake {
  backend: Backend
  world: World
  controls: FakeControls
  /** Lets every started sync go on by itself, a step every so many milliseconds. */
  play(everyMs: number): () => void
  /** The syncs that a press started. */
  syncs: FakeSync[]
  askToQuit(runs: number): void
}

export interface FakeOptions {
  recipients?: number
  branches?: number
  now?: () => number
  empty?: boolean
}

export function makeFake(options: FakeOptions = {}): Fake {
  const world = makeWorld(options)
  const syncs: FakeSync[] = []
  const quitters = new Set<(runs: number) => void>()
  const controls: FakeControls = {
    failing: new Map<keyof Calls, never>(),
    heard: [],
    delay: 0,
    onSync: (sync) => syncs.push(sync),
  }
  return {
    world,
    controls,
    syncs,
    backend: {
      calls: fakeCalls(world, controls),
      follow: (onBatch) => world.follow(onBatch),
      onQuitAsked: (ask) => {
        quitters.add(ask)
        return () => quitters.delete(ask)
      },
    },
    play(everyMs) {
      const timer = setInterval(() => {
        for (const sync of syncs) sync.tick()
      }, everyMs)
      return () => clearInterval(timer)
    },
    askToQuit: (runs) => {
      for (const ask of quitters) ask(runs)
    },
  }
}
