import { Failure, type FailureName } from '../contract/errors.ts'
import { ipsRequired } from '../contract/sip-trunks.ts'
import type { Query } from '../store/connection.ts'
import { isUniqueViolation } from '../store/failure.ts'
import type { ProvisionedRow } from '../store/provisioned-trunks.ts'
import { changeTrunk, findTrunk, hasSameTrunk, listTrunks, type TrunkRow } from '../store/sip-trunks.ts'
import type { Deps } from './deps.ts'
import { provisioningService, type TrunkIds } from './provisioning.ts'
import { bothDirections, type TrunkSettings, toRecreate } from './sip-provisioning.ts'
import { columnsOf, type Known, keepTrunk, numberOf, passwordOf, settingsOf } from './sip-trunk-rows.ts'

/** A trunk as callers give it. */
export type TrunkDraft = Omit<TrunkSettings, 'nickname' | 'allowed_inbound_ips'> & {
  readonly sip_trunk_type: string
  readonly nickname?: string | null | undefined
  readonly allowed_inbound_ips?: readonly string[] | null | undefined
}

/** How often an update begins again when the trunk was changed by somebody else while its new trunks were made. */
const tries = 5

/** SIP trunks (sections 2.12 and 4.21): numbers of type `sip`, each with two trunks at the voice infrastructure. */
export function sipTrunkService(deps: Deps) {
  const { connection, clock, vault } = deps
  const provisioning = provisioningService(deps)

  async function found(account: number, id: number): Promise<TrunkRow> {
    const row = await findTrunk(connection.read, account, id)
    if (!row) throw new Failure('sipTrunks.not_found')
    return row
  }

  /** Has trunks made and keeps what `keep` writes with them: both or neither. Undefined when `keep` answers so. */
  async function provision<T>(rows: readonly ProvisionedRow[], settings: TrunkSettings, failure: FailureName, keep: (ids: TrunkIds) => Promise<T | undefined>) {
    let kept: T | undefined
    try {
      const ids = await provisioning.make(rows, settings)
      if (!ids) throw new Failure(failure)
      kept = await keep(ids)
    } catch (error) {
      await provisioning.abandon(rows)
      throw isUniqueViolation(error) ? new Failure('sipTrunks.duplicate') : error
    }
    if (kept === undefined) await provisioning.abandon(rows)
    return kept
  }

  async function refuseSame(query: Query, account: number, settings: Known, except?: number): Promise<void> {
    if (await hasSameTrunk(query, { ...settings, account_id: account }, except)) throw new Failure('sipTrunks.duplicate')
  }

  async function change(account: number, id: number, draft: Partial<TrunkDraft>): Promise<TrunkRow | undefined> {
    const before = await found(account, id)
    const old = settingsOf(before)
    const wanted = merged(old, draft)
    const directions = toRecreate(old, { ...wanted, ...(draft.sip_password !== undefined && { sip_password: draft.sip_password }) })
    const password = draft.sip_password ?? (directions.length > 0 ? vault.open(before.sip_password, passwordOf(account)) : '')
    const rows = await connection.write(async (query) => {
      await refuseSame(query, account, wanted, id)
      return provisioning.intend(query, account, directions)
    })
    return provision(rows, { ...wanted, sip_password: password }, 'sipTrunks.update_failed', (ids) =>
      connection.write(async (query) => {
        const now = await clock.now(query)
        const columns = {
          ...columnsOf(wanted),
          ...(draft.sip_password !== undefined && { sip_password: vault.seal(draft.sip_password, passwordOf(account)) }),
          ...(ids.inbound !== undefined && { inbound_trunk_id: ids.inbound }),
          ...(ids.outbound !== undefined && { outbound_trunk_id: ids.outbound }),
          updated_at: now,
        }
        if (!(await changeTrunk(query, before, columns, { ...numberOf(wanted), ...(draft.nickname !== undefined && { nickname: wanted.nickname }) })))
          return undefined
        if (!(await provisioning.settle(query, rows, id, now))) throw new Failure('sipTrunks.update_failed')
        return findTrunk(query, account, id)
      }),
    )
  }

  return {
    list: (account: number): Promise<TrunkRow[]> => listTrunks(connection.read, account),

    get: found,

    /** @throws Failure `sipTrunks.duplicate`, or `sipTrunks.create_failed` with nothing kept */
    async create(account: number, { sip_trunk_type, ...draft }: TrunkDraft): Promise<TrunkRow> {
      const settings = { ...draft, nickname: draft.nickname || null, allowed_inbound_ips: listOrNull(draft.allowed_inbound_ips) }
      const rows = await connection.write(async (query) => {
        await refuseSame(query, account, settings)
        return provisioning.intend(query, account, bothDirections)
      })
      const made = await provision(rows, settings, 'sipTrunks.create_failed', (ids) =>
        connection.write(async (query) => {
          const now = await clock.now(query)
          const id = await keepTrunk(query, vault, { account, type: sip_trunk_type, settings, ids: ids as Required<TrunkIds>, now })
          if (!(await provisioning.settle(query, rows, id, now))) throw new Failure('sipTrunks.create_failed')
          return findTrunk(query, account, id)
        }),
      )
      return made as TrunkRow
    },

    /**
     * Changes only what is given, and has those trunks made anew that the change concerns; the old ones serve until the new ones do.
     * @throws Failure not found, 422 on `allowed_inbound_ips`, `sipTrunks.duplicate`, or `sipTrunks.update_failed` with everything as it was
     */
    async update(account: number, id: number, draft: Partial<TrunkDraft>): Promise<TrunkRow> {
      for (let n = 0; n < tries; n++) {
        const row = await change(account, id, draft)
        if (row) return row
      }
      throw new Failure('sipTrunks.update_failed')
    },
  }
}

const listOrNull = (list: readonly string[] | null | undefined): readonly string[] | null => (list?.length ? list : null)

/** What a trunk is after a change. Turning to `auth` clears the allowed addresses, turning to `ip` needs them with it. */
function merged(old: Known, { sip_password: _, sip_trunk_type: __, ...draft }: Partial<TrunkDraft>): Known {
  const given = Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== undefined))
  const next: Known = { ...old, ...given }
  const turns = next.inbound_authorization_type !== old.inbound_authorization_type
  const ips = turns && next.inbound_authorization_type === 'auth' ? null : listOrNull(turns ? draft.allowed_inbound_ips : next.allowed_inbound_ips)
  if (next.inbound_authorization_type === 'ip' && ips === null) throw new Failure('invalid', { errors: { allowed_inbound_ips: [ipsRequired] } })
  return { ...next, nickname: next.nickname || null, allowed_inbound_ips: ips }
}
