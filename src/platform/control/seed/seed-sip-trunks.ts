import { day, type Micros } from '../../../contract/values/micros.ts'
import { createTrunk } from '../../providers/telephony/local-voice.ts'
import { insertTrunkNumber } from '../../services/numbers/sip-trunk-rows.ts'
import { bothDirections, type TrunkSettings, trunkConfiguration } from '../../services/numbers/sip-trunk-settings.ts'
import { type TrunkIds, trunkKey } from '../../services/numbers/trunk-provisioning-service.ts'
import type { Vault } from '../../services/runtime/vault.ts'
import type { Query } from '../../store/database/connection.ts'
import {
  insertProvisionedTrunk,
  markTrunkLive,
  type ProvisionedTrunkRow,
} from '../../store/numbers/provisioned-trunks.ts'

const sampleTrunks: Readonly<
  Record<'first' | 'second', Omit<TrunkSettings, 'sip_password'> & { readonly type: 'extension' | 'number' }>
> = {
  first: {
    type: 'extension',
    phone_number: '2001',
    nickname: 'Reception',
    sip_username: 'northwind-2001',
    sip_address: 'pbx.northwind.example',
    sip_calling_format: '+e164',
    inbound_authorization_type: 'auth',
    allowed_inbound_ips: null,
    outbound_proxy: false,
    country_code: 'US-CA',
  },
  second: {
    type: 'number',
    phone_number: '+14155550177',
    nickname: 'After hours',
    sip_username: 'northwind-nights',
    sip_address: 'sip.carrier.example',
    sip_calling_format: 'e164',
    inbound_authorization_type: 'ip',
    allowed_inbound_ips: ['203.0.113.10', '198.51.100.0/24'],
    outbound_proxy: true,
    country_code: 'US',
  },
}

/**
 * Inserts one of the two sample SIP trunks, also at the local voice infrastructure. The `first` authorizes by password,
 * the `second` by IP address.
 */
export async function seedSipTrunk(
  query: Query,
  which: 'first' | 'second',
  {
    account,
    now,
    secrets,
    vault,
  }: { account: number; now: Micros; secrets: (label: string, length: number) => string; vault: Vault },
): Promise<void> {
  const { type, ...known } = sampleTrunks[which]
  const at = now - (which === 'first' ? 12 : 9) * day
  const settings: TrunkSettings = { ...known, sip_password: secrets(`trunk ${known.phone_number}`, 24) }
  await insertLiveTrunk(query, vault, { account, type, settings, now: at })
}

/** Inserts a SIP trunk, also at the local voice infrastructure, in the caller's transaction. Returns its id. */
export async function insertLiveTrunk(
  query: Query,
  vault: Vault,
  {
    account,
    type,
    settings,
    now,
  }: {
    readonly account: number
    readonly type: string
    readonly settings: TrunkSettings
    readonly now: Micros
  },
): Promise<number> {
  const rows: ProvisionedTrunkRow[] = []
  const ids: TrunkIds = {}
  for (const direction of bothDirections) {
    const row = await insertProvisionedTrunk(query, {
      account_id: account,
      number_id: null,
      direction,
      state: 'wanted',
      created_at: now,
    })
    const made = await createTrunk(query, trunkKey(row), direction, trunkConfiguration(direction, settings), null)
    if (made.ok) ids[direction] = made.trunkId
    rows.push(row)
  }
  const number = await insertTrunkNumber(query, vault, { account, type, settings, ids: ids as Required<TrunkIds>, now })
  for (const row of rows) await markTrunkLive(query, row.id, number)
  return number
}
