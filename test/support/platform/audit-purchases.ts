import type { Query } from '../../../src/platform/store/database/connection.ts'

const endStates = ['owned', 'declined', 'refunded', 'released']

/**
 * Returns inconsistencies between the data of the platform and of its providers; empty if there are none.
 * Call it when no scheduled job is due, so that nothing is in progress.
 */
export async function audit(query: Query): Promise<string[]> {
  const purchases = await query.selectFrom('purchase').selectAll().execute()
  const numbers = await query.selectFrom('phone_number').selectAll().where('type', '=', 'normal').execute()
  const charges = await query.selectFrom('local_charge').selectAll().where('charge_id', 'is not', null).execute()
  const orders = await query
    .selectFrom('local_order')
    .selectAll()
    .where('sid', 'is not', null)
    .where('released', '=', 0)
    .execute()
  const ledger = await query.selectFrom('ledger').selectAll().execute()
  const accounts = await query.selectFrom('account').selectAll().execute()
  const due = await query.selectFrom('due').selectAll().where('kind', '=', 'purchase').execute()
  const wrong: string[] = due.map((it) => `purchase ${it.subject} still has due work`)
  const sum = (values: readonly number[]): number => values.reduce((total, it) => total + it, 0)

  for (const purchase of purchases) {
    const own = charges.filter(({ key }) => key === `purchase-${purchase.id}-${purchase.created_at}-charge`)
    const saved = own.filter(({ refunded }) => refunded === 0).length
    const name = `purchase ${purchase.id} of ${purchase.phone_number} (${purchase.state})`
    if (!endStates.includes(purchase.state)) wrong.push(`${name} is half-way`)
    if (own.length !== (purchase.state === 'declined' ? 0 : 1)) wrong.push(`${name} was charged ${own.length} times`)
    if (saved !== (purchase.state === 'owned' || purchase.state === 'released' ? 1 : 0))
      wrong.push(`${name} has ${saved} charges that were not given back`)
    if (
      purchase.state === 'owned' &&
      !numbers.some(({ id, phone_number }) => id === purchase.number_id && phone_number === purchase.phone_number)
    )
      wrong.push(`${name} has no number`)
  }
  for (const number of numbers) {
    const held = orders.filter(({ phone_number }) => phone_number === number.phone_number).length
    if (held !== 1) wrong.push(`${number.phone_number} is owned and ordered ${held} times`)
  }
  for (const order of orders)
    if (!numbers.some(({ phone_number }) => phone_number === order.phone_number))
      wrong.push(`${order.phone_number} is ordered and nobody owns it`)
  const twice = numbers.map((it) => it.phone_number).filter((it, n, all) => all.indexOf(it) !== n)
  for (const number of twice) wrong.push(`${number} is owned twice`)

  const card = sum(
    ledger.filter(({ unit, kind }) => unit === 'usd' && kind.startsWith('card')).map(({ amount }) => amount),
  )
  const paid = sum(charges.filter(({ refunded }) => refunded === 0).map(({ amount }) => amount))
  if (card !== -paid) wrong.push(`the ledger says ${card} was paid by card, the processor ${-paid}`)
  for (const account of accounts) {
    const moved = sum(
      ledger
        .filter(({ account_id, balance_after }) => account_id === account.id && balance_after !== null)
        .map(({ amount }) => amount),
    )
    if (moved !== account.balance) wrong.push(`account ${account.id} has ${account.balance}, its entries make ${moved}`)
  }
  return wrong
}
