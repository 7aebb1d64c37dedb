/**
 * The only door to the core. Everything else in the window imports from here and sees promises that reject with
 * {@link ApiFailure}; the generated bindings may change their form without anyone noticing.
 */
import { Channel } from '@tauri-apps/api/core'
import { commands, events } from './bindings'
import type * as Wire from './bindings'
import type { ApiError, FeedBatch, Firm } from './types'

export type * from './types'

/** What a call rejects with: the one error of every use case. */
export class ApiFailure extends Error {
  readonly api: ApiError

  constructor(api: ApiError) {
    super(api.code)
    this.name = 'ApiFailure'
    this.api = api
  }
}

type Answer<R> = R extends { status: 'ok'; data: infer D } ? D : never
type Wired = Omit<typeof commands, 'feedFollow'>

/** The command list as the window uses it. */
export type Calls = {
  [K in keyof Wired]: (...args: Parameters<Wired[K]>) => Promise<Firm<Answer<Awaited<ReturnType<Wired[K]>>>>>
}

/** The core, or a stand-in for it. */
export interface Backend {
  calls: Calls
  /** Follows the feed until the returned function is called; `onLost` says that following ended by itself. */
  follow(onBatch: (batch: FeedBatch) => void, onLost: (failure: ApiFailure) => void): () => void
  /** Told when a person closes the window while runs of this process are under way. */
  onQuitAsked(ask: (runs: number) => void): () => void
}

/** Anything that was thrown, as the one error. A foreign error is a bug, and its text stays out of sight. */
export function asFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error
  if (typeof error === 'object' && error !== null && 'code' in error && 'hint' in error) {
    return new ApiFailure(error as ApiError)
  }
  return new ApiFailure({
    code: 'bug',
    message: '',
    hint: '',
    retryable: false,
    refId: null,
    holder: null,
    waitMs: null,
  })
}

type Envelope = { status: 'ok'; data: unknown } | { status: 'error'; error: unknown }

function unwrap(call: (...args: never[]) => Promise<Envelope>) {
  return async (...args: never[]) => {
    let envelope: Envelope
    try {
      envelope = await call(...args)
    } catch (error) {
      throw asFailure(error)
    }
    if (envelope.status === 'error') throw asFailure(envelope.error)
    return envelope.data
  }
}

function core(): Backend {
  const calls: Record<string, unknown> = {}
  for (const [name, call] of Object.entries(commands)) {
    if (name !== 'feedFollow') calls[name] = unwrap(call as (...args: never[]) => Promise<Envelope>)
  }
  return {
    calls: calls as Calls,
    follow(onBatch, onLost) {
      let on = true
      const channel = new Channel<Wire.FeedBatch>((batch) => {
        if (on) onBatch(batch as FeedBatch)
      })
      unwrap(commands.feedFollow as never)(channel as never).catch((error: unknown) => {
        if (on) onLost(asFailure(error))
      })
      return () => {
        on = false
      }
    },
    onQuitAsked(ask) {
      let on = true
      // Without this event closing simply asks nobody; the core still finishes the running items.
      const listening = events.quitAsked.listen((event) => on && ask(event.payload.runs)).catch(() => null)
      return () => {
        on = false
        void listening.then((stop) => stop?.())
      }
    },
  }
}

let backend: Backend | null = null

/** Puts a stand-in in the place of the core: tests and the development page only. */
export function setBackend(standIn: Backend): void {
  backend = standIn
}

function current(): Backend {
  backend ??= core()
  return backend
}

/** Every command, by name. */
export const calls: Calls = new Proxy({} as Calls, {
  get: (_, name) => current().calls[name as keyof Calls],
})

/** See {@link Backend.follow}. */
export function follow(onBatch: (batch: FeedBatch) => void, onLost: (failure: ApiFailure) => void): () => void {
  return current().follow(onBatch, onLost)
}

/** See {@link Backend.onQuitAsked}. */
export function onQuitAsked(ask: (runs: number) => void): () => void {
  return current().onQuitAsked(ask)
}
