import type { TrunkDirection } from '../../../engine/ports/telephony.ts'
import { messageOf } from '../../../node/is-error.ts'
import { scheduleJob, unscheduleJob } from '../../jobs/job-loop.ts'
import type { Query } from '../../store/database/connection.ts'
import {
  abandonTrunk,
  deleteProvisionedTrunk,
  findProvisionedTrunk,
  insertProvisionedTrunk,
  markTrunkLive,
  type ProvisionedTrunkRow,
  retireTrunks,
} from '../../store/numbers/provisioned-trunks.ts'
import type { Deps } from '../runtime/deps.ts'
import { type TrunkSettings, trunkConfiguration } from './sip-trunk-settings.ts'

/** Kind of the job that deletes an unused trunk. The subject is the id of the provisioned trunk. */
export const trunkCleanupJobKind = 'trunk'

/** Returns the key of a trunk at the voice infrastructure. */
export const trunkKey = ({ id, created_at }: ProvisionedTrunkRow): string => `trunk-${id}-${created_at}`

/** Ids of trunks at the voice infrastructure, by direction. */
export type TrunkIds = Partial<Record<TrunkDirection, string>>

/**
 * Retires a number's trunks of these directions, in the caller's transaction. Jobs delete them at the voice
 * infrastructure.
 */
export async function releaseTrunks(
  query: Query,
  number: number,
  directions: readonly TrunkDirection[],
  now: number,
): Promise<void> {
  for (const row of await retireTrunks(query, number, directions))
    await scheduleJob(query, { account: row.account_id, kind: trunkCleanupJobKind, subject: String(row.id), at: now })
}

/**
 * Provisions trunks at the voice infrastructure. A row and a cleanup job are stored before a trunk is requested. The
 * job deletes the trunk unless the trunk was attached to a number. So a crash at any point leaves no unknown trunk at
 * the infrastructure.
 */
export function trunkProvisioningService({ connection, clock, providers, owner, wall, log }: Deps) {
  const voice = providers.voice

  return {
    /** Stores, in the caller's transaction, the trunks that are going to be requested. */
    async reserve(
      query: Query,
      account: number,
      directions: readonly TrunkDirection[],
    ): Promise<ProvisionedTrunkRow[]> {
      const now = await clock.now(query)
      const rows: ProvisionedTrunkRow[] = []
      for (const direction of directions) {
        const row = await insertProvisionedTrunk(query, {
          account_id: account,
          number_id: null,
          direction,
          state: 'wanted',
          created_at: now,
        })
        await scheduleJob(query, {
          account,
          kind: trunkCleanupJobKind,
          subject: String(row.id),
          at: now,
          lease: { owner, wall: wall() },
        })
        rows.push(row)
      }
      return rows
    },

    /**
     * Creates the trunks at the voice infrastructure, outside any transaction. Returns undefined when one of them
     * fails.
     */
    async create(rows: readonly ProvisionedTrunkRow[], settings: TrunkSettings): Promise<TrunkIds | undefined> {
      const ids: TrunkIds = {}
      for (const row of rows) {
        try {
          const created = await voice.createTrunk(
            trunkKey(row),
            row.direction,
            trunkConfiguration(row.direction, settings),
          )
          if (!created.ok) return undefined
          ids[row.direction] = created.trunkId
        } catch (error) {
          log(`Could not create the ${row.direction} trunk ${trunkKey(row)}: ${messageOf(error)}`)
          return undefined
        }
      }
      return ids
    },

    /**
     * Attaches the trunks to a number, in the caller's transaction, and retires the ones they replace. Returns false
     * when one was abandoned in between; the caller must then roll back.
     */
    async attach(query: Query, rows: readonly ProvisionedTrunkRow[], number: number, now: number): Promise<boolean> {
      const directions = rows.map((it) => it.direction)
      if (directions.length > 0) await releaseTrunks(query, number, directions, now)
      for (const row of rows) {
        if (!(await markTrunkLive(query, row.id, number))) return false
        await unscheduleJob(query, trunkCleanupJobKind, String(row.id))
      }
      return true
    },

    /** Abandons trunks that were requested. Jobs delete those that were created. */
    async abandon(rows: readonly ProvisionedTrunkRow[]): Promise<void> {
      const [first] = rows
      if (!first) return
      await connection.write({ account: first.account_id }, async (query) => {
        const now = await clock.now(query)
        for (const row of rows) {
          if (!(await abandonTrunk(query, row.id))) continue
          await unscheduleJob(query, trunkCleanupJobKind, String(row.id))
          await scheduleJob(query, {
            account: row.account_id,
            kind: trunkCleanupJobKind,
            subject: String(row.id),
            at: now,
          })
        }
      })
    },

    /** Scheduled job: deletes a trunk that is not attached to a number. It can be repeated after a crash. */
    async cleanUp(id: number): Promise<void> {
      // An unwanted trunk never changes again, so both transactions need no lock.
      const unwanted = await connection.write('rows', async (query) => {
        await abandonTrunk(query, id)
        const row = await findProvisionedTrunk(query, id)
        return row?.state === 'unwanted' ? row : undefined
      })
      if (unwanted) {
        const deletion = await voice.deleteTrunk(trunkKey(unwanted))
        if (!deletion.ok)
          throw new Error(`Could not delete the ${unwanted.direction} trunk ${trunkKey(unwanted)}: ${deletion.reason}`)
      }
      await connection.write('rows', async (query) => {
        if (unwanted) await deleteProvisionedTrunk(query, id)
        await unscheduleJob(query, trunkCleanupJobKind, String(id))
      })
    },
  }
}
