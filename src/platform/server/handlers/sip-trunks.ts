import { type SipTrunk, sipTrunks } from '../../../contract/resources/sip-trunks.ts'
import { parseJson } from '../../../node/json.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { sipTrunkService, type TrunkDraft } from '../../services/numbers/sip-trunk-service.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { TrunkRow } from '../../store/numbers/sip-trunks.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from './handler.ts'

/** Returns the endpoints of the resource with their handlers. */
export const sipTrunkResource = (deps: Deps): LoadedResource => loadedResource(sipTrunks, sipTrunkHandlers(deps))

/** Creates the handlers of SIP trunks. */
function sipTrunkHandlers(deps: Deps): HandlersOf<typeof sipTrunks> {
  const service = sipTrunkService(deps)
  return {
    list: async (_, { account }) => ({ data: (await service.list(account.id)).map(toWire) }),
    get: async ({ id }, { account }) => ({ data: toWire(await service.get(account.id, id)) }),
    create: async (draft, { account }) => ({
      message: 'SIP trunk created successfully.',
      data: toWire(await service.create(account.id, draft)),
    }),
    update: async ({ id, ...draft }, { account }) => ({
      message: 'SIP trunk updated successfully.',
      data: toWire(await service.update(account.id, id, draft as Partial<TrunkDraft>)),
    }),
  }
}

const toWire = (row: TrunkRow): SipTrunk => ({
  id: row.number_id,
  phone_number: row.phone_number,
  nickname: row.nickname,
  sip_username: row.sip_username,
  sip_address: row.sip_address,
  sip_calling_format: row.calling_format as SipTrunk['sip_calling_format'],
  inbound_authorization_type: row.authorization_type as SipTrunk['inbound_authorization_type'],
  allowed_inbound_ips: row.allowed_ips === null ? null : parseJson(row.allowed_ips),
  outbound_proxy: row.outbound_proxy === 1,
  country_code: row.country_code,
  inbound_trunk_id: row.inbound_trunk_id,
  outbound_trunk_id: row.outbound_trunk_id,
  created_at: toIsoMicros(row.created_at),
  updated_at: toIsoMicros(row.updated_at),
})
