import type { FailureName } from '../../../contract/errors/failures.ts'
import { unknownIds } from './endpoint-tables.ts'
import { codeFlow } from './write-step.ts'

const webhookFlow = (steps: readonly object[], trigger: object = {}): object => ({
  ...(codeFlow('1') as object),
  steps,
  ...trigger,
})
const postingStep = {
  name: 'step_1',
  displayName: 'Tell',
  type: 'PIECE',
  settings: {
    pieceName: '@engine/piece-http',
    actionName: 'send_request',
    input: { method: 'POST', url: 'https://example.com/', headers: {}, body: {} },
  },
}
const eventTrigger = (name: string): object => ({
  trigger: {
    name: 'trigger',
    type: 'PIECE_TRIGGER',
    settings: { pieceName: '@platform/piece-platform', triggerName: name, input: {} },
  },
})

/** Requests that must be refused with the given failure; `$` names a stored value, as in the steps. */
export const refusalCases: readonly (readonly [
  endpoint: string,
  input: Readonly<Record<string, unknown>>,
  failure: FailureName,
])[] = [
  ['numbers.buy', { phone_number: '+15005550006' }, 'numbers.in_use'],
  ['numbers.buy', { phone_number: '+15005550001' }, 'numbers.not_available'],
  ['numbers.buy', { phone_number: 'conformance' }, 'numbers.unparseable'],
  ['conversations.send', { uuid: unknownIds.text, message: 'Hello' }, 'conversations.not_found'],
  ['leads.create', { campaign_id: unknownIds.integer, phone_number: '+14155550142' }, 'leads.campaign_not_found'],
  ['leads.create', { campaign_id: '$campaign', phone_number: 'conformance' }, 'leads.invalid_phone'],
  ['leads.create', { campaign_id: '$campaign', phone_number: '+14155550142' }, 'leads.duplicate'],
  ['automate.create', { name: '$name', flow: webhookFlow([]) }, 'automate.no_steps'],
  [
    'automate.create',
    { name: '$name', flow: webhookFlow([postingStep]) },
    'automate.side_effects_require_confirmation',
  ],
  [
    'automate.create',
    { name: '$name', flow: { ...(codeFlow('1') as object), ...eventTrigger('conformance') } },
    'automate.unsupported_trigger',
  ],
  [
    'automate.create',
    { name: '$name', flow: { ...(codeFlow('1') as object), ...eventTrigger('phoneCallEnded') } },
    'automate.assistant_required',
  ],
  [
    'automate.create',
    {
      name: 'Conformance',
      flow: { ...(codeFlow('1') as object), ...eventTrigger('phoneCallEnded') },
      assistant_id: unknownIds.integer,
    },
    'automate.assistant_not_found',
  ],
  ['automate.restore', { id: '$masked' }, 'automate.no_previous_version'],
  ['automate.apply', { key: 'conformance' }, 'automate.template_not_found'],
  ['automate.apply', { key: 'lead-intake-webhook', confirm_side_effects: true }, 'automate.missing_params'],
  [
    'automate.apply',
    { key: 'lead-intake-webhook', params: { campaign_id: '$campaign' } },
    'automate.side_effects_require_confirmation',
  ],
]

/** Refusals of messages, which need senders. */
export const messageRefusalCases: typeof refusalCases = [
  [
    'messaging.send',
    { sender_id: '$sender', template_id: unknownIds.integer, recipient_phone: '+14155550142' },
    'messaging.template_not_found',
  ],
  [
    'messaging.send',
    { sender_id: '$sender', template_id: '$template', recipient_phone: 'conformance' },
    'messaging.invalid_phone',
  ],
  [
    'messaging.send',
    {
      sender_id: '$sender',
      template_id: '$template',
      recipient_phone: '+14155550142',
      variables: { conformance: 'x' },
    },
    'messaging.template_mismatch',
  ],
  [
    'messaging.send',
    { sender_id: '$offline', template_id: '$offlineTemplate', recipient_phone: '+14155550142' },
    'messaging.sender_offline',
  ],
]
