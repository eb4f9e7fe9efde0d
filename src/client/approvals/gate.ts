import type { Endpoint } from '../../contract/endpoint/endpoint.ts'
import type { PlainRequest } from '../../contract/endpoint/http-message.ts'
import type { OperationOutcome } from '../journal/open-operations.ts'

/** A request that does more than read, as it would be sent. */
export interface GatedRequest {
  readonly endpoint: Endpoint
  readonly input: unknown
  readonly request: PlainRequest
  /** Price in USD, if the caller has read it. */
  readonly priceUsd?: number | undefined
  /** Highest price in USD, if the exact one is not known. */
  readonly maxPriceUsd?: number | undefined
}

/** An admitted request. */
export interface Admission {
  /** Idempotency key of the request, the same when an interrupted operation is resumed. */
  readonly idempotencyKey?: string
  /** Records the outcome of the request. */
  settle(outcome: OperationOutcome): Promise<void>
}

/**
 * Decides about a request that does more than read. Returns undefined if none is required. Rejects with ClientFailure if it
 * must not be sent: `consent` after it was stored for a person's decision, `conflict` if it is not what was approved. The
 * command line has one (gate.ts of program/approvals), which stores the path and the body of `request` in a plan: an approval
 * is for these.
 */
export type Gate = (request: GatedRequest) => Promise<Admission | undefined>
