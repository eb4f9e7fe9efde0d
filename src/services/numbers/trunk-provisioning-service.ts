import { scheduleJob, unscheduleJob } from '../../jobs/job-loop.ts'
import type { TrunkDirection } from '../../providers/ports/providers.ts'
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

/** Kind of the due work that takes away a trunk nobody uses. Its subject is the id of the provisioned trunk. */
export const trunkCleanupJobKind = 'trunk'

/** Key of a trunk at the voice infrastructure. */
export const trunkKey = ({ id, created_at }: ProvisionedTrunkRow): string => `trunk-${id}-${created_at}`

/** Identifiers of trunks at the voice infrastructure, by direction. */
export type TrunkIds = Partial<Record<TrunkDirection, string>>

/** Lets a number's trunks of these directions go, in the caller's transaction: due work takes them away. */
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
 * Trunks at the voice infrastructure as durable rows. Each is a row with due work before it is asked for; the work takes it away again unless it
 * went live in the transaction that made it a number's. So whatever dies in between, nothing stays at the infrastructure that nobody knows of.
 */
export function trunkProvisioningService({ connection, clock, providers, owner, wall, log }: Deps) {
  const voice = providers.voice

  return {
    /** Writes down, in the caller's transaction, which trunks are going to be asked for. */
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

    /** Asks the voice infrastructure for them, outside any transaction. Undefined when one is refused or does not come about. */
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
          log(`Could not create the ${row.direction} trunk ${trunkKey(row)}: ${(error as Error).message}`)
          return undefined
        }
      }
      return ids
    },

    /** Makes them a number's, in the caller's transaction, and lets those go whose places they take. False when one was given up meanwhile; the caller must then keep nothing. */
    async attach(query: Query, rows: readonly ProvisionedTrunkRow[], number: number, now: number): Promise<boolean> {
      const directions = rows.map((it) => it.direction)
      if (directions.length > 0) await releaseTrunks(query, number, directions, now)
      for (const row of rows) {
        if (!(await markTrunkLive(query, row.id, number))) return false
        await unscheduleJob(query, trunkCleanupJobKind, String(row.id))
      }
      return true
    },

    /** Gives up trunks that were to be made: due work takes away what came about. */
    async abandon(rows: readonly ProvisionedTrunkRow[]): Promise<void> {
      if (rows.length === 0) return
      await connection.write(async (query) => {
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

    /** The due work: takes a trunk away that is no number's. Called again after a crash it finds less to do. */
    async cleanUp(id: number): Promise<void> {
      const unwanted = await connection.write(async (query) => {
        await abandonTrunk(query, id)
        const row = await findProvisionedTrunk(query, id)
        return row?.state === 'unwanted' ? row : undefined
      })
      if (unwanted) {
        const deletion = await voice.deleteTrunk(trunkKey(unwanted))
        if (!deletion.ok)
          throw new Error(`Could not delete the ${unwanted.direction} trunk ${trunkKey(unwanted)}: ${deletion.reason}`)
      }
      await connection.write(async (query) => {
        if (unwanted) await deleteProvisionedTrunk(query, id)
        await unscheduleJob(query, trunkCleanupJobKind, String(id))
      })
    },
  }
}
