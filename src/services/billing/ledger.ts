import type { MicroUsd } from '../../providers/ports/providers.ts'
import type { AccountRow } from '../../store/accounts/accounts.ts'
import {
  adjustBalance,
  deleteLedgerEntry,
  findLedgerEntry,
  insertLedgerEntry,
  setBalanceAfter,
} from '../../store/billing/ledger.ts'
import type { Query } from '../../store/database/connection.ts'

/** What a movement is for. With a `reference` it is booked once, however often it is asked for. */
export interface Movement {
  readonly reason: string
  readonly reference?: string
  readonly now: number
}

/**
 * What an amount of money is in the account's own unit, in millionths: credits for tenants (1 credit = 1 USD),
 * minutes at the account's rate for direct users, rounded up so that nothing is given away.
 */
export function toUnits(account: Pick<AccountRow, 'kind' | 'minute_rate'>, amount: MicroUsd): number {
  if (account.kind === 'tenant') return amount
  return Number((BigInt(amount) * 1_000_000n + BigInt(account.minute_rate) - 1n) / BigInt(account.minute_rate))
}

/** Whether the balance covers an amount. Only `charge` itself decides; this spares work that could not be paid. */
export const isAffordable = (
  account: Pick<AccountRow, 'kind' | 'minute_rate' | 'balance'>,
  amount: MicroUsd,
): boolean => account.balance >= toUnits(account, amount)

const accountUnit = (account: Pick<AccountRow, 'kind'>): 'credit' | 'minute' =>
  account.kind === 'tenant' ? 'credit' : 'minute'

async function postMovement(
  query: Query,
  account: AccountRow,
  kind: 'top_up' | 'charge' | 'refund',
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
  const after = await adjustBalance(query, account.id, units)
  if (after === undefined) {
    await deleteLedgerEntry(query, entry.id)
    return false
  }
  await setBalanceAfter(query, entry.id, after)
  return true
}

/** Adds units (millionths of a credit or minute) to the balance. */
export const topUp = (query: Query, account: AccountRow, units: number, movement: Movement): Promise<boolean> =>
  postMovement(query, account, 'top_up', units, movement)

/** Brings the balance to so many units (millionths), whatever else moves it meanwhile, in the caller's transaction. */
export async function setBalance(query: Query, account: AccountRow, units: number, movement: Movement): Promise<void> {
  // Moving nothing tells what it is, and keeps others from moving it until the transaction ends.
  const difference = units - ((await adjustBalance(query, account.id, 0)) ?? account.balance)
  if (difference !== 0) await postMovement(query, account, difference > 0 ? 'top_up' : 'charge', difference, movement)
}

/** Takes money from the balance, in the caller's transaction. False, and nothing moved, when there is not enough. */
export const charge = (query: Query, account: AccountRow, amount: MicroUsd, movement: Movement): Promise<boolean> =>
  postMovement(query, account, 'charge', -toUnits(account, amount), movement)

/** Gives back what `charge` took. */
export const refund = (query: Query, account: AccountRow, amount: MicroUsd, movement: Movement): Promise<boolean> =>
  postMovement(query, account, 'refund', toUnits(account, amount), movement)

/** Gives back exactly what was charged under `reference`, whatever a minute costs by now. */
export async function refundByReference(
  query: Query,
  account: AccountRow,
  reference: string,
  movement: Movement,
): Promise<void> {
  const charged = await findLedgerEntry(query, account.id, reference)
  if (charged) await postMovement(query, account, 'refund', -charged.amount, movement)
}

/** Books what a payment method paid (negative) or got back; the balance does not move. */
export async function recordCardPayment(
  query: Query,
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
