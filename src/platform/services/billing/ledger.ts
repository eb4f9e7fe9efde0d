import type { MicroUsd } from '../../../engine/ports.ts'
import type { AccountRow } from '../../store/accounts/accounts.ts'
import {
  adjustBalance,
  deleteLedgerEntry,
  findLedgerEntry,
  insertLedgerEntry,
  setBalanceAfter,
} from '../../store/billing/ledger.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { type Payer, reserveSpending, settleSpending } from './key-budget.ts'

/** A movement of money. */
export interface Movement {
  readonly reason: string
  /**
   * With it, the movement is booked only once. It is stored, and usage-figures.ts reads the kind and the id of what was paid from
   * it: `call-7-…`.
   */
  readonly reference?: string
  readonly now: number
}

/**
 * Converts an amount of money to millionths of the account's unit. Tenants have credits (1 credit = 1 USD). Direct
 * users have minutes at the account's rate, rounded up in the platform's favor.
 */
export function toUnits(account: Pick<AccountRow, 'kind' | 'minute_rate'>, amount: MicroUsd): number {
  if (account.kind === 'tenant') return amount
  return Number((BigInt(amount) * 1_000_000n + BigInt(account.minute_rate) - 1n) / BigInt(account.minute_rate))
}

/** Returns whether the balance covers an amount. This only avoids work that could not be paid; `charge` decides. */
export const isAffordable = (
  account: Pick<AccountRow, 'kind' | 'minute_rate' | 'balance'>,
  amount: MicroUsd,
): boolean => account.balance >= toUnits(account, amount)

const accountUnit = (account: Pick<AccountRow, 'kind'>): 'credit' | 'minute' =>
  account.kind === 'tenant' ? 'credit' : 'minute'

/**
 * Books a movement. Returns false when the balance is too low, and true also for one that was booked before: the entry comes
 * first, because its reference is what makes it happen once.
 */
async function postMovement(
  query: AccountQuery,
  account: AccountRow,
  kind: 'top_up' | 'charge' | 'refund' | 'correction',
  units: number,
  movement: Movement,
): Promise<boolean> {
  const entry = await insertLedgerEntry(query, {
    account_id: account.id,
    kind,
    unit: accountUnit(account),
    amount: units,
    balance_after: null,
    reason: movement.reason,
    reference: movement.reference ?? null,
    created_at: movement.now,
  })
  if (!entry) return true
  const after = await adjustBalance(accountQuery(query, account.id), units)
  if (after === undefined) {
    await deleteLedgerEntry(query, entry.id)
    return false
  }
  await setBalanceAfter(query, entry.id, after)
  return true
}

/** What the ledger of an account says about the balance that it was created with. Rows and exports have it. */
export const openingMovement = { reason: 'Opening balance', reference: 'opening' } as const

/** Adds units (millionths of a credit or minute) to the balance. */
export const topUp = (query: AccountQuery, account: AccountRow, units: number, movement: Movement): Promise<boolean> =>
  postMovement(query, account, 'top_up', units, movement)

/**
 * Sets the balance to a number of units (millionths), in the caller's transaction. The difference is a correction, not
 * usage. Concurrent movements do not distort the result.
 */
export async function setBalance(
  query: AccountQuery,
  account: AccountRow,
  units: number,
  movement: Movement,
): Promise<void> {
  // An adjustment by zero returns the current balance and locks it until the transaction ends.
  const difference = units - ((await adjustBalance(accountQuery(query, account.id), 0)) ?? account.balance)
  if (difference !== 0) await postMovement(query, account, 'correction', difference, movement)
}

/**
 * Charges the balance, in the caller's transaction. Returns false when the balance is too low: then the caller must revert
 * its transaction. What a restricted key pays for counts against its budget.
 * @throws Failure 401, 403 when the key must not spend it
 */
export async function charge(
  query: AccountQuery,
  account: Payer,
  amount: MicroUsd,
  movement: Movement & { readonly reference: string },
): Promise<boolean> {
  const { reference, now } = movement
  await reserveSpending(query, account, { reference, amount, now })
  return postMovement(query, account, 'charge', -toUnits(account, amount), movement)
}

/**
 * Refunds exactly what was charged under `reference`, whatever the price of a minute is now. It does not count against the budget
 * of the key any more.
 */
export async function refundByReference(
  query: AccountQuery,
  account: AccountRow,
  reference: string,
  movement: Movement,
): Promise<void> {
  const charged = await findLedgerEntry(accountQuery(query, account.id), reference)
  await settleSpending(query, account.id, reference, 0)
  if (charged) await postMovement(query, account, 'refund', -charged.amount, movement)
}

/** Records a payment (negative) or refund of a payment method. The balance does not change. */
export async function recordCardPayment(
  query: AccountQuery,
  account: number,
  amount: MicroUsd,
  movement: Movement & { reference: string },
): Promise<void> {
  await insertLedgerEntry(query, {
    account_id: account,
    kind: amount < 0 ? 'card_charge' : 'card_refund',
    unit: 'usd',
    amount,
    balance_after: null,
    reason: movement.reason,
    reference: movement.reference,
    created_at: movement.now,
  })
}
