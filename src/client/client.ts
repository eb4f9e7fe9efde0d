import type { Endpoint, Input, Output } from '../contract/endpoint/endpoint.ts'
import type { PlainResponse } from '../contract/endpoint/http-message.ts'
import type { Gate } from './approvals/gate.ts'
import type { BillableOptions, BudgetCheck, Journal, JournalEntry, Selection } from './journal/open-operations.ts'
import type { AuthenticatorOptions, KeySource } from './requests/authenticator.ts'
import type { DeploymentFormat } from './requests/build-request.ts'
import type { Log } from './requests/log.ts'
import type { Transport } from './transport/transport.ts'

/** Options of a client. */
export interface ClientOptions extends DeploymentFormat {
  readonly transport: Transport
  readonly key?: KeySource
  readonly replacedKey?: NonNullable<AuthenticatorOptions['replacedKey']>
  readonly controlToken?: string
  /** Maximum retries after the first attempt (default: 3). */
  readonly retries?: number
  /** Timeout of one attempt in milliseconds (default: 30 000). */
  readonly timeoutMs?: number
  readonly userAgent?: string
  readonly log?: Log
  /** Called before every delay, so that callers can report what they wait for. */
  readonly onWait?: (wait: Wait) => void
  /** Called with the output of every successful response, as callers receive it, and its headers. */
  readonly onResponse?: (endpoint: Endpoint, output: unknown, headers: PlainResponse['headers']) => void
  /** Opens the operations journal, where billable operations are recorded before they are sent. Called on first use. */
  readonly journal?: () => Promise<Journal>
  /** Name of the profile, for the journal. */
  readonly profile?: string
  /** The platform, for the journal (default: the address of the transport). */
  readonly platform?: string
  readonly billable?: BillableOptions
  /** Decides about every request that needs approval, right before it is sent. Without it, none needs approval. */
  readonly gate?: Gate
  /**
   * Masks that are refused in a body instead of a credential: those of this program (`own`, the default), or also values
   * that have the form of a mask, whichever platform wrote it.
   */
  readonly refusedMasks?: 'own' | 'all'
  /** Name of the vocabulary of requests, for messages: `neutral`, `public`, or a file. */
  readonly vocabulary?: string
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Returns a random number from 0 to 1. */
  readonly random: () => number
  /** Returns milliseconds since 1970. */
  readonly now: () => number
  /**
   * Returns a new request id or idempotency key (default: `createRequestId` and `crypto.randomUUID`). It must never
   * repeat a value: a repeated key is a repeated purchase.
   */
  readonly newId?: () => string
}

/** A delay before a retry. */
export interface Wait {
  readonly waitMs: number
  /** The failed attempt, counted from 1. */
  readonly attempt: number
  /** The reason as a clause, such as `The platform returned 429` or `Connection refused by http://127.0.0.1:4010`. */
  readonly reason: string
}

/** Options of one call. */
export interface CallSettings {
  readonly idempotencyKey?: string
  /** The criteria by which the CLI chose the number of a purchase. */
  readonly selection?: Selection
  /** Price of a billable operation in USD, if it is known, for the journal. */
  readonly priceUsd?: number | undefined
  /** Price of a started minute of a call in USD, if it is known, for the journal. */
  readonly minutePriceUsd?: number | undefined
  /** Highest price in USD, if the exact one is not known. It is compared with budgets, and is not an amount. */
  readonly maxPriceUsd?: number | undefined
  /**
   * Whether the caller tracks open operations of earlier runs itself, as bulk commands do. Open journal entries do not
   * stop the call then.
   */
  readonly isTracked?: boolean
  /** With `isTracked`: returns an entry of another process that stops the call, right before its own is written. */
  readonly findEarlier?: () => JournalEntry | undefined
  /** Compares a billable operation with a budget, right before its journal entry is written. */
  readonly requireBudget?: BudgetCheck | undefined
  /** Whether the call reverts a write of the same command that failed. It needs no approval of its own. */
  readonly isReversal?: true
  readonly signal?: AbortSignal
  /** Timeout of one attempt of this call in milliseconds. */
  readonly timeoutMs?: number
  /**
   * Queries the outcome of an earlier billable operation under `idempotencyKey` without starting one. Use it only with
   * a platform that is known to support this: any other would treat it as a new request.
   */
  readonly isOutcomeQuery?: boolean
  /** Further request headers, by lower-case names: those of a capability the platform advertises. */
  readonly headers?: Readonly<Record<string, string>>
  /** Awaited before each attempt is sent, after the journal entry, to limit the rate. A rejection cancels the call. */
  readonly beforeAttempt?: () => Promise<void> | undefined
  /** Called before every delay of this call, instead of the client's `onWait`. */
  readonly onWait?: (wait: Wait) => void
  /**
   * Returns every response as a reply, including errors. The output is the JSON in neutral vocabulary, or undefined
   * without JSON. For inspecting responses: billable operations are not recorded.
   */
  readonly acceptsAnyStatus?: boolean
  /** With `acceptsAnyStatus`: also returns a 429, without a retry. */
  readonly acceptsThrottled?: boolean
  /**
   * Returns the response of a write that was accepted but lacks what the contract promises, such as an empty one, with
   * `incomplete` set. The caller then reads what was written. Not for billable operations.
   */
  readonly acceptsIncomplete?: boolean
  /**
   * Whether the resource of a deletion was read before. A deletion without an answer is then repeated, and done if the
   * repeated one finds nothing.
   */
  readonly wasSeen?: boolean
  /**
   * Looks for what a rejected write may have created (see `CreatedSearch`). Without it, a creation that was answered
   * with 429 has an unknown outcome on a platform without idempotency.
   */
  readonly findCreated?: CreatedSearch
}

/**
 * Reads whether a creation that was answered with 429 was carried out nevertheless. `found`: with the output of the
 * creation. `absent`: it can be repeated. `unclear`: with a sentence why it must not be.
 */
export type CreatedSearch = (request: {
  /** Local time in milliseconds at which the request was sent. */
  readonly sentAt: number
  /** When it was rejected, on the scale of `realTime.monotonicMs()`. */
  readonly rejectedAt: number
}) => Promise<
  | { readonly found: unknown }
  | { readonly absent: true }
  | { readonly unclear: string; readonly next?: readonly string[] }
>

/** A response with its metadata. */
export interface Reply<T> {
  readonly output: T
  readonly status: number
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** The platform's id of the request, else the client's. */
  readonly requestId: string
  /** Set when the platform's behavior is not defined by the specification. */
  readonly assumed?: string
  readonly attempts: number
  /** With `acceptsIncomplete`: what the response lacks, as a phrase. */
  readonly incomplete?: string
}

/**
 * The methods of the client. The endpoints of the contract define their inputs and outputs. Every failure is a
 * ClientFailure.
 */
export interface Call {
  <E extends Endpoint>(endpoint: E, input: Input<E>, more?: CallSettings): Promise<Output<E>>
  raw<E extends Endpoint>(endpoint: E, input: Input<E>, more?: CallSettings): Promise<Reply<Output<E>>>
}

/** The client of one platform. It remembers the capabilities that the platform advertises. */
export interface Client extends Call {
  /** Returns the capabilities of the platform; undefined before its first response, which may be an error. */
  capabilities(): ReadonlySet<string> | undefined
  /** Returns the payload of a webhook in neutral words. */
  readPayload(payload: unknown): unknown
}
