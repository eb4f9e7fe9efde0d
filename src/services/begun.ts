import { findSendByKey } from '../store/channel-messages.ts'
import type { Query } from '../store/connection.ts'
import { findPurchaseByKey } from '../store/purchases.ts'

/** Whether a spend under this key has left a row to go on with. A process may die between claiming a key and beginning the work. */
export const isBegun = async (query: Query, account: number, key: string, since: number): Promise<boolean> =>
  ((await findPurchaseByKey(query, account, key, since)) ?? (await findSendByKey(query, account, key, since))) !== undefined
