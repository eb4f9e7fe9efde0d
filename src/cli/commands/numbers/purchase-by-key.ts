import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { replayedHeader } from '../../../client/failures/outcome-answer.ts'
import { property } from '../../../client/response-body.ts'
import { failures, wireCode } from '../../../contract/errors/failures.ts'
import type { Output } from '../../../contract/mechanics/endpoint.ts'
import { numbers } from '../../../contract/resources/numbers.ts'
import type { Context } from '../../context.ts'
import { settleKey } from '../../operations/run-with-key.ts'

export type Purchase = Output<typeof numbers.buy>

/** The earlier purchase under an idempotency key of the user. */
export interface EarlierPurchase {
  /** The purchase made under the key. */
  readonly answer?: Purchase
  /** The key for the nth number to try, from 0. A rejected number keeps its key. */
  readonly keyOf: (n: number) => string
}

/** Maximum number of phone numbers to try. */
const maxNumbers = 3

/**
 * Asks the platform which purchase was made under an idempotency key. Buys nothing: `candidate` only fills the required
 * field.
 *
 * @throws ClientFailure `unknown` while a purchase under the key is in progress
 */
export async function findPurchaseByKey(context: Context, key: string, candidate: string): Promise<EarlierPurchase> {
  const keyAt = (n: number): string => (n === 0 ? key : `${key}-${n + 1}`)
  let used = 0
  for (; used < maxNumbers; used++) {
    const more = { idempotencyKey: keyAt(used), isOutcomeQuery: true, acceptsAnyStatus: true }
    const reply = await context.call.raw(numbers.buy, { phone_number: candidate }, more)
    const { status, output, headers } = reply
    if (status >= 200 && status < 300 && property(output, 'data') !== undefined) {
      await settleKey(context, keyAt(used), reply)
      return { answer: output as Purchase, keyOf: keyAt }
    }
    if (status === 409 || status >= 500) throw inProgressError(key)
    // The number was already taken: the next key may hold the purchase of another number. An error of a gateway does not
    // say so.
    if (status !== failures['numbers.not_available'].status || headers[replayedHeader] === undefined) break
  }
  const from = used
  return { keyOf: (n) => keyAt(from + n) }
}

const inProgressError = (key: string): ClientFailure =>
  new ClientFailure({
    exit: 'unknown',
    code: wireCode('idempotency_busy'),
    message: `A purchase with the idempotency key "${key}" is in progress, or its outcome is unknown. Nothing was sent.`,
    hint: 'Run the same command again in a minute.',
    sent: false,
  })
