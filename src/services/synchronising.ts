import { hour, type Micros, minute } from '../events/clock.ts'
import { schedule } from '../events/due.ts'
import type { Query } from '../store/connection.ts'
import type { DueRow } from '../store/due.ts'
import { listSenders } from '../store/senders.ts'
import type { Deps } from './deps.ts'

/** Kinds of the due work that mirrors the channel. Its subject is the account's id. */
export const senderSync = 'senders.sync'
export const templateSync = 'templates.sync'

/** How often the platform looks what the channel says of senders, and of templates (section 8). */
/** What is always due again. */
export const regularLooks = [senderSync, templateSync] as const

const every: Readonly<Record<string, Micros>> = { [senderSync]: 5 * minute, [templateSync]: 4 * hour }

/** The next look at the channel of an account with senders, in the caller's transaction; answers when that is. However many were missed, one is made. */
export async function awaitSync(query: Query, kind: typeof senderSync | typeof templateSync, account: number, now: Micros): Promise<Micros> {
  const same = query.selectFrom('due').select('due_at').where('kind', '=', kind).where('subject', '=', String(account))
  // One that is under way may have looked already.
  const known = await same.where('attempts', '=', 0).executeTakeFirst()
  if (known) return known.due_at
  const span = every[kind] as Micros
  const at = (Math.floor(now / span) + 1) * span
  await schedule(query, { account, kind, subject: String(account), at })
  return at
}

/** Mirrors what the messaging channel says of senders and templates (section 3). */
export function synchronisingService({ connection, clock, providers }: Pick<Deps, 'connection' | 'clock' | 'providers'>) {
  /** Ends a look, and has the next one follow. */
  async function again(query: Query, { id, account_id: account, kind }: DueRow): Promise<void> {
    await query.deleteFrom('due').where('id', '=', id).execute()
    await awaitSync(query, kind as typeof senderSync, account, clock.resting(await clock.now(query)))
  }

  return {
    /** Due work: one look at all senders of an account. */
    async senders(row: DueRow): Promise<void> {
      const senders = await listSenders(connection.read, row.account_id)
      const said = await Promise.all(senders.map(async (it) => ({ id: it.id, ...(await providers.channel.sender(it.phone_number)) })))
      await connection.write(async (query) => {
        for (const { id, status, qualityRating, messagingLimit } of said) {
          const change = {
            ...(status !== undefined && { status }),
            ...(qualityRating !== undefined && { quality_rating: qualityRating }),
            ...(messagingLimit !== undefined && { messaging_limit: messagingLimit, limit_known: 1 }),
          }
          if (Object.keys(change).length > 0) await query.updateTable('sender').set(change).where('id', '=', id).execute()
        }
        await again(query, row)
      })
    },

    /** Due work: one look at all templates of an account. What the channel has is synchronised. */
    async templates(row: DueRow): Promise<void> {
      const senders = await listSenders(connection.read, row.account_id)
      const said = await Promise.all(senders.map(async (it) => ({ id: it.id, templates: await providers.channel.templates(it.phone_number) })))
      await connection.write(async (query) => {
        for (const { id, templates } of said)
          for (const { name, language, status } of templates) {
            const all = query.updateTable('message_template').set({ status, is_synced: 1 }).where('sender_id', '=', id)
            await all.where('name', '=', name).where('language', '=', language).execute()
          }
        await again(query, row)
      })
    },
  }
}
