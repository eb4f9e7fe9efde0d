/** What the load knows from responses. Names are unique, and rows contain them, so that each can be found. */
export interface LoadRecords {
  /** Ids of acknowledged leads by name. A request that had no response is in `triedLeads` only. */
  readonly leads: Map<string, number>
  readonly triedLeads: Set<string>
  readonly deletedLeads: Set<number>
  /** Leads whose deletion had no response. */
  readonly perhapsDeletedLeads: Set<number>
  /** The latest acknowledged and the latest tried value of each tool. */
  readonly tools: Map<number, { acknowledged: number; tried: number }>
  /** Acknowledged purchases: account and id by number. */
  readonly numbers: Map<string, { readonly account: number; readonly id: number }>
  /** Ids of purchased numbers by idempotency key: more than one is a double purchase. */
  readonly purchaseKeys: Map<string, Set<number>>
  /** Ids of acknowledged messages by idempotency key. */
  readonly messages: Map<string, Set<number>>
  /** Texts of acknowledged chat messages, and of those that were sent. */
  readonly chats: Set<string>
  readonly triedChats: Set<string>
  /** Ids of acknowledged runs by name. */
  readonly runs: Map<string, Set<string>>
  readonly events: Set<string>
  /** Times of accepted requests under a limit, before and after each, by account. */
  readonly limited: Map<number, { readonly sentAt: number; readonly receivedAt: number }[]>
  /** Reads that returned an older value than one that was acknowledged before. */
  readonly stale: string[]
  /** Responses that contradict earlier ones. */
  readonly wrong: string[]
}

/** Creates empty records. */
export const createRecords = (): LoadRecords => ({
  leads: new Map(),
  triedLeads: new Set(),
  deletedLeads: new Set(),
  perhapsDeletedLeads: new Set(),
  tools: new Map(),
  numbers: new Map(),
  purchaseKeys: new Map(),
  messages: new Map(),
  chats: new Set(),
  triedChats: new Set(),
  runs: new Map(),
  events: new Set(),
  limited: new Map(),
  stale: [],
  wrong: [],
})

/** Returns the number of writes that were acknowledged. */
export const countAcknowledged = (records: LoadRecords): number =>
  records.leads.size +
  records.deletedLeads.size +
  [...records.tools.values()].reduce((sum, it) => sum + it.acknowledged, 0) +
  records.numbers.size +
  records.messages.size +
  records.chats.size +
  records.runs.size +
  records.events.size

/** Adds a value to the set of a key. */
export function addTo<K, V>(map: Map<K, Set<V>>, key: K, value: V): void {
  map.set(key, (map.get(key) ?? new Set<V>()).add(value))
}
