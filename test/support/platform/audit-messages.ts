import type { Query } from '../../../src/platform/store/database/connection.ts'

const sum = (values: readonly number[]): number => values.reduce((total, it) => total + it, 0)

/**
 * Returns inconsistencies between messages, conversations, the ledger and the simulated channel; empty if there are
 * none. Call it when no scheduled job is due, so that nothing is in progress.
 */
export async function auditSends(query: Query): Promise<string[]> {
  const sends = await query.selectFrom('channel_message').selectAll().execute()
  const handed = await query.selectFrom('local_channel_send').selectAll().execute()
  const ledger = await query.selectFrom('ledger').selectAll().where('reference', 'like', 'message-%').execute()
  const conversations = await query.selectFrom('conversation').selectAll().where('type', '=', 'messaging').execute()
  const messages = await query.selectFrom('message').selectAll().execute()
  const accounts = await query.selectFrom('account').selectAll().execute()
  const all = await query.selectFrom('ledger').selectAll().execute()
  const due = await query.selectFrom('due').selectAll().where('kind', '=', 'message').execute()
  const wrong = due.map((it) => `message ${it.subject} still has due work`)

  for (const it of sends) {
    const [name, key] = [`message ${it.id} to ${it.recipient_phone} (${it.state})`, `message-${it.id}-${it.created_at}`]
    const charges = ledger.filter(({ reference, kind }) => reference === `${key}-charge` && kind === 'charge')
    const refunds = ledger.filter(({ reference, kind }) => reference === `${key}-refund` && kind === 'refund')
    const [taken, ...more] = handed.filter((line) => line.key === `${key}-send`)
    if (it.state === 'sending') wrong.push(`${name} is half-way`)
    if (!taken || more.length > 0) wrong.push(`${name} was handed over ${taken ? 1 + more.length : 0} times`)
    if (charges.length !== 1) wrong.push(`${name} was charged ${charges.length} times`)
    if (refunds.length !== (it.state === 'failed' ? 1 : 0)) wrong.push(`${name} was refunded ${refunds.length} times`)
    if (it.state === 'failed' && sum([...charges, ...refunds].map(({ amount }) => amount)) !== 0)
      wrong.push(`${name} was not given back as it was charged`)
    if (it.state === 'sent' && (taken?.sid !== it.message_sid || taken?.sid == null))
      wrong.push(`${name} is not what the channel has`)
    if (it.state === 'failed' && taken?.sid != null) wrong.push(`${name} was sent by the channel`)
    if ((it.state === 'sent') !== (it.message_id !== null)) wrong.push(`${name} and its conversation disagree`)
    if (
      it.message_id !== null &&
      !messages.some(({ id, conversation_id }) => id === it.message_id && conversation_id === it.conversation_id)
    )
      wrong.push(`${name} is not in its conversation`)
  }
  for (const { key } of handed)
    if (!sends.some((it) => key === `message-${it.id}-${it.created_at}-send`))
      wrong.push(`${key} was handed over and is not kept`)
  for (const it of conversations) {
    const own = sends.filter(({ state, conversation_id }) => state === 'sent' && conversation_id === it.id)
    const said = messages.filter(({ conversation_id }) => conversation_id === it.id)
    if (said.length !== it.message_count)
      wrong.push(`conversation ${it.id} counts ${it.message_count} of ${said.length} messages`)
    if (sum(own.map(({ cost }) => cost)) !== it.total_cost) wrong.push(`conversation ${it.id} costs ${it.total_cost}`)
    if (said.length === 0) wrong.push(`conversation ${it.id} is empty`)
  }
  for (const it of accounts) {
    const moved = sum(
      all
        .filter(({ account_id, balance_after }) => account_id === it.id && balance_after !== null)
        .map(({ amount }) => amount),
    )
    if (moved !== it.balance) wrong.push(`account ${it.id} has ${it.balance}, its entries make ${moved}`)
  }
  return wrong
}
