import type { FailureKind } from './exit-codes.ts'

/** Hint of every failure about a phone number. */
export const e164Hint = 'Use E.164, for example +14155550142, with + in place of 00.'

/** Extra field in the errors of starting and stopping a campaign. Deployments send it in addition to the message. */
const unsuccessful = { success: false }

/**
 * Errors about campaigns, leads, calls and SIP trunks. Texts that the specification does not give are assumed. Clients rely on
 * statuses, codes and the texts of the specification: they never change. failures.ts says who reads each part.
 */
export const callingFailures = {
  'campaigns.not_found': {
    status: 404,
    envelope: 'message',
    text: 'Campaign not found',
    exit: 'not_found',
    hint: 'List them: parley campaigns list.',
  },
  'campaigns.missing': {
    status: 404,
    envelope: 'message',
    text: 'Campaign not found',
    exit: 'not_found',
    extra: unsuccessful,
    hint: 'List them: parley campaigns list.',
  },
  'campaigns.plan_limit': {
    status: 422,
    envelope: 'message',
    text: 'The plan allows no more campaigns.',
    exit: 'conflict',
    hint: 'Delete one first: parley campaigns delete.',
  },
  'campaigns.insufficient_balance': {
    status: 400,
    envelope: 'message',
    text: 'Insufficient balance. Please top up your account.',
    exit: 'payment',
    extra: unsuccessful,
    hint: 'Top up the balance, then start again.',
  },
  'campaigns.bad_action': {
    status: 400,
    envelope: 'message',
    text: 'The selected action is invalid.',
    exit: 'rejected',
    extra: unsuccessful,
    hint: 'The actions are start and stop.',
  },
  'campaigns.incomplete': {
    status: 400,
    envelope: 'message',
    text: 'The campaign cannot start without: {fields}',
    exit: 'conflict',
    extra: unsuccessful,
    hint: 'A resource that it uses was deleted. Create the campaign again with another one.',
  },
  'campaigns.running': {
    status: 409,
    envelope: 'message',
    text: 'A campaign cannot be changed while it is {status}.',
    exit: 'conflict',
    hint: 'Stop it first: parley campaigns stop <id>. Then change it, and start it again.',
  },
  'campaigns.no_leads': {
    status: 400,
    envelope: 'message',
    text: 'The campaign has no leads to contact.',
    exit: 'conflict',
    extra: unsuccessful,
    hint: 'Add leads: parley leads create. A campaign with mark_complete_when_no_leads: false can start without leads.',
  },
  'campaigns.bad_state': {
    status: 400,
    envelope: 'message',
    text: "This action is not possible in the campaign's current status: {status}",
    exit: 'conflict',
    extra: unsuccessful,
    hint: 'Read it: parley campaigns get <id>. To wait for the end of one that runs: parley campaigns get <id> --wait.',
  },

  'leads.not_found': { status: 404, envelope: 'message', text: 'Lead not found', exit: 'not_found' },
  'leads.campaign_not_found': {
    status: 404,
    envelope: 'message',
    text: 'Campaign not found',
    exit: 'not_found',
    hint: 'List them: parley campaigns list.',
  },
  'leads.invalid_phone': {
    status: 422,
    envelope: 'message',
    text: 'Invalid phone number',
    exit: 'rejected',
    hint: e164Hint,
  },
  'leads.duplicate': {
    status: 422,
    envelope: 'message',
    text: 'This lead already exists in the campaign.',
    exit: 'conflict',
    hint: 'To add it anyway, pass --allow-duplicate.',
  },
  'leads.invalid_fields': { status: 422, envelope: 'message', text: 'Invalid fields: {fields}', exit: 'rejected' },

  'calls.not_found': { status: 404, envelope: 'message', text: 'Call not found', exit: 'not_found' },
  'calls.not_yours': {
    status: 404,
    envelope: 'message',
    text: 'Call not found or does not belong to the authenticated user',
    exit: 'not_found',
  },
  'calls.over': {
    status: 409,
    envelope: 'message',
    text: 'The call has already ended: {status}',
    exit: 'conflict',
    hint: 'Only a call in progress can be stopped. Show it: parley calls get <id>.',
  },
  'calls.invalid_phone': {
    status: 400,
    envelope: 'message',
    text: 'Invalid phone number',
    exit: 'rejected',
    hint: e164Hint,
  },
  'calls.assistant_not_found': {
    status: 404,
    envelope: 'message',
    text: 'Assistant not found',
    exit: 'not_found',
    hint: 'List them: parley assistants list.',
  },
  'calls.insufficient_balance': {
    status: 422,
    envelope: 'message',
    text: 'Insufficient balance',
    exit: 'payment',
    hint: 'Nothing was charged. Top up the balance, then call again.',
  },

  'sipTrunks.not_found': {
    status: 404,
    envelope: 'error',
    text: 'SIP trunk not found.',
    exit: 'not_found',
    hint: 'List them: parley sip-trunks list.',
  },
  'sipTrunks.duplicate': {
    status: 409,
    envelope: 'error',
    text: 'A SIP trunk with this number, username and address already exists.',
    exit: 'conflict',
  },
  'sipTrunks.create_failed': {
    status: 500,
    envelope: 'error',
    text: 'Failed to create SIP trunk. Please try again or contact support.',
    exit: 'platform',
    hint: 'Nothing was saved. Try again.',
  },
  'sipTrunks.update_failed': {
    status: 500,
    envelope: 'error',
    text: 'Failed to update SIP trunk. Please try again or contact support.',
    exit: 'platform',
  },
} as const satisfies Record<string, FailureKind>
