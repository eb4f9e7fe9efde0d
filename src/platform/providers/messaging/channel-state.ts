import type { Query } from '../../store/database/connection.ts'
import type { LocalSenderTable } from '../../store/simulators/tables.ts'

/**
 * Sets the state of a sender on the local channel. The table contains only values that differ from what the platform
 * was sent.
 */

export async function setSenderState(
  query: Query,
  phone: string,
  change: Partial<Omit<LocalSenderTable, 'phone_number'>>,
): Promise<void> {
  const blank = { phone_number: phone, status: null, quality_rating: null, messaging_limit: null, limit_known: null }
  await query
    .insertInto('local_sender')
    .values({ ...blank, ...change })
    .onConflict((it) =>
      it.column('phone_number').doUpdateSet(Object.keys(change).length > 0 ? change : { phone_number: phone }),
    )
    .execute()
}

/** Sets the state of a template on the local channel. */
export async function setTemplateState(
  query: Query,
  it: { readonly sender: string; readonly name: string; readonly language: string; readonly status: string },
): Promise<void> {
  await query
    .insertInto('local_template')
    .values(it)
    .onConflict((one) => one.columns(['sender', 'name', 'language']).doUpdateSet({ status: it.status }))
    .execute()
}
