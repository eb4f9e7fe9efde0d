import { leadList } from '../../src/platform/store/counters/counted-lists.ts'
import type { SqliteDatabase } from '../../src/platform/store/sqlite/libsql-driver.ts'
import type { Filling } from './cached-data.ts'

const day = 86_400_000_000
export const campaigns = 40
/** First of the campaigns created here. Earlier ones are sample data. */
export const firstCampaign = 100
/** Number of days with leads, up to this one. A fifth of the leads were imported on one day. */
export const days = 400
export const lastDay = Math.floor(Date.parse('2026-06-30') / 86_400_000)

const statuses = [
  'created',
  'created',
  'created',
  'completed',
  'completed',
  'completed',
  'completed',
  'rescheduled',
  'reached-max-retries',
  'processing',
]

/** Returns a pseudo-random number that is the same for the same `n`. */
export const drawn = (n: number, below: number): number =>
  Math.floor(((Math.imul(n ^ (n >>> 15), 0x2c1b3c6d) >>> 0) / 2 ** 32) * below)

/** Leads of 40 campaigns of account 1 over 400 days. */
export const leadFilling: Filling = {
  tables: ['lead'],
  lists: [leadList],
  fill(database: SqliteDatabase, rows) {
    const campaign = database.prepare(
      "insert into campaign (id, account_id, name, channel, status, assistant_id, settings, created_at, updated_at) values (?, 1, ?, 'call', 'paused', 1, '{}', 1, 1)",
    )
    for (let n = 0; n < campaigns; n++) campaign.run([BigInt(firstCampaign + n), `Campaign ${n}`])
    const lead = database.prepare(
      `insert into lead (account_id, campaign_id, phone_number, variables, status, contacts, attempts, next_attempt_at, created_at, updated_at)
        values (1, ?, ?, '{"first_name":"Anna","appointment_day":"Monday"}', ?, 0, 0, null, ?, ?)`,
    )
    const imported = [rows * 0.5, rows * 0.7]
    for (let n = 0; n < rows; n++) {
      const isImported = n >= (imported[0] as number) && n < (imported[1] as number)
      const at = BigInt(
        (lastDay - days + 1 + Math.floor(((isImported ? rows * 0.6 : n) / rows) * days)) * day +
          drawn(n, 1000) * 60_000_000,
      )
      const phone = `+1415${String(2_000_000 + drawn(n + 7, 8_000_000))}`
      lead.run([
        BigInt(firstCampaign + drawn(n + 1, campaigns)),
        phone,
        statuses[drawn(n + 2, statuses.length)] as string,
        at,
        at,
      ])
    }
  },
}
