import { resource } from '../endpoint/endpoint.ts'
import { publicDeployments } from '../endpoint/endpoint-origins.ts'
import { assumed, evenIfInvalid, id, isoMicros, text } from '../endpoint/field-schemas.ts'
import { createdResponse, listResponse, recordResponse, updatedResponse } from '../endpoint/response-shapes.ts'
import * as z from '../schema/schema.ts'
import { ipAddressOrRange, isIpv6 } from '../values/ip-address.ts'

const formats = z.enum(['+e164', 'e164', 'national'])
const authorizations = z.enum(['auth', 'ip'])

/** SIP trunk (section 2.12). Never includes the password. */
export const SipTrunk = z.object({
  id: z.int(),
  phone_number: z.string(),
  nickname: z.string().nullable(),
  sip_username: z.string(),
  sip_address: z.string(),
  sip_calling_format: formats,
  inbound_authorization_type: authorizations,
  allowed_inbound_ips: z.array(z.string()).nullable(),
  outbound_proxy: z.boolean(),
  country_code: z.string(),
  inbound_trunk_id: z.string(),
  outbound_trunk_id: z.string(),
  created_at: isoMicros,
  updated_at: isoMicros,
})
export type SipTrunk = z.output<typeof SipTrunk>

/** Trunk as the list shows it: without the two provisioned trunk ids. */
const ListedSipTrunk = SipTrunk.omit({ inbound_trunk_id: true, outbound_trunk_id: true })

const address = z.string().refine((it) => ipAddressOrRange.safeParse(it).success, { params: { rule: 'ip' } })
/**
 * Returns whether a text is a host name, an IPv4 address, or an IPv6 address with or without brackets. Rejects ports.
 */
const isServerAddress = (value: string): boolean =>
  (value.length <= 253 && hostName.test(value)) || isIpv6(value.replace(/^\[(.+)\]$/, '$1'))
const hostName = /^[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?)*$/

const fields = {
  phone_number: text(15, 1).describe('SIP extension or number, 1-15 characters'),
  nickname: text(50).nullable().describe('Nickname, at most 50 characters'),
  sip_username: text(128, 3).describe('Username, 3-128 characters'),
  sip_password: text(Infinity, 3).describe('Password, at least 3 characters'),
  sip_address: z
    .string()
    .refine(isServerAddress, { error: 'The sip address field must be the address of a server, without a port.' })
    .describe('Server address, without port'),
  sip_calling_format: formats.describe('Format of dialed numbers'),
  inbound_authorization_type: authorizations.describe(
    'Authorization of inbound calls: auth (password) or ip (address); auth clears the allowed addresses',
  ),
  allowed_inbound_ips: z
    .array(address)
    .nullable()
    .describe('IP addresses or CIDR ranges allowed for inbound calls, required for ip'),
  country_code: z
    .string()
    .regex(/^[A-Z]{2}(-[A-Z0-9]{1,3})?$/)
    .describe('Country or subdivision (ISO 3166-2), such as US or US-CA'),
  outbound_proxy: z.boolean().describe('Route outbound calls through a fixed IP address'),
}

/**
 * Validation message for a trunk with authorization type ip and no addresses: of the server, and of the question of the
 * command.
 */
export const ipsRequired = 'The allowed inbound ips field is required when inbound authorization type is ip.'

const draft = z
  .object({
    ...fields,
    sip_trunk_type: z.enum(['extension', 'number']).describe('Type of trunk: extension or number'),
    nickname: fields.nickname.optional(),
    allowed_inbound_ips: fields.allowed_inbound_ips.optional(),
    outbound_proxy: assumed(fields.outbound_proxy.default(false)),
  })
  .superRefine((body, ctx) => {
    if (body.inbound_authorization_type === 'ip' && !body.allowed_inbound_ips?.length)
      ctx.addIssue({ code: 'custom', path: ['allowed_inbound_ips'], message: ipsRequired })
  }, evenIfInvalid)

const base = '/api/user/phone-numbers/sip-trunks'
const path = z.object({ id: id.describe('Id of the SIP trunk') })

// There is no delete endpoint: `numbers.release` deletes a trunk with its number.
export const sipTrunks = resource('sipTrunks', {
  list: {
    ...publicDeployments,
    ...listResponse(ListedSipTrunk),
    method: 'GET',
    path: base,
    summary: 'List SIP trunks',
    errors: [],
  },
  get: {
    ...publicDeployments,
    ...recordResponse(SipTrunk),
    method: 'GET',
    path: `${base}/{id}`,
    summary: 'Show a SIP trunk',
    params: path,
    errors: ['sipTrunks.not_found'],
  },
  create: {
    ...publicDeployments,
    ...createdResponse(SipTrunk),
    method: 'POST',
    path: base,
    summary: 'Create a SIP trunk',
    body: draft,
    errors: ['sipTrunks.duplicate', 'sipTrunks.create_failed'],
    validationMessage: 'The given data was invalid.',
  },
  update: {
    ...updatedResponse(SipTrunk),
    method: 'PUT',
    path: `${base}/{id}`,
    summary: 'Update a SIP trunk; omitted fields are unchanged',
    params: path,
    body: z.object(fields).partial(),
    errors: ['sipTrunks.not_found', 'sipTrunks.duplicate', 'sipTrunks.update_failed'],
    section: '4.21',
    assumed: 'method and path: public deployments',
    validationMessage: 'The given data was invalid.',
  },
})
