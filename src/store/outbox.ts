import type { Query } from './connection.ts'

/** Records what happened, in the transaction that made it happen. `payload` is kept as JSON. */
export async function appendEvent(query: Query, event: { account: number; kind: string; subject: string; payload: unknown; now: number }): Promise<void> {
  await query
    .insertInto('outbox')
    .values({
      account_id: event.account,
      kind: event.kind,
      subject: event.subject,
      payload: JSON.stringify(event.payload),
      created_at: event.now,
      handled_at: null,
    })
    .execute()
}
