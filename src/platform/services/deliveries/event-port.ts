import type { Delivery } from '../../../contract/control/deliveries.ts'
import type { DeliveryRow } from '../../store/deliveries/deliveries.ts'
import type { OutboxRow } from '../../store/deliveries/outbox.ts'
import type { JobRow } from '../../store/runtime/scheduled-jobs.ts'

/** A request to a webhook that is sent once, and whose answer is used. */
export interface WebhookRequest {
  readonly account: number
  readonly assistant: number
  readonly event: Delivery['event']
  readonly url: string
  readonly payload: object
}

/** What a copy of a delivery has instead of the original. */
export interface CopyChanges {
  readonly url?: string | undefined
  readonly payload?: object | undefined
  /** Additional headers. They never replace the signature. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Where events leave the platform. Services receive it with their dependencies; the platform registers the deliverer. */
export interface EventPort {
  /** Scheduled job: starts an attempt for each delivery. */
  start(due: readonly JobRow[]): Promise<void>
  /**
   * Sends a request to a webhook while a call rings; it is not retried. Returns the response body, or undefined without
   * a successful response.
   */
  request(question: WebhookRequest): Promise<string | undefined>
  /**
   * Sends a copy of a delivery once, under its own message id and with its own signature. The original is not changed.
   * Returns the copy with its result.
   */
  sendCopy(original: DeliveryRow, changes: CopyChanges): Promise<DeliveryRow>
  /** Returns an event as a webhook of its account would receive it, with the signature headers. */
  sign(event: OutboxRow): Promise<{ readonly headers: Record<string, string>; readonly body: string }>
}
