import type { UsageGroup } from '../../../contract/resources/billing.ts'
import { monthOf } from '../../../contract/values/calendar-periods.ts'
import { day, type Micros } from '../../../contract/values/micros.ts'
import { paidFromOf } from '../../../contract/values/money.ts'
import { basisStart, type Forecast, forecastUsage } from '../../../contract/values/usage-forecast.ts'
import { addMonths } from '../../jobs/clock.ts'
import type { AccountRow } from '../../store/accounts/accounts.ts'
import { readLedger } from '../../store/billing/ledger.ts'
import { readCampaignLimit, type SubscriptionRow } from '../../store/billing/subscriptions.ts'
import {
  findOwnerNames,
  findUsageOwners,
  type OwnedReference,
  type UsageOwner,
} from '../../store/billing/usage-owners.ts'
import { countCampaigns } from '../../store/campaigns/campaigns.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import { countRecipients } from '../../store/messaging/channel-messages.ts'
import { listSenders } from '../../store/messaging/senders.ts'
import { listNumbers, type NumberWithSubscription } from '../../store/numbers/numbers.ts'
import type { Deps } from '../runtime/deps.ts'
import { isUsage, type LedgerAmount, referencedId, type UsageTotal, UsageTotals, usageKindOf } from './usage-figures.ts'

/** Limit of an account; `max` is null if it is unlimited or unknown. */
interface AccountLimit {
  readonly limit: 'campaigns' | 'recipients_per_day'
  readonly subject: string | null
  readonly used: number
  readonly max: number | null
  readonly state: 'limited' | 'unlimited' | 'unknown'
}

/** Billing of an account. Amounts are millionths of their unit. */
export interface AccountBilling {
  readonly now: Micros
  readonly month: { readonly start: Micros; readonly end: Micros }
  readonly kinds: readonly (UsageTotal & { readonly key: ReturnType<typeof usageKindOf> })[]
  readonly charged: number
  readonly toppedUp: number
  readonly card: number
  readonly balance: number
  readonly numbers: readonly NumberWithSubscription[]
  /** Monthly price of the subscriptions that renew. */
  readonly monthly: number
  /** Earliest renewal, if there is one. */
  readonly nextCharge: Micros | null
  /** Card charges of the month: those made, and the renewals that are due before its end. */
  readonly monthCard: number
  readonly forecast: Forecast
  readonly limits: readonly AccountLimit[]
}

/** One row of usage. `key` is a day, an id or a kind; null without an assistant or campaign. */
interface GroupedUsage extends UsageTotal {
  readonly key: string | null
  readonly name: string | null
}

const renews = (subscription: SubscriptionRow | undefined): subscription is SubscriptionRow =>
  subscription !== undefined && (subscription.status === 'active' || subscription.status === 'past_due')

/** Reads what accounts spent from their ledgers. */
export function billingService({ connection, clock }: Pick<Deps, 'connection' | 'clock'>) {
  const { read } = connection

  async function limitsOf(account: number, now: Micros): Promise<AccountLimit[]> {
    const campaigns = await readCampaignLimit(accountQuery(read, account))
    const senders = await listSenders(accountQuery(read, account))
    return [
      {
        limit: 'campaigns',
        subject: null,
        used: await countCampaigns(accountQuery(read, account)),
        max: campaigns,
        state: campaigns === null ? 'unlimited' : 'limited',
      },
      ...(await Promise.all(
        senders.map(
          async (sender): Promise<AccountLimit> => ({
            limit: 'recipients_per_day',
            subject: sender.phone_number,
            used: await countRecipients(accountQuery(read, account), sender.id, now - day, ''),
            max: sender.limit_known === 0 ? null : sender.messaging_limit,
            state: sender.limit_known === 0 ? 'unknown' : sender.messaging_limit === null ? 'unlimited' : 'limited',
          }),
        ),
      )),
    ]
  }

  return {
    /** Returns balance, usage of the calendar month (UTC), numbers, forecast and limits of an account. */
    async summary({ id, balance, created_at }: AccountRow): Promise<AccountBilling> {
      const now = await clock.now()
      const { start, end } = monthOf(now / 1000)
      const [monthStart, monthEnd, basis] = [start * 1000, end * 1000, basisStart(now / 1000, created_at / 1000) * 1000]
      const kinds = new UsageTotals<ReturnType<typeof usageKindOf>>()
      let [recent, toppedUp] = [0, 0]
      for await (const rows of readLedger(accountQuery(read, id), {
        since: Math.min(monthStart, basis),
        until: now + 1,
      }))
        for (const entry of rows) {
          if (entry.kind === 'top_up') toppedUp += entry.created_at >= monthStart ? entry.amount : 0
          else if (isUsage(entry)) {
            if (entry.created_at >= monthStart) kinds.add(usageKindOf(entry), entry)
            if (paidFromOf(usageKindOf(entry)) === 'balance' && entry.created_at >= basis) recent -= entry.amount
          }
        }
      const totals = kinds.list()
      const sumOf = (payer: UsageTotal['paid_from']): number =>
        totals.reduce((sum, it) => (it.paid_from === payer ? sum + it.amount : sum), 0)
      const [charged, card] = [sumOf('balance'), sumOf('card')]
      const numbers = await listNumbers(accountQuery(read, id))
      const renewing = numbers.map((it) => it.subscription).filter(renews)
      return {
        now,
        month: { start: monthStart, end: monthEnd },
        kinds: totals,
        charged,
        toppedUp,
        card,
        balance,
        numbers,
        monthly: renewing.reduce((sum, it) => sum + it.price, 0),
        nextCharge: renewing.length === 0 ? null : Math.min(...renewing.map((it) => it.period_end)),
        monthCard: card + renewing.reduce((sum, it) => sum + it.price * renewalsBefore(it, monthEnd), 0),
        forecast: forecastUsage({
          now: now / 1000,
          basisStart: basis / 1000,
          recent,
          month: charged,
          balance,
        }),
        limits: await limitsOf(id, now),
      }
    },

    /** Returns what an account spent in a period (default: the current month), by day, assistant, campaign or kind. */
    async usage(
      { id }: AccountRow,
      by: UsageGroup,
      period: { readonly since?: Micros | undefined; readonly until?: Micros | undefined },
    ): Promise<readonly GroupedUsage[]> {
      const now = await clock.now()
      const since = period.since ?? monthOf(now / 1000).start * 1000
      const totals = new UsageTotals<string | null>()
      for await (const rows of readLedger(accountQuery(read, id), { since, until: period.until ?? now + 1 })) {
        const ownerOf = by === 'assistant' || by === 'campaign' ? await findOwners(id, rows) : undefined
        for (const entry of rows)
          totals.add(
            by === 'day'
              ? new Date(entry.created_at / 1000).toISOString().slice(0, 10)
              : by === 'kind'
                ? usageKindOf(entry)
                : (ownerOf?.(entry)?.[by]?.toString() ?? null),
            entry,
          )
      }
      const rows = totals.list()
      const names =
        by === 'assistant' || by === 'campaign'
          ? await findOwnerNames(accountQuery(read, id), by, [
              ...new Set(rows.flatMap((it) => (it.key === null ? [] : Number(it.key)))),
            ])
          : new Map<number, string>()
      const named = rows.map((it) => ({ ...it, name: it.key === null ? null : (names.get(Number(it.key)) ?? null) }))
      return by === 'day'
        ? named.sort(({ key: a }, { key: b }) => (a === b ? 0 : (a ?? '') < (b ?? '') ? -1 : 1))
        : named.sort((a, b) => b.amount - a.amount)
    },
  }

  /** Returns a function that finds the assistant and campaign of the entries of a batch. */
  async function findOwners(
    account: number,
    entries: readonly LedgerAmount[],
  ): Promise<(entry: LedgerAmount) => UsageOwner | undefined> {
    const ids = new Map<OwnedReference, Set<number>>()
    const kindOf = (it: LedgerAmount) => it.reference?.split('-', 1)[0] as OwnedReference
    for (const entry of entries) {
      const id = referencedId(entry)
      if (id === undefined) continue
      const known = ids.get(kindOf(entry)) ?? new Set()
      ids.set(kindOf(entry), known.add(id))
    }
    const owners = new Map<OwnedReference, Map<number, UsageOwner>>()
    for (const [kind, found] of ids)
      owners.set(kind, await findUsageOwners(accountQuery(read, account), kind, [...found]))
    return (entry) => {
      const id = referencedId(entry)
      return id === undefined ? undefined : owners.get(kindOf(entry))?.get(id)
    }
  }
}

/** Returns how many periods of a subscription start before a time and are not paid yet. */
function renewalsBefore({ period_end, anchor }: SubscriptionRow, end: Micros): number {
  let count = 0
  for (let at = period_end; at < end && count < 60; at = addMonths(at, 1, anchor)) count++
  return count
}
