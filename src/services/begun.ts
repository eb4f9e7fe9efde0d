import { findSendByKey } from '../store/channel-messages.ts'
import type { Query } from '../store/connection.ts'
import { findMessageByKey } from '../store/messages.ts'
import { findCallByKey } from '../store/phone-calls.ts'
import { findPurchaseByKey } from '../store/purchases.ts'
import { findSmsByKey } from '../store/sms-messages.ts'

/** Where a spend leaves a row under its key. */
const keyFinders = [findPurchaseByKey, findSendByKey, findMessageByKey, findCallByKey, findSmsByKey] as const

/** Whether a spend under this key has left a row to go on with. A process may die between claiming a key and beginning the work. */
export async function hasStartedOperation(query: Query, account: number, key: string, since: number): Promise<boolean> {
  for (const find of keyFinders) if (await find(query, account, key, since)) return true
  return false
}
