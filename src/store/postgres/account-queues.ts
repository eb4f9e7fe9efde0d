import type { QueuedTransaction, TransactionGroup } from './transaction-group.ts'

/** Maximum number of accounts whose transactions share a COMMIT. */
const maxAccounts = 16
/** Minimum number: fewer accounts need as many round trips together as alone. */
const minAccounts = 4
/** Maximum number of accounts of which it is known that they should run alone. */
const maxAlone = 1000

/**
 * Queues of the transactions of accounts. Those of one account run one after the other. Accounts that wait for a
 * connection at the same time share a transaction of the database, so that a busy server needs fewer round trips.
 */
export class AccountQueues {
  /** Queues of all accounts that wait or run. A group that runs takes what is added in the meantime. */
  readonly #queues = new Map<number, QueuedTransaction[]>()
  /** Accounts that wait, in the order of arrival. */
  readonly #waiting = new Set<number>()
  /** Accounts that would delay others: they are slow, or another server has their lock. */
  readonly #alone = new Set<number>()

  get hasWaiting(): boolean {
    return this.#waiting.size > 0
  }

  add(account: number, transaction: QueuedTransaction): void {
    const queue = this.#queues.get(account)
    if (queue) {
      queue.push(transaction)
      return
    }
    this.#queues.set(account, [transaction])
    this.#waiting.add(account)
  }

  /** Returns a group of accounts that have waited longest; undefined if none waits. `end` it after its run. */
  take(): AccountGroup | undefined {
    const [first] = this.#waiting
    if (first === undefined) return undefined
    const accounts = [first]
    if (!this.#alone.has(first))
      for (const it of this.#waiting) {
        if (accounts.length >= maxAccounts) break
        if (it !== first && !this.#alone.has(it)) accounts.push(it)
      }
    if (accounts.length < minAccounts) accounts.length = 1
    for (const it of accounts) this.#waiting.delete(it)
    return new AccountGroup(
      accounts.map((account) => ({ account, queue: this.#queues.get(account) as QueuedTransaction[] })),
    )
  }

  /** Ends the run of a group. Accounts with transactions left wait again. */
  end({ members, slow }: AccountGroup): void {
    if (this.#alone.size > maxAlone) this.#alone.clear()
    for (const { account, queue } of members) {
      if (slow.has(account)) this.#alone.add(account)
      else this.#alone.delete(account)
      if (queue.length > 0) this.#waiting.add(account)
      else this.#queues.delete(account)
    }
  }
}

interface Member {
  readonly account: number
  readonly queue: QueuedTransaction[]
}

/** Accounts whose transactions run in one transaction of the database, one of each account in turn. */
export class AccountGroup implements TransactionGroup {
  readonly members: readonly Member[]
  /** Accounts that run alone next time. */
  readonly slow = new Set<number>()
  #turn = 0

  constructor(members: readonly Member[]) {
    this.members = members
  }

  get scope(): TransactionGroup['scope'] {
    const accounts = this.members.map((it) => it.account)
    return accounts.length === 1 ? { account: accounts[0] as number } : { accounts }
  }

  next(): QueuedTransaction | undefined {
    for (let tries = 0; tries < this.members.length; tries++) {
      const { account, queue } = this.members[this.#turn++ % this.members.length] as Member
      const transaction = this.slow.has(account) ? undefined : queue.shift()
      if (transaction) return transaction
    }
    return undefined
  }

  onLocked(accounts: ReadonlySet<number>): void {
    for (const { account } of this.members) if (!accounts.has(account)) this.slow.add(account)
  }

  onSlow({ scope }: QueuedTransaction): void {
    if (typeof scope === 'object' && 'account' in scope) this.slow.add(scope.account)
  }

  requeue(transactions: readonly QueuedTransaction[]): void {
    for (const { account, queue } of this.members)
      queue.unshift(
        ...transactions.filter(
          ({ scope }) => typeof scope === 'object' && 'account' in scope && scope.account === account,
        ),
      )
  }

  takeAll(): QueuedTransaction[] {
    return this.members.flatMap(({ queue }) => queue.splice(0))
  }
}
