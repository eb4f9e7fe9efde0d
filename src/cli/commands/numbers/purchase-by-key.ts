import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { property } from '../../../client/response-body.ts'
import { failures, wireCode } from '../../../contract/errors/failures.ts'
import type { Output } from '../../../contract/mechanics/endpoint.ts'
import { numbers } from '../../../contract/resources/numbers.ts'
import type { Context } from '../../context.ts'
import { settleKey } from '../../operations/run-with-key.ts'

export type Purchase = Output<typeof numbers.buy>

/** What a key of the user's was used for. */
export interface EarlierPurchase {
  /** The purchase that was made under it. */
  readonly answer?: Purchase
  /** The key for the nth number that is tried, from 0: a number that was refused keeps its key. */
  readonly keyOf: (n: number) => string
}

/** So many numbers are tried one after the other at most. */
const maxNumbers = 3

/**
 * Asks a platform that honours idempotency keys what was bought under one. Buys nothing: `candidate` only fills the field that the platform wants.
 * @throws ClientFailure `unknown` while a purchase under the key is under way
 */
export async function findPurchaseByKey(context: Context, key: string, candidate: string): Promise<EarlierPurchase> {
  const keyAt = (n: number): string => (n === 0 ? key : `${key}-${n + 1}`)
  let used = 0
  for (; used < maxNumbers; used++) {
    const more = { idempotencyKey: keyAt(used), isOutcomeQuery: true, acceptsAnyStatus: true }
    const { status, output } = await context.call.raw(numbers.buy, { phone_number: candidate }, more)
    if (status >= 200 && status < 300 && property(output, 'data') !== undefined) {
      await settleKey(context, keyAt(used))
      return { answer: output as Purchase, keyOf: keyAt }
    }
    if (status === 409 || status >= 500) throw inProgressError(key)
    // Somebody else had taken the number: under the next key there may be the purchase of another one.
    if (status !== failures['numbers.not_available'].status) break
  }
  const from = used
  return { keyOf: (n) => keyAt(from + n) }
}

const inProgressError = (key: string): ClientFailure =>
  new ClientFailure({
    exit: 'unknown',
    code: wireCode('idempotency_busy'),
    message: `A purchase under the key "${key}" is still under way, or the platform cannot tell. Nothing was sent.`,
    hint: 'Run the same command again in a minute.',
    sent: false,
  })
