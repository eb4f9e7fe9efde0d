import type { TrunkDirection } from '../../../engine/ports.ts'
import { messageOf } from '../../../node/is-error.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { scheduleJob, unscheduleJob } from '../../jobs/job-loop.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { insertNumber } from '../../store/numbers/numbers.ts'
import {
  abandonTrunk,
  deleteProvisionedTrunk,
  deleteTrunk,
  findProvisionedTrunk,
  insertProvisionedTrunk,
  insertTrunk,
  markTrunkLive,
  type ProvisionedTrunkRow,
  retireTrunks,
  type TrunkRow,
} from '../../store/numbers/sip-trunks.ts'
import type { JobRow } from '../../store/runtime/scheduled-jobs.ts'
import type { Deps } from '../runtime/deps.ts'
import type { Vault } from '../runtime/vault.ts'

/** Kind of the job that deletes an unused trunk. The subject is the id of the provisioned trunk. Its rows have this name, so it never changes. */
export const trunkCleanupJobKind = 'trunk'

/** Returns the key of a trunk at the voice infrastructure, which knows existing trunks by it: it never changes. */
export const trunkKey = ({ id, created_at }: ProvisionedTrunkRow): string => `trunk-${id}-${created_at}`

/** Ids of trunks at the voice infrastructure, by direction. */
export type TrunkIds = Partial<Record<TrunkDirection, string>>

/**
 * Retires a number's trunks of these directions, in the caller's transaction. Jobs delete them at the voice
 * infrastructure.
 */
async function releaseTrunks(
  query: AccountQuery,
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
      query: AccountQuery,
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
    async attach(
      query: AccountQuery,
      rows: readonly ProvisionedTrunkRow[],
      number: number,
      now: number,
    ): Promise<boolean> {
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
    async cleanUp({ account_id: account, subject }: JobRow): Promise<void> {
      const id = Number(subject)
      // An unwanted trunk never changes again, so both transactions need no lock.
      const unwanted = await connection.write({ rows: account }, async (query) => {
        await abandonTrunk(query, id)
        const row = await findProvisionedTrunk(query, id)
        return row?.state === 'unwanted' ? row : undefined
      })
      if (unwanted) {
        const deletion = await voice.deleteTrunk(trunkKey(unwanted))
        if (!deletion.ok)
          throw new Error(`Could not delete the ${unwanted.direction} trunk ${trunkKey(unwanted)}: ${deletion.reason}`)
      }
      await connection.write({ rows: account }, async (query) => {
        if (unwanted) await deleteProvisionedTrunk(query, id)
        await unscheduleJob(query, trunkCleanupJobKind, subject)
      })
    },
  }
}

/** The configuration of a trunk, with the names of section 2.12. */
export interface TrunkSettings {
  readonly phone_number: string
  readonly nickname: string | null
  readonly sip_username: string
  readonly sip_password: string
  readonly sip_address: string
  readonly sip_calling_format: string
  readonly inbound_authorization_type: string
  readonly allowed_inbound_ips: readonly string[] | null
  readonly outbound_proxy: boolean
  readonly country_code: string
}

/** Both directions of a trunk. */
export const bothDirections: readonly TrunkDirection[] = ['inbound', 'outbound']

/**
 * The trunks at the voice infrastructure that are re-created when a setting changes (section 4.21), because it is part
 * of their configuration.
 */
export const recreatedBy: Readonly<Record<keyof TrunkSettings, readonly TrunkDirection[]>> = {
  sip_username: bothDirections,
  sip_password: bothDirections,
  sip_address: ['outbound'],
  phone_number: bothDirections,
  inbound_authorization_type: ['inbound'],
  allowed_inbound_ips: ['inbound'],
  outbound_proxy: ['outbound'],
  sip_calling_format: [],
  country_code: [],
  nickname: [],
}

const settingNames = Object.keys(recreatedBy) as (keyof TrunkSettings)[]

/**
 * Returns the trunks that a change re-creates. A given password always counts as changed, because it cannot be
 * compared.
 */
export function directionsToRecreate(
  before: Omit<TrunkSettings, 'sip_password'>,
  after: Partial<TrunkSettings>,
): TrunkDirection[] {
  const previous: Partial<TrunkSettings> = before
  const changed = settingNames.filter(
    (name) =>
      after[name] !== undefined &&
      (name === 'sip_password' || stringifyJson(after[name]) !== stringifyJson(previous[name])),
  )
  return bothDirections.filter((direction) => changed.some((it) => recreatedBy[it].includes(direction)))
}

/** Returns the configuration that the voice infrastructure needs for one direction. */
export const trunkConfiguration = (
  direction: TrunkDirection,
  settings: TrunkSettings,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(settingNames.filter((it) => recreatedBy[it].includes(direction)).map((it) => [it, settings[it]]))

/** The settings of a trunk without the password, which is never returned. */
export type ReadableTrunkSettings = Omit<TrunkSettings, 'sip_password'>

/** Returns the vault label of a trunk's password. Stored values open only with it, so it never changes. */
export const passwordLabel = (account: number): string => `password of a SIP trunk of account ${account}`

/** Returns the settings of a stored trunk. */
export const settingsFromRow = (row: TrunkRow): ReadableTrunkSettings => ({
  phone_number: row.phone_number,
  nickname: row.nickname,
  sip_username: row.sip_username,
  sip_address: row.sip_address,
  sip_calling_format: row.calling_format,
  inbound_authorization_type: row.authorization_type,
  allowed_inbound_ips: row.allowed_ips === null ? null : parseJson(row.allowed_ips),
  outbound_proxy: row.outbound_proxy === 1,
  country_code: row.country_code,
})

/** Returns the columns of a trunk's settings. */
export const toColumns = (settings: ReadableTrunkSettings) => ({
  sip_username: settings.sip_username,
  sip_address: settings.sip_address,
  calling_format: settings.sip_calling_format,
  authorization_type: settings.inbound_authorization_type,
  allowed_ips: settings.allowed_inbound_ips && stringifyJson(settings.allowed_inbound_ips),
  outbound_proxy: settings.outbound_proxy ? 1 : 0,
  country_code: settings.country_code,
})

/** Returns the columns that the number copies from its trunk. The country has no subdivision. */
export const toNumberColumns = ({ phone_number, country_code }: ReadableTrunkSettings) => ({
  phone_number,
  country_code: country_code.slice(0, 2),
})

/**
 * Inserts a trunk: a number of type `sip` and the trunk's row. Returns the id of the number. The password is sealed.
 */
export async function insertTrunkNumber(
  query: AccountQuery,
  vault: Vault,
  {
    account,
    type,
    settings,
    ids,
    now,
  }: { account: number; type: string; settings: TrunkSettings; ids: Required<TrunkIds>; now: number },
): Promise<number> {
  const { id } = await insertNumber(query, {
    ...toNumberColumns(settings),
    account_id: account,
    nickname: settings.nickname,
    region: null,
    type: 'sip',
    sms_capable: 0,
    created_at: now,
  })
  await insertTrunk(query, {
    ...toColumns(settings),
    number_id: id,
    account_id: account,
    phone_number: settings.phone_number,
    version: 1,
    trunk_type: type,
    sip_password: vault.seal(settings.sip_password, passwordLabel(account)),
    inbound_trunk_id: ids.inbound,
    outbound_trunk_id: ids.outbound,
    created_at: now,
    updated_at: now,
  })
  return id
}

/** Deletes the trunk of a number, in the caller's transaction. Jobs delete its trunks at the voice infrastructure. */
export async function removeTrunk(query: AccountQuery, number: number, now: number): Promise<void> {
  await releaseTrunks(query, number, bothDirections, now)
  await deleteTrunk(query, number)
}
