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

  for (const send of sends) {
    const [name, key] = [
      `message ${send.id} to ${send.recipient_phone} (${send.state})`,
      `message-${send.id}-${send.created_at}`,
    ]
    const charges = ledger.filter(({ reference, kind }) => reference === `${key}-charge` && kind === 'charge')
    const refunds = ledger.filter(({ reference, kind }) => reference === `${key}-refund` && kind === 'refund')
    const [taken, ...more] = handed.filter((line) => line.key === `${key}-send`)
    if (send.state === 'sending') wrong.push(`${name} is half-way`)
    if (!taken || more.length > 0) wrong.push(`${name} was handed over ${taken ? 1 + more.length : 0} times`)
    if (charges.length !== 1) wrong.push(`${name} was charged ${charges.length} times`)
    if (refunds.length !== (send.state === 'failed' ? 1 : 0)) wrong.push(`${name} was refunded ${refunds.length} times`)
    if (send.state === 'failed' && sum([...charges, ...refunds].map(({ amount }) => amount)) !== 0)
      wrong.push(`${name} was not given back as it was charged`)
    if (send.state === 'sent' && (taken?.sid !== send.message_sid || taken?.sid == null))
      wrong.push(`${name} is not what the channel has`)
    if (send.state === 'failed' && taken?.sid != null) wrong.push(`${name} was sent by the channel`)
    if ((send.state === 'sent') !== (send.message_id !== null)) wrong.push(`${name} and its conversation disagree`)
    if (
      send.message_id !== null &&
      !messages.some(({ id, conversation_id }) => id === send.message_id && conversation_id === send.conversation_id)
    )
      wrong.push(`${name} is not in its conversation`)
  }
  for (const { key } of handed)
    if (!sends.some((it) => key === `message-${it.id}-${it.created_at}-send`))
      wrong.push(`${key} was handed over and is not kept`)
  for (const conversation of conversations) {
    const own = sends.filter(({ state, conversation_id }) => state === 'sent' && conversation_id === conversation.id)
    const said = messages.filter(({ conversation_id }) => conversation_id === conversation.id)
    if (said.length !== conversation.message_count)
      wrong.push(`conversation ${conversation.id} counts ${conversation.message_count} of ${said.length} messages`)
    if (sum(own.map(({ cost }) => cost)) !== conversation.total_cost)
      wrong.push(`conversation ${conversation.id} costs ${conversation.total_cost}`)
    if (said.length === 0) wrong.push(`conversation ${conversation.id} is empty`)
  }
  for (const account of accounts) {
    const moved = sum(
      all
        .filter(({ account_id, balance_after }) => account_id === account.id && balance_after !== null)
        .map(({ amount }) => amount),
    )
    if (moved !== account.balance) wrong.push(`account ${account.id} has ${account.balance}, its entries make ${moved}`)
  }
  return wrong
}
