import { findPurchaseByKey } from '../../store/billing/purchases.ts'
import { findCallByKey } from '../../store/calls/phone-calls.ts'
import { findMessageByKey } from '../../store/conversations/messages.ts'
import type { Query } from '../../store/database/connection.ts'
import { findSendByKey } from '../../store/messaging/channel-messages.ts'
import { findSmsByKey } from '../../store/messaging/sms-messages.ts'

/** Tables in which a billable operation stores a row under its idempotency key. */
const keyFinders = [findPurchaseByKey, findSendByKey, findMessageByKey, findCallByKey, findSmsByKey] as const

/**
 * Returns whether a billable operation stored a row under this key since a time. A process may crash after it claims a
 * key and before it stores a row.
 */
export async function hasStartedOperation(query: Query, account: number, key: string, since: number): Promise<boolean> {
  for (const find of keyFinders) if (await find(query, account, key, since)) return true
  return false
}
