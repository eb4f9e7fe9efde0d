import { Failure } from '../../../contract/errors/failures.ts'
import { budgetWindow } from '../../../contract/values/calendar-periods.ts'
import { type Micros, toIsoMillis } from '../../../contract/values/micros.ts'
import { fromMillionths } from '../../../contract/values/millionths.ts'
import type { MicroUsd } from '../../../engine/ports.ts'
import { type AccountRow, findKey } from '../../store/accounts/accounts.ts'
import {
  findKeySpending,
  saveKeySpending,
  settleKeySpending,
  sumKeySpending,
} from '../../store/billing/key-spending.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { type RestrictedKey, requireMaySpend, requireUnexpired, restrictionsOf } from '../runtime/key-access.ts'

/** An account, with the restricted key that its money is spent with, if there is one. */
export type Payer = AccountRow & { readonly keyId?: number | null | undefined }

/** Adds the restricted key that started a work to the account that pays for it. */
export const payerOf = (account: AccountRow, keyId: number | null | undefined): Payer => ({ ...account, keyId })

/** Something that costs money: what for, and the maximum; null if it has none. */
interface Spending {
  readonly reference: string
  readonly amount: MicroUsd | null
  readonly now: Micros
}

/** How errors name the key of a work. */
const starter = 'The API key that started this'

/**
 * Returns a key that may still act. @throws Failure 401 for a key that has expired or was deleted since it started the
 * work
 */
export async function requireLiveKey(
  query: AccountQuery,
  { id, keyId }: Pick<Payer, 'id' | 'keyId'>,
  now: Micros,
): Promise<RestrictedKey | undefined> {
  if (keyId === null || keyId === undefined) return undefined
  const row = await findKey(accountQuery(query, id), keyId)
  if (!row) throw new Failure('key_expired', { text: `${starter} was deleted.` })
  const key = restrictionsOf(row.id, row)
  requireUnexpired(key, now, starter)
  return key
}

/** Returns whether the key that started a work may still act. */
export async function isKeyLive(query: AccountQuery, payer: Payer, now: Micros): Promise<boolean> {
  try {
    await requireLiveKey(query, payer, now)
    return true
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

/** Returns what is left of a key's budget, and when it renews; undefined for a key without a budget. */
export async function budgetLeft(
  query: AccountQuery,
  { id, budget }: RestrictedKey,
  now: Micros,
): Promise<{ readonly left: MicroUsd; readonly renewsAt: Micros } | undefined> {
  if (!budget) return undefined
  const { start, end } = budgetWindow(budget.period, now / 1000)
  const used = await sumKeySpending(query, { key: id, since: start * 1000 })
  return { left: Math.max(0, budget.amount - used), renewsAt: end * 1000 }
}

/**
 * Reserves the maximum of something that a key pays for, in the transaction that stores its intent. Transactions of one
 * account never run at the same time, so that the reservations of a period are never more than the budget. Repeating it
 * with the same reference reserves nothing more. An account without a restricted key needs no reservation.
 * @throws Failure 401, 403
 */
export async function reserveSpending(query: AccountQuery, payer: Payer, spending: Spending): Promise<void> {
  const { reference, amount, now } = spending
  const key = await requireLiveKey(query, payer, now)
  if (!key) return
  requireMaySpend(key)
  if (!key.budget) return
  const earlier = await findKeySpending(accountQuery(query, payer.id), reference)
  if (earlier && earlier.amount > 0) return
  const budget = await budgetLeft(query, key, now)
  if (budget && (amount === null || amount > budget.left)) throw budgetExceeded(key, { ...budget, amount })
  await saveKeySpending(query, {
    account_id: payer.id,
    key_id: key.id,
    reference,
    amount: amount ?? 0,
    created_at: now,
  })
}

const usd = (amount: MicroUsd): string => `${fromMillionths(amount)} USD`

function budgetExceeded(
  { budget }: RestrictedKey,
  { left, renewsAt, amount }: { left: MicroUsd; renewsAt: Micros; amount: MicroUsd | null },
): Failure {
  const limit = budget ? `${usd(budget.amount)} a ${budget.period}` : ''
  const cost =
    amount === null
      ? 'A key with a budget cannot pay for what has no maximum price. Set max_duration of the assistant.'
      : `This can cost ${usd(amount)}.`
  const renews = toIsoMillis(renewsAt)
  return new Failure('key_budget_exceeded', {
    text: `The budget of this key is ${limit}, and ${usd(left)} are left. ${cost} The budget renews at ${renews}.`,
    extra: { left: fromMillionths(left), renews_at: renews },
  })
}

/**
 * Refuses what a payer could not reserve now. This only avoids work that could not be paid. @throws Failure 401, 403
 */
export async function requireReservable(
  query: AccountQuery,
  payer: Payer,
  amount: MicroUsd,
  now: Micros,
): Promise<void> {
  const key = await requireLiveKey(query, payer, now)
  if (!key) return
  requireMaySpend(key)
  const budget = await budgetLeft(query, key, now)
  if (budget && amount > budget.left) throw budgetExceeded(key, { ...budget, amount })
}

/** Returns whether a payer could reserve an amount now. */
export async function canReserve(query: AccountQuery, payer: Payer, amount: MicroUsd, now: Micros): Promise<boolean> {
  try {
    await requireReservable(query, payer, amount, now)
    return true
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

/** Replaces a reservation by what was spent, at most what was reserved. Without a reservation nothing happens. */
export const settleSpending = (
  query: AccountQuery,
  account: number,
  reference: string,
  amount: MicroUsd,
): Promise<void> => settleKeySpending(accountQuery(query, account), reference, amount)

/** Returns what was reserved under a reference; undefined without a reservation. */
export const reservedAmount = async (
  query: AccountQuery,
  account: number,
  reference: string,
): Promise<MicroUsd | undefined> => (await findKeySpending(accountQuery(query, account), reference))?.amount
