import { schedule, unschedule } from '../events/due.ts'
import type { Query } from '../store/connection.ts'
import { deleteProvisioned, enliven, findProvisioned, giveUp, insertProvisioned, type ProvisionedRow, retire } from '../store/provisioned-trunks.ts'
import type { Deps } from './deps.ts'
import type { TrunkDirection } from './ports.ts'
import { configurationOf, type TrunkSettings } from './sip-provisioning.ts'

/** Kind of the due work that takes away a trunk nobody uses. Its subject is the id of the provisioned trunk. */
export const trunkWork = 'trunk'

/** Key of a trunk at the voice infrastructure. */
export const trunkKey = ({ id, created_at }: ProvisionedRow): string => `trunk-${id}-${created_at}`

/** Identifiers of trunks at the voice infrastructure, by direction. */
export type TrunkIds = Partial<Record<TrunkDirection, string>>

/** Lets a number's trunks of these directions go, in the caller's transaction: due work takes them away. */
export async function letGo(query: Query, number: number, directions: readonly TrunkDirection[], now: number): Promise<void> {
  for (const row of await retire(query, number, directions))
    await schedule(query, { account: row.account_id, kind: trunkWork, subject: String(row.id), at: now })
}

/**
 * Trunks at the voice infrastructure as durable rows. Each is a row with due work before it is asked for; the work takes it away again unless it
 * went live in the transaction that made it a number's. So whatever dies in between, nothing stays at the infrastructure that nobody knows of.
 */
export function provisioningService({ connection, clock, providers, owner, wall, log }: Deps) {
  const voice = providers.voice

  return {
    /** Writes down, in the caller's transaction, which trunks are going to be asked for. */
    async intend(query: Query, account: number, directions: readonly TrunkDirection[]): Promise<ProvisionedRow[]> {
      const now = await clock.now(query)
      const rows: ProvisionedRow[] = []
      for (const direction of directions) {
        const row = await insertProvisioned(query, { account_id: account, number_id: null, direction, state: 'wanted', created_at: now })
        await schedule(query, { account, kind: trunkWork, subject: String(row.id), at: now, lease: { owner, wall: wall() } })
        rows.push(row)
      }
      return rows
    },

    /** Asks the voice infrastructure for them, outside any transaction. Undefined when one is refused or does not come about. */
    async make(rows: readonly ProvisionedRow[], settings: TrunkSettings): Promise<TrunkIds | undefined> {
      const ids: TrunkIds = {}
      for (const row of rows) {
        try {
          const made = await voice.createTrunk(trunkKey(row), row.direction, configurationOf(row.direction, settings))
          if (!made.ok) return undefined
          ids[row.direction] = made.trunkId
        } catch (error) {
          log(`The ${row.direction} trunk ${trunkKey(row)} was not made: ${(error as Error).message}`)
          return undefined
        }
      }
      return ids
    },

    /** Makes them a number's, in the caller's transaction, and lets those go whose places they take. False when one was given up meanwhile; the caller must then keep nothing. */
    async settle(query: Query, rows: readonly ProvisionedRow[], number: number, now: number): Promise<boolean> {
      const directions = rows.map((it) => it.direction)
      if (directions.length > 0) await letGo(query, number, directions, now)
      for (const row of rows) {
        if (!(await enliven(query, row.id, number))) return false
        await unschedule(query, trunkWork, String(row.id))
      }
      return true
    },

    /** Gives up trunks that were to be made: due work takes away what came about. */
    async abandon(rows: readonly ProvisionedRow[]): Promise<void> {
      if (rows.length === 0) return
      await connection.write(async (query) => {
        const now = await clock.now(query)
        for (const row of rows) {
          if (!(await giveUp(query, row.id))) continue
          await unschedule(query, trunkWork, String(row.id))
          await schedule(query, { account: row.account_id, kind: trunkWork, subject: String(row.id), at: now })
        }
      })
    },

    /** The due work: takes a trunk away that is no number's. Called again after a crash it finds less to do. */
    async sweep(id: number): Promise<void> {
      const unwanted = await connection.write(async (query) => {
        await giveUp(query, id)
        const row = await findProvisioned(query, id)
        return row?.state === 'unwanted' ? row : undefined
      })
      if (unwanted) {
        const gone = await voice.deleteTrunk(trunkKey(unwanted))
        if (!gone.ok) throw new Error(`The ${unwanted.direction} trunk ${trunkKey(unwanted)} could not be taken away: ${gone.reason}`)
      }
      await connection.write(async (query) => {
        if (unwanted) await deleteProvisioned(query, id)
        await unschedule(query, trunkWork, String(id))
      })
    },
  }
}
