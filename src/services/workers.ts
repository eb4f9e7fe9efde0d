import type { Worker } from '../events/due.ts'
import type { Deps } from './deps.ts'
import { numberService } from './numbers.ts'
import { purchaseService, purchaseWork } from './purchases.ts'
import { subscriptionService } from './subscriptions.ts'

/** Who does which kind of due work. */
export function workersOf(deps: Deps): Readonly<Record<string, Worker>> {
  const numbers = numberService(deps)
  const purchases = purchaseService(deps)
  const subscriptions = subscriptionService(deps)
  return {
    [purchaseWork]: (row) => purchases.resume(Number(row.subject)),
    subscription: (row) => subscriptions.renew(Number(row.subject), row.id),
    release: (row) => numbers.end(row.account_id, Number(row.subject)),
  }
}
