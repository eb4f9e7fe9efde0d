import { Failure } from '../../../../src/contract/errors/failures.ts'
import { addMonths } from '../../../../src/platform/jobs/clock.ts'
import { OwnLeases } from '../../../../src/platform/jobs/leases.ts'
import { charge, refundByReference, setBalance, topUp } from '../../../../src/platform/services/billing/ledger.ts'
import { purchaseService } from '../../../../src/platform/services/billing/purchase-service.ts'
import { subscriptionService } from '../../../../src/platform/services/billing/subscription-service.ts'
import { numberService } from '../../../../src/platform/services/numbers/number-service.ts'
import type { Deps } from '../../../../src/platform/services/runtime/deps.ts'
import { type AccountRow, findAccount, insertAccount } from '../../../../src/platform/store/accounts/accounts.ts'
import type { SubscriptionRow } from '../../../../src/platform/store/billing/subscriptions.ts'
import { accountQuery } from '../../../../src/platform/store/database/account-query.ts'
import type { AccountQuery, Connection } from '../../../../src/platform/store/database/connection.ts'
import { listNumbers } from '../../../../src/platform/store/numbers/numbers.ts'
import type { SeededRandom } from '../../../soak/cluster/seeded-random.ts'

const hour = 3_600_000_000
/** First words of the references of charges to a balance, and one that is of no kind. */
const words = ['call', 'chat', 'message', 'sms', 'misc'] as const

/** A charge or refund of the payment processor, in micro-USD. */
export interface CardRecord {
  readonly at: number
  readonly amount: number
}

/** What a history did to an account, recorded beside the ledger. */
export interface History {
  readonly account: AccountRow
  /** Charges and refunds of the balance, in millionths of its unit. */
  readonly spent: { readonly at: number; readonly word: string; readonly amount: number }[]
  readonly toppedUp: { readonly at: number; readonly amount: number }[]
  readonly cards: CardRecord[]
  /** The last state of each subscription, and when its first period started. */
  readonly subscriptions: Map<number, { readonly row: SubscriptionRow; readonly startedAt: number }>
}

/** One world of accounts: services over a database, with a clock that only goes forward and a processor that may decline. */
export function billingWorld(connection: Connection, random: SeededRandom) {
  let now = Date.UTC(2026, 0, 3) * 1000
  let sequence = 0
  let current: History | undefined
  const prices = [1_150_000, 1_300_000, 2_000_000, 999_999]
  const charges = new Map<string, number>()
  const providers = {
    payments: {
      price: () => ({ amount: prices[sequence % prices.length] as number, priceId: 'price' }),
      charge: async (key: string, { amount }: { amount: number }) => {
        if (random.next() < 0.15) return { ok: false, reason: 'declined' }
        charges.set(key, amount)
        current?.cards.push({ at: now, amount })
        return { ok: true, chargeId: key }
      },
      refund: async (_key: string, chargeId: string) => {
        current?.cards.push({ at: now, amount: -(charges.get(chargeId) ?? 0) })
        return { ok: true }
      },
    },
    telephony: {
      find: async (phoneNumber: string) => ({ phoneNumber, country: 'US', region: null, smsCapable: true }),
      order: async () => (random.next() < 0.1 ? { ok: false, reason: 'none' } : { ok: true, sid: `sid-${sequence}` }),
      release: async () => ({ ok: true }),
    },
  }
  const clock = { now: async () => now }
  const deps = {
    connection,
    clock,
    providers,
    owner: 'test',
    leases: new OwnLeases(),
    wall: () => 0,
  } as unknown as Deps
  const [purchases, subscriptions, numbers] = [purchaseService(deps), subscriptionService(deps), numberService(deps)]

  async function fresh(): Promise<History> {
    const account = await connection.write('rows', (query) =>
      insertAccount(query, {
        name: 'A',
        email: 'a@b.example',
        kind: random.next() < 0.5 ? 'tenant' : 'direct',
        balance: 0,
        minute_rate: random.between(1, 900_000),
        payment_method: 'pm_card_visa',
        created_at: now - random.between(0, 60) * 24 * hour,
      }),
    )
    return { account, spent: [], toppedUp: [], cards: [], subscriptions: new Map() }
  }

  const balanceOf = async ({ account }: History): Promise<number> =>
    (await findAccount(connection.read, account.id))?.balance ?? 0

  /** Runs a movement and records by how much it changed the balance. */
  async function move(history: History, word: string | undefined, body: (query: AccountQuery) => Promise<unknown>) {
    const before = await balanceOf(history)
    await connection.write({ account: history.account.id }, body)
    const amount = before - (await balanceOf(history))
    if (word === undefined && amount < 0) history.toppedUp.push({ at: now, amount: -amount })
    else if (amount !== 0) history.spent.push({ at: now, word: word ?? 'misc', amount })
  }

  async function advance(history: History): Promise<void> {
    now += random.between(1, 30 * 24) * hour
    for (const owned of await listNumbers(accountQuery(connection.read, history.account.id))) {
      for (let tries = 0; tries < 3; tries++) {
        const { subscription: due } =
          (await listNumbers(accountQuery(connection.read, history.account.id))).find(
            (one) => one.number.id === owned.number.id,
          ) ?? {}
        if (!due || due.period_end > now) break
        if (due.status === 'ending') await numbers.finishRelease(history.account.id, owned.number.id)
        else
          await subscriptions.renew({
            id: sequence++,
            account_id: history.account.id,
            subject: String(due.id),
            due_at: now,
            attempts: 0,
          })
        await remember(history)
      }
    }
  }

  async function remember(history: History): Promise<void> {
    for (const { number, subscription: row } of await listNumbers(accountQuery(connection.read, history.account.id)))
      if (row) history.subscriptions.set(row.id, { row, startedAt: number.created_at })
  }

  const steps: Readonly<Record<string, (history: History) => Promise<void>>> = {
    topUp: (history) =>
      move(history, undefined, (query) =>
        topUp(query, history.account, random.between(1, 50_000_000), { reason: 'Top-up', now }),
      ),
    async charge(history) {
      const word = random.pick(words)
      const reference = word === 'misc' ? `misc ${sequence++}` : `${word}-${sequence++}-${now}-charge`
      await move(history, word, (query) =>
        charge(query, history.account, random.between(1, 3_000_000), { reason: 'x', reference, now }),
      )
      if (random.next() < 0.3)
        await move(history, word, (query) =>
          refundByReference(query, history.account, reference, {
            reason: 'x',
            reference: word === 'misc' ? `misc ${sequence++}` : reference.replace('charge', 'refund'),
            now,
          }),
        )
    },
    // A correction is neither spent nor added.
    set: async (history) =>
      connection.write({ account: history.account.id }, (query) =>
        setBalance(query, history.account, random.between(0, 20_000_000), { reason: 'Balance set', now }),
      ),
    async buy(history) {
      const number = `+1415${2_000_000 + (sequence++ % 7_000_000)}`
      // Declined and failed purchases are part of the history.
      await purchases.buy(history.account, number).catch((error: unknown) => {
        if (!(error instanceof Failure)) throw error
      })
      await remember(history)
    },
    async release(history) {
      const [owned] = await listNumbers(accountQuery(connection.read, history.account.id))
      if (owned?.subscription && owned.subscription.status !== 'ending')
        await numbers.release(history.account.id, owned.number.id)
    },
    advance,
  }
  const order = [
    'topUp',
    'charge',
    'charge',
    'charge',
    'buy',
    'buy',
    'advance',
    'advance',
    'advance',
    'set',
    'release',
  ] as const

  return {
    deps,
    now: () => now,
    /** Makes an account and a random history of it. */
    async history(): Promise<History> {
      const history = await fresh()
      current = history
      await steps.topUp?.(history)
      for (let n = random.between(3, 30); n > 0; n--) await steps[random.pick(order)]?.(history)
      await remember(history)
      return { ...history, account: (await findAccount(connection.read, history.account.id)) as AccountRow }
    },
  }
}

/** Returns what a subscription record says was paid: its price for each period that has started. */
export function paidBy({ row, startedAt }: { readonly row: SubscriptionRow; readonly startedAt: number }): number {
  let periods = 0
  for (let at = startedAt; at < row.period_end; at = addMonths(at, 1, row.anchor)) periods++
  return periods * row.price
}
