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
 * the time it ran. So an account with many or long jobs does not delay the jobs of others.
 */
export class FairQueue<T, K extends number | string = number> {
  /** In the order of turns: the next one first. */
  private readonly accounts = new Map<K, Account<T>>()
  private waiting = 0

  /** Number of jobs of an account that were taken and have not ended. */
  runningOf(account: K): number {
    return this.accounts.get(account)?.running ?? 0
  }

  add(account: K, item: T): void {
    this.waiting += 1
    const known = this.accounts.get(account)
    if (known) known.items.push(item)
    else this.accounts.set(account, { items: [item], credit: quantumMs, running: 0 })
  }

  /** Counts a job of an account as running that did not wait in the queue. */
  begin(account: K): void {
    const known = this.accounts.get(account)
    if (known) known.running += 1
    else this.accounts.set(account, { items: [], credit: quantumMs, running: 1 })
  }

  /** Returns the next job, of the accounts for which `mayRun` is true; undefined if there is none. */
  take(mayRun: (runningOfAccount: number) => boolean = () => true): T | undefined {
    if (this.waiting === 0) return undefined
    const waiting = [...this.accounts].filter(([, client]) => client.items.length > 0 && mayRun(client.running))
    if (waiting.length === 0) return undefined
    const indebted = Math.max(...waiting.map(([, client]) => client.credit))
    // No account has credit: as many rounds at once as the first one needs.
    if (indebted <= 0) {
      const rounds = Math.floor(-indebted / quantumMs) + 1
      for (const [, client] of waiting) client.credit = Math.min(quantumMs, client.credit + rounds * quantumMs)
    }
    const [id, chosen] = waiting.find(([, client]) => client.credit > 0) as [K, Account<T>]
    chosen.running += 1
    // The turn passes to the next account.
    this.accounts.delete(id)
    this.accounts.set(id, chosen)
    this.waiting -= 1
    return chosen.items.shift()
  }

  /** Charges an account for a job that ended. */
  end(account: K, usedMs: number): void {
    const client = this.accounts.get(account)
    if (!client) return
    client.running -= 1
    client.credit -= usedMs
    if (client.items.length === 0 && client.running === 0) this.accounts.delete(account)
  }

  /** Removes and returns all waiting jobs. */
  clear(): T[] {
    this.waiting = 0
    return [...this.accounts.values()].flatMap((it) => it.items.splice(0))
  }
}
