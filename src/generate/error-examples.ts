import { unwrap } from '../contract/endpoint/coerce.ts'
import type { Endpoint } from '../contract/endpoint/endpoint.ts'
import { type EnvelopeFields, envelopes, type FailureKind } from '../contract/errors/exit-codes.ts'
import { type FailureName, failures, wireCode } from '../contract/errors/failures.ts'
import { endpoints } from '../contract/resources/index.ts'

/** Command line, without `parley`, that raises an error on a platform with new sample data. */
interface ErrorExample {
  readonly line: string
  /** Command lines to run first. */
  readonly before?: readonly string[]
  /** Fields of the response, if they differ from the catalogue. */
  readonly fields?: Partial<EnvelopeFields>
}

const send = (fields: string): string => `api messaging.send --data '{${fields}}' --yes`
const freeform = (sender: number, phone: string): string =>
  `api messaging.sendFreeform --data '{"sender_id": ${sender}, "recipient_phone": "${phone}", "message": "Hello"}' --yes`
const to = (sender: number, template: number, phone = '+14155550111', more = ''): string =>
  send(`"sender_id": ${sender}, "template_id": ${template}, "recipient_phone": "${phone}"${more}`)
const trunk =
  'sip-trunks create --sip-trunk-type extension --phone-number 2002 --sip-username desk --sip-password secret --sip-calling-format e164 --inbound-authorization-type auth --country-code US --sip-address'
const apply = 'automate apply crm-b-appointment-manage-midcall'
const required = (...fields: readonly string[]): Record<string, string[]> =>
  Object.fromEntries(fields.map((it) => [it, [`The ${it.replaceAll('_', ' ')} field is required.`]]))

/** Errors that need only the right input: an unknown id, a test number or recipient, a part of the sample data. */
const directExamples: Readonly<Partial<Record<FailureName, ErrorExample>>> = {
  unauthenticated: { line: 'keys list', before: ['keys delete 1 --yes'] },
  invalid: {
    line: "api assistants.enableConversationEndedWebhook --data '{}'",
    fields: { errors: required('assistant_id', 'webhook_url') },
  },
  'accounts.not_found': { line: 'server accounts ledger 99' },
  'faults.not_found': { line: 'server faults delete 99' },
  'snapshots.not_found': { line: 'server snapshot restore none --yes' },
  'snapshots.exists': { line: 'server snapshot save now', before: ['server snapshot save now'] },
  'platform.not_empty': { line: 'server seed' },
  'keys.not_found': { line: 'keys delete 99 --yes' },
  'tools.not_found': { line: 'tools get 99' },
  'numbers.in_use': { line: 'numbers buy +15005550000 --yes' },
  'numbers.not_available': { line: 'numbers buy +15005550001 --yes' },
  'numbers.no_payment_method': { line: 'numbers buy +15005550002 --yes' },
  'numbers.payment_failed': { line: 'numbers buy +15005550003 --yes' },
  'numbers.unparseable': { line: 'api numbers.buy --data \'{"phone_number": "hello"}\' --yes' },
  'numbers.provider_failed': { line: 'numbers buy +15005550004 --yes' },
  'numbers.not_found': { line: 'numbers update 99 --nickname Desk' },
  'numbers.release_scheduled': { line: 'numbers release 2 --yes', before: ['numbers release 2 --yes'] },
  'assistants.not_found': { line: 'assistants update 99 --name Desk' },
  'assistants.not_yours': { line: "api assistants.delete --data '{id: 99}' --yes" },
  'folders.not_found': { line: 'folders update 99 --name Desk' },
  'labels.not_found': { line: 'labels update 99 --name Desk' },
  'knowledge.not_found': { line: 'knowledge get 99' },
  'knowledge.document_not_found': { line: 'knowledge documents get 99 --knowledge 1' },
  'sipTrunks.not_found': { line: 'sip-trunks get 99' },
  'sipTrunks.duplicate': { line: `${trunk} pbx.example`, before: [`${trunk} pbx.example`] },
  'sipTrunks.create_failed': { line: `${trunk} fail.sip.example` },
  'sipTrunks.update_failed': { line: 'sip-trunks update 1 --sip-address fail.sip.example' },
  'campaigns.plan_limit': {
    line: 'campaigns create --name Another --assistant 2',
    before: ['server accounts update 1 --max-campaigns 3'],
  },
  'campaigns.no_leads': { line: 'campaigns start 4 --yes', before: ['campaigns create --name Empty --assistant 2'] },
  'messaging.templates_sender_not_found': { line: "api messaging.templates --data '{senderId: 99}'" },
  'messaging.sender_not_found': { line: to(99, 2) },
  'messaging.template_not_found': { line: to(1, 9) },
  'messaging.sender_offline': { line: to(4, 14), fields: { text: 'Sender is not online. Current status: offline' } },
  'messaging.sender_offline_freeform': {
    line: freeform(4, '+14155550111'),
    fields: { text: 'Sender is not online. Current status: offline' },
  },
  'messaging.template_not_approved': {
    line: to(1, 7),
    fields: { text: 'Template is not approved. Current status: pending' },
  },
  'messaging.invalid_phone': { line: to(1, 2, '0123') },
  'messaging.template_not_synced': { line: to(1, 6) },
  'messaging.template_mismatch': {
    line: to(1, 3),
    fields: {
      text: 'The variables do not match the placeholders of the template: {{1}} (code). Missing: {{1}} (code).',
    },
  },
  'messaging.no_assistant': { line: to(5, 15) },
  'messaging.limit_unavailable': { line: to(6, 16) },
  'messaging.voice_call_limit': { line: to(1, 5, '+14155550111', ', "variables": {"1": "Anna"}') },
  'messaging.provider_error': {
    line: to(1, 2, '+15005550101'),
    fields: { code: 'PROVIDER_ERROR_63024', text: 'The recipient is not reachable on this channel.' },
  },
  'messaging.unknown': { line: to(1, 2, '+15005550104') },
  'automate.not_found': { line: 'automate get aaaaaaaaaaaaaaaaaaaaa' },
  'automate.template_not_found': { line: 'automate apply nothing', fields: { extra: { params: null } } },
  'automate.invalid_param_choice': {
    line: `${apply} --param timezone=Mars`,
    fields: { text: 'The parameter timezone must be a time zone, such as Europe/Paris.', extra: { params: null } },
  },
  'automate.needs_connection': {
    line: apply,
    fields: { text: 'An account connection is missing: crm-b.', extra: { params: null } },
  },
  'automate.needs_reconnection': {
    line: apply,
    before: ['server connections create --kind crm-b', 'server connections break crm-b'],
    fields: { text: 'An account connection has expired: crm-b.', extra: { params: null } },
  },
  'automate.assistant_required': { line: 'automate apply post-call-callback', fields: { extra: { params: null } } },
  'automate.assistant_not_found': {
    line: 'automate apply post-call-callback --assistant-id 99',
    fields: { extra: { params: null } },
  },
  'automate.side_effects_require_confirmation': {
    line: 'automate apply post-call-callback --assistant-id 1',
    fields: {
      text: 'This automation has steps that really send or call: Call back. Confirm the side effects to continue.',
      extra: { params: null },
    },
  },
  ...Object.fromEntries(
    (
      [
        ['messaging.insufficient_balance', to(1, 2)],
        ['conversations.insufficient_balance', 'conversations start --assistant 1 --type widget'],
      ] as const
    ).map(([name, line]) => [name, { line, before: ['server accounts update 1 --balance 0'] }]),
  ),
  'messaging.session_expired': {
    line: freeform(1, '+14155550999'),
    fields: {
      extra: {
        session_status: {
          is_open: false,
          can_send_freeform: false,
          requires_template: true,
          message: 'There is no open messaging window with this recipient. Send a template message first.',
        },
      },
    },
  },
}

/** Endpoints for the examples of errors that any endpoint may return. */
const sharedErrorEndpoints: Readonly<Partial<Record<FailureName, string>>> = {
  idempotency_conflict: 'folders.create',
  idempotency_busy: 'folders.create',
  idempotency_interrupted: 'folders.create',
  malformed: 'folders.create',
  not_json: 'folders.create',
  too_large: 'folders.create',
  // The endpoint that decides needs a key of its own.
  'approvals.not_possible': 'approvals.end',
}

const kinds = failures as Readonly<Record<FailureName, FailureKind>>

/** Returns the endpoint for the example of an error: its own, or one that reads. */
function exampleEndpoint(name: FailureName): Endpoint {
  const given = sharedErrorEndpoints[name]
  const own = given === undefined ? endpoints.find((it) => it.errors.includes(name)) : undefined
  return own ?? (endpoints.find((it) => it.name === (given ?? 'tools.list')) as Endpoint)
}

/** Returns an example with a fault rule that raises the error, and a command that triggers it. */
function faultExample(name: FailureName): ErrorExample {
  const endpoint = exampleEndpoint(name)
  const params = Object.entries(endpoint.params?.shape ?? {}).map(
    ([field, schema]) => `${field}: ${unwrap(schema).kind === 'string' ? 'x' : 1}`,
  )
  const consent = endpoint.risk === 'read' || endpoint.risk === 'write' ? '' : ' --yes'
  return {
    line: `api ${endpoint.name} --data '{${params.join(', ')}}' --retries 0${consent}`,
    before: [`server faults create ${endpoint.name} --error ${name} --times 1`],
    fields: {
      text: kinds[name].text.replaceAll(/\{\w+\}/g, 'fault'),
      ...(name === 'throttled' && { extra: { retry_after: 1 } }),
    },
  }
}

/**
 * Returns the example that raises an error of the catalogue. docs/errors.md prints its lines, and errors-page.test.ts runs
 * them.
 */
export const errorExample = (name: FailureName): ErrorExample => directExamples[name] ?? faultExample(name)

/**
 * Returns status and body of the error, as docs/errors.md and the OpenAPI documents show them. A test compares them with the
 * response to the command lines of the example.
 */
export function exampleResponse(name: FailureName): { readonly status: number; readonly body: object } {
  const { status, envelope, text, extra } = kinds[name]
  return {
    status,
    body: envelopes[envelope]({ text, code: wireCode(name), ...(extra && { extra }), ...errorExample(name).fields }),
  }
}
