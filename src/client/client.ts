import type { Endpoint, Input, Output } from '../contract/mechanics/endpoint.ts'
import type { PlainResponse } from '../contract/mechanics/http-message.ts'
import type { Journal } from './journal/journal.ts'
import type { BillableOptions, Selection } from './journal/open-operations.ts'
import type { KeySource } from './requests/authenticator.ts'
import type { DeploymentFormat } from './requests/build-request.ts'
import type { Log } from './requests/log.ts'
import type { Transport } from './transport/transport.ts'

export interface ClientOptions extends DeploymentFormat {
  readonly transport: Transport
  readonly key?: KeySource
  readonly controlToken?: string
  /** Further tries after the first; 3 unless given. */
  readonly retries?: number
  /** Milliseconds for one try; 30 000 unless given. */
  readonly timeoutMs?: number
  readonly userAgent?: string
  readonly log?: Log
  /** Told before every pause, so that nobody wonders what takes so long. */
  readonly onWait?: (wait: Wait) => void
  /** Told what was answered, as the commands get it, and with which headers. */
  readonly onResponse?: (endpoint: Endpoint, output: unknown, headers: PlainResponse['headers']) => void
  /** Where spends are written down before they leave; opened at the first one. */
  readonly journal?: () => Promise<Journal>
  /** Name of the profile, for the journal. */
  readonly profile?: string
  readonly billable?: BillableOptions
  /** Name of the vocabulary that requests are written in, for people: `neutral`, `public`, or a file. */
  readonly vocabulary?: string
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** 0 to 1. */
  readonly random: () => number
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Makes request ids and idempotency keys (default: `createRequestId` and `crypto.randomUUID`). Must never repeat itself: a repeated key is a repeated purchase. */
  readonly newId?: () => string
}

export interface Wait {
  readonly waitMs: number
  /** The try that failed, from 1. */
  readonly attempt: number
  /** Why, as a clause: `The platform answered 429`, `Nothing answers at http://127.0.0.1:4010`. */
  readonly reason: string
}

export interface CallSettings {
  readonly idempotencyKey?: string
  /** Of a purchase: what the CLI picked the number by. */
  readonly selection?: Selection
  /** Whether the caller itself knows what of an earlier run is open, as one that works through rows does: then no open entry stops it. */
  readonly isTracked?: boolean
  readonly signal?: AbortSignal
  /** Milliseconds for one try of this call. */
  readonly timeoutMs?: number
  /**
   * Asks what became of an earlier spend under `idempotencyKey`, and begins none. Only for a platform that is known to honour this: any other
   * one would take it for a new request.
   */
  readonly isOutcomeQuery?: boolean
  /** No copy of what it changes goes into the history: it belongs to a write that has one. */
  readonly skipHistory?: true
  /** Further request headers, by lower-case names: those of a capability the platform advertises. */
  readonly headers?: Readonly<Record<string, string>>
  /** Waited for before each try leaves, once it is written down: a turn in a pace. Rejects where it is not to leave at all. */
  readonly beforeAttempt?: () => Promise<void> | undefined
  /** Told before every pause of this call, instead of who is told otherwise. */
  readonly onWait?: (wait: Wait) => void
  /** Any answer is a reply, a refusal too: its JSON in neutral words and otherwise as it came, undefined where it is none. For looking at what a platform answers: a spend is not written down. */
  readonly acceptsAnyStatus?: boolean
}

/** An answer with what stood around it. */
export interface Reply<T> {
  readonly output: T
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** The platform's id of the request, else ours. */
  readonly requestId: string
  /** Set when the platform answers with behaviour the specification does not state. */
  readonly assumed?: string
  readonly attempts: number
}

/** The whole client: the contract is its list of methods. Every failure is a ClientFailure. */
export interface Call {
  <E extends Endpoint>(endpoint: E, input: Input<E>, more?: CallSettings): Promise<Output<E>>
  raw<E extends Endpoint>(endpoint: E, input: Input<E>, more?: CallSettings): Promise<Reply<Output<E>>>
}

/** The client of one platform, with what it has learnt of it. */
export interface Client extends Call {
  /** What the platform advertises; undefined before its first answer. A refusal counts as an answer. */
  capabilities(): ReadonlySet<string> | undefined
}
