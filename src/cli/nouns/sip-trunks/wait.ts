import { type SipTrunk, sipTrunks } from '../../../contract/resources/sip-trunks.ts'
import type { Waitable } from '../../program/waiting/waitable.ts'

/** Returns the directions in which a trunk has no voice infrastructure yet. */
const missingDirections = ({ inbound_trunk_id, outbound_trunk_id }: SipTrunk): readonly string[] => [
  ...(inbound_trunk_id ? [] : ['inbound']),
  ...(outbound_trunk_id ? [] : ['outbound']),
]

/**
 * How a SIP trunk is waited for, until the voice infrastructure has it in both directions. Scripts have the names of the
 * conditions in `--wait`, and the first one is the default: more are added behind it, and none is renamed.
 */
export const trunkWait: Waitable = {
  singular: 'SIP trunk',
  conditions: { provisioned: { reached: ['provisioned'], pending: ['provisioning'] } },
  read: async ({ call }, { id }) => (await call(sipTrunks.get, { id: id as number })).data,
  stateOf: (record) => (missingDirections(record as SipTrunk).length === 0 ? 'provisioned' : 'provisioning'),
  detailOf: async (_, record) => `missing: ${missingDirections(record as SipTrunk).join(' and ')}`,
  shownBy: ({ id }) => ({ words: 'sip-trunks get', argument: String(id) }),
}
