import type { Query, WriteScope } from '../database/connection.ts'

/** A transaction that waits to be run. */
export interface QueuedTransaction {
  readonly scope: WriteScope
  readonly body: (query: Query) => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  attempts: number
  /** Time until which it is repeated when the connection is lost, set at the first loss. */
  deadline: number | undefined
}

/** Transactions that may share a COMMIT. */
export interface TransactionGroup {
  /** What they decide on; `accounts` if they are those of several accounts. */
  readonly scope: WriteScope | { readonly accounts: readonly number[] }
  /** Takes the next transaction; undefined if there is none. */
  next(): QueuedTransaction | undefined
  /** Receives which of several accounts are locked. The others are not locked because another server has the lock. */
  onLocked?(accounts: ReadonlySet<number>): void
  /** Receives a transaction that took long. */
  onSlow?(transaction: QueuedTransaction): void
  /** Puts transactions back, before the others and in their order. */
  requeue(transactions: readonly QueuedTransaction[]): void
  /** Takes all transactions. */
  takeAll(): QueuedTransaction[]
}

/** Returns the group of a queue whose transactions have the same scope. */
export const queueGroup = (queue: QueuedTransaction[]): TransactionGroup => ({
  get scope() {
    return (queue[0] as QueuedTransaction).scope
  },
  next: () => queue.shift(),
  requeue: (transactions) => void queue.unshift(...transactions),
  takeAll: () => queue.splice(0),
})
