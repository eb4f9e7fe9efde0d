import { Failure, type FailureName } from '../../../contract/errors/failures.ts'
import { ipsRequired } from '../../../contract/resources/sip-trunks.ts'
import { requireValue } from '../../../node/require-value.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { isUniqueViolation } from '../../store/database/store-error.ts'
import {
  findTrunk,
  hasDuplicateTrunk,
  listTrunks,
  type ProvisionedTrunkRow,
  type TrunkRow,
  updateTrunk,
} from '../../store/numbers/sip-trunks.ts'
import type { Deps } from '../runtime/deps.ts'
import {
  bothDirections,
  directionsToRecreate,
  insertTrunkNumber,
  passwordLabel,
  type ReadableTrunkSettings,
  settingsFromRow,
  type TrunkIds,
  type TrunkSettings,
  toColumns,
  toNumberColumns,
  trunkCleanupJobKind,
  trunkProvisioningService,
} from './sip-trunks.ts'

/** The input for a new trunk. */
export type TrunkDraft = Omit<TrunkSettings, 'nickname' | 'allowed_inbound_ips'> & {
  readonly sip_trunk_type: string
  readonly nickname?: string | null | undefined
  readonly allowed_inbound_ips?: readonly string[] | null | undefined
}

/** Maximum attempts of an update that conflicts with concurrent changes. */
const maxUpdateAttempts = 5

/**
 * Manages SIP trunks (sections 2.12 and 4.21). Each is a number of type `sip` with two trunks at the voice
 * infrastructure.
 */
export function sipTrunkService(deps: Deps) {
  const { connection, clock, vault } = deps
  const provisioning = trunkProvisioningService(deps)

  async function requireTrunk(account: number, id: number): Promise<TrunkRow> {
    const row = await findTrunk(accountQuery(connection.read, account), id)
    if (!row) throw new Failure('sipTrunks.not_found')
    return row
  }

  /**
   * Creates trunks at the voice infrastructure and stores them with `save`: both or neither. Returns undefined when
   * `save` does.
   */
  async function provisionTrunks<T>(
    rows: readonly ProvisionedTrunkRow[],
    settings: TrunkSettings,
    failure: FailureName,
    save: (ids: TrunkIds) => Promise<T | undefined>,
  ) {
    const ids = rows.map((row) => row.id)
    return deps.leases.during(trunkCleanupJobKind, ids, () => createTrunks(rows, settings, failure, save))
  }

  async function createTrunks<T>(
    rows: readonly ProvisionedTrunkRow[],
    settings: TrunkSettings,
    failure: FailureName,
    save: (ids: TrunkIds) => Promise<T | undefined>,
  ) {
    let saved: T | undefined
    try {
      const ids = await provisioning.create(rows, settings)
      if (!ids) throw new Failure(failure)
      saved = await save(ids)
    } catch (error) {
      await provisioning.abandon(rows)
      throw isUniqueViolation(error) ? new Failure('sipTrunks.duplicate') : error
    }
    if (saved === undefined) await provisioning.abandon(rows)
    return saved
  }

  async function requireNoDuplicate(
    query: AccountQuery,
    account: number,
    settings: ReadableTrunkSettings,
    except?: number,
  ): Promise<void> {
    if (await hasDuplicateTrunk(query, { ...settings, account_id: account }, except))
      throw new Failure('sipTrunks.duplicate')
  }

  async function tryUpdate(account: number, id: number, draft: Partial<TrunkDraft>): Promise<TrunkRow | undefined> {
    const before = await requireTrunk(account, id)
    const previous = settingsFromRow(before)
    const wanted = mergeSettings(previous, draft)
    const directions = directionsToRecreate(previous, {
      ...wanted,
      ...(draft.sip_password !== undefined && { sip_password: draft.sip_password }),
    })
    const password =
      draft.sip_password ?? (directions.length > 0 ? vault.open(before.sip_password, passwordLabel(account)) : '')
    const rows = await connection.write({ account }, async (query) => {
      await requireNoDuplicate(query, account, wanted, id)
      return provisioning.reserve(query, account, directions)
    })
    return provisionTrunks(rows, { ...wanted, sip_password: password }, 'sipTrunks.update_failed', (ids) =>
      connection.write({ account }, async (query) => {
        const now = await clock.now(query)
        const columns = {
          ...toColumns(wanted),
          ...(draft.sip_password !== undefined && {
            sip_password: vault.seal(draft.sip_password, passwordLabel(account)),
          }),
          ...(ids.inbound !== undefined && { inbound_trunk_id: ids.inbound }),
          ...(ids.outbound !== undefined && { outbound_trunk_id: ids.outbound }),
          updated_at: now,
        }
        if (
          !(await updateTrunk(query, before, columns, {
            ...toNumberColumns(wanted),
            ...(draft.nickname !== undefined && { nickname: wanted.nickname }),
          }))
        )
          return undefined
        if (!(await provisioning.attach(query, rows, id, now))) throw new Failure('sipTrunks.update_failed')
        return findTrunk(query, id)
      }),
    )
  }

  return {
    list: (account: number): Promise<TrunkRow[]> => listTrunks(accountQuery(connection.read, account)),

    get: requireTrunk,

    /** Creates a SIP trunk. @throws Failure `sipTrunks.duplicate`, or `sipTrunks.create_failed` with nothing stored */
    async create(account: number, { sip_trunk_type, ...draft }: TrunkDraft): Promise<TrunkRow> {
      const settings = {
        ...draft,
        nickname: draft.nickname || null,
        allowed_inbound_ips: emptyToNull(draft.allowed_inbound_ips),
      }
      const rows = await connection.write({ account }, async (query) => {
        await requireNoDuplicate(query, account, settings)
        return provisioning.reserve(query, account, bothDirections)
      })
      const created = await provisionTrunks(rows, settings, 'sipTrunks.create_failed', (ids) =>
        connection.write({ account }, async (query) => {
          const now = await clock.now(query)
          const id = await insertTrunkNumber(query, vault, {
            account,
            type: sip_trunk_type,
            settings,
            ids: ids as Required<TrunkIds>,
            now,
          })
          if (!(await provisioning.attach(query, rows, id, now))) throw new Failure('sipTrunks.create_failed')
          return findTrunk(query, id)
        }),
      )
      return requireValue(created)
    },

    /**
     * Changes only the given fields, and re-creates the trunks that the change concerns. The old trunks work until the
     * new ones do.
     * @throws Failure 404, 422 on `allowed_inbound_ips`, `sipTrunks.duplicate`, or `sipTrunks.update_failed` with
     * nothing changed
     */
    async update(account: number, id: number, draft: Partial<TrunkDraft>): Promise<TrunkRow> {
      for (let n = 0; n < maxUpdateAttempts; n++) {
        const row = await tryUpdate(account, id, draft)
        if (row) return row
      }
      throw new Failure('sipTrunks.update_failed')
    },
  }
}

const emptyToNull = (list: readonly string[] | null | undefined): readonly string[] | null =>
  list?.length ? list : null

/**
 * Returns the settings after a change. A change of the authorization type to `auth` clears the allowed IP addresses; a
 * change to `ip` requires them.
 */
function mergeSettings(
  previous: ReadableTrunkSettings,
  { sip_password: _, sip_trunk_type: __, ...draft }: Partial<TrunkDraft>,
): ReadableTrunkSettings {
  const given = Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined))
  const next: ReadableTrunkSettings = { ...previous, ...given }
  const isTypeChanged = next.inbound_authorization_type !== previous.inbound_authorization_type
  const ips =
    isTypeChanged && next.inbound_authorization_type === 'auth'
      ? null
      : emptyToNull(isTypeChanged ? draft.allowed_inbound_ips : next.allowed_inbound_ips)
  if (next.inbound_authorization_type === 'ip' && ips === null)
    throw new Failure('invalid', { errors: { allowed_inbound_ips: [ipsRequired] } })
  return { ...next, nickname: next.nickname || null, allowed_inbound_ips: ips }
}
