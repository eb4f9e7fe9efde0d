/** Credit in milliseconds that an account has when it comes, and gets on its turn. */
const quantumMs = 100

interface Account<T> {
  readonly items: T[]
  /** Milliseconds the account may use; negative after it used more. */
  credit: number
  running: number
}

/**
 * Queue of jobs that is fair to accounts (deficit round robin). Accounts take turns; a turn adds credit, and a job costs
 * the time it ran. So an account with many or long jobs does not delay the jobs of others. Runs, code of steps, requests,
 * deliveries, connections to PostgreSQL and writes to SQLite wait in such queues.
 */
export class FairQueue<T, K extends number | string = number> {
  /** In the order of turns: the next one first. */
  private readonly accounts = new Map<K, Account<T>>()
  private waiting = 0

  /** Number of jobs that wait. */
  get size(): number {
    return this.waiting
  }

  /** Number of jobs of an account that were taken and have not ended. */
  runningOf(account: K): number {
    return this.accounts.get(account)?.running ?? 0
  }

  add(account: K, item: T): void {
    this.waiting += 1
    this.open(account).items.push(item)
  }

  /** Puts back a job that has ended and must run again, before the other jobs of its account. */
  putBack(account: K, item: T): void {
    this.waiting += 1
    this.open(account).items.unshift(item)
  }

  /** Counts a job of an account as running that did not wait in the queue. */
  begin(account: K): void {
    this.open(account).running += 1
  }

  /** Returns the next job, of the accounts for which `mayRun` is true; undefined if there is none. */
  take(mayRun: (runningOfAccount: number) => boolean = () => true): T | undefined {
    if (this.waiting === 0) return undefined
    const mayTake = ({ items, running }: Account<T>): boolean => items.length > 0 && mayRun(running)
    for (const [id, account] of this.accounts)
      if (account.credit > 0 && mayTake(account)) return this.takeFrom(id, account)
    const indebted = [...this.accounts].filter(([, account]) => mayTake(account))
    // No account has credit: as many rounds at once as the first one needs.
    const rounds = Math.floor(-Math.max(...indebted.map(([, account]) => account.credit)) / quantumMs) + 1
    for (const [, account] of indebted) account.credit = Math.min(quantumMs, account.credit + rounds * quantumMs)
    const chosen = indebted.find(([, account]) => account.credit > 0)
    return chosen && this.takeFrom(...chosen)
  }

  /** Charges an account for a job that ended. */
  end(account: K, usedMs: number): void {
    const known = this.accounts.get(account)
    if (!known) return
    known.running -= 1
    known.credit -= usedMs
    if (known.items.length === 0 && known.running === 0) this.accounts.delete(account)
  }

  /** Removes and returns all waiting jobs. */
  clear(): T[] {
    this.waiting = 0
    return [...this.accounts.values()].flatMap((it) => it.items.splice(0))
  }

  private open(id: K): Account<T> {
    const known = this.accounts.get(id)
    if (known) return known
    const account = { items: [], credit: quantumMs, running: 0 }
    this.accounts.set(id, account)
    return account
  }

  /** Takes the next job of an account. The turn passes to the next account. */
  private takeFrom(id: K, account: Account<T>): T | undefined {
    account.running += 1
    this.accounts.delete(id)
    this.accounts.set(id, account)
    this.waiting -= 1
    return account.items.shift()
  }
}
