import { findPurchaseByKey } from '../../store/billing/purchases.ts'
import { findCallByKey } from '../../store/calls/phone-calls.ts'
import { findMessageByKey } from '../../store/conversations/messages.ts'
import type { Query } from '../../store/database/connection.ts'
import { findSendByKey } from '../../store/messaging/channel-messages.ts'
import { findSmsByKey } from '../../store/messaging/sms-messages.ts'

/** Where a spend leaves a row under its key. */
const keyFinders = [findPurchaseByKey, findSendByKey, findMessageByKey, findCallByKey, findSmsByKey] as const

/** Whether a spend under this key has left a row to go on with. A process may die between claiming a key and beginning the work. */
export async function hasStartedOperation(query: Query, account: number, key: string, since: number): Promise<boolean> {
  for (const find of keyFinders) if (await find(query, account, key, since)) return true
  return false
}
