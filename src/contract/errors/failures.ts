// The errors of the API: status, code and text of each, which clients rely on. Some are part of the specification; more are in
// the other files of this folder. Only `exit` and `hint` are not sent: the command line ends with one and prints the other.
// Fault rules of users and docs/errors.md have the names, and some envelopes send what follows the dot as the code
// (`wireCode`): they never change.

import { automateFailures } from './automation-failures.ts'
import { callingFailures, e164Hint } from './calling-failures.ts'
import type { FailureKind } from './exit-codes.ts'
import { envelopes } from './exit-codes.ts'
import { messagingFailures } from './messaging-failures.ts'
import { snapshotFailures } from './snapshot-failures.ts'

const slotHint = 'Detach the automation or webhook that holds the event, then try again.'

/** Errors about assistants and the resources that belong to them. */
const assistantFailures = {
  'assistants.not_found': {
    status: 404,
    envelope: 'message',
    text: 'Assistant not found',
    exit: 'not_found',
    hint: 'List them: parley assistants list.',
  },
  'assistants.not_yours': {
    status: 404,
    envelope: 'message',
    text: 'Assistant not found or does not belong to the authenticated user',
    exit: 'not_found',
    hint: 'List them: parley assistants list.',
  },
  'assistants.delete_failed': { status: 500, envelope: 'message', text: 'Assistant deletion failed', exit: 'platform' },
  // Each assistant has one slot per event (section 6.3), shared by automations and custom webhooks.
  'assistants.binding_conflict': {
    status: 422,
    envelope: 'automation',
    text: 'This assistant already has an automation for this event.',
    exit: 'conflict',
    hint: slotHint,
  },

  'folders.not_found': { status: 404, envelope: 'message', text: 'Folder not found', exit: 'not_found' },
  'labels.not_found': { status: 404, envelope: 'message', text: 'Label not found', exit: 'not_found' },

  'knowledge.not_found': { status: 404, envelope: 'error', text: 'Knowledgebase not found.', exit: 'not_found' },
  'knowledge.document_not_found': { status: 404, envelope: 'error', text: 'Document not found.', exit: 'not_found' },
  'knowledge.failed': {
    status: 500,
    envelope: 'error',
    text: 'The knowledgebase could not be changed. Please try again or contact support.',
    exit: 'platform',
  },
} as const satisfies Record<string, FailureKind>

const topUpHint = 'Nothing was charged. Top up the balance, then try again.'

/** Errors about chats and assistant replies. */
const conversationFailures = {
  'conversations.not_found': {
    status: 404,
    envelope: 'conversation',
    text: 'Conversation not found',
    exit: 'not_found',
  },
  'conversations.assistant_not_found': {
    status: 404,
    envelope: 'conversation',
    text: 'Assistant not found',
    exit: 'not_found',
  },
  'conversations.insufficient_balance': {
    status: 400,
    envelope: 'conversation',
    text: 'Insufficient balance. Please top up your account.',
    exit: 'payment',
    hint: topUpHint,
  },
  'conversations.failed': {
    status: 400,
    envelope: 'conversation',
    text: 'Failed to process message: {details}',
    exit: 'platform',
    hint: 'Nothing was charged. Try again.',
  },
  // The automation endpoints have a different text for a missing key.
  'conversations.unauthorized': {
    status: 401,
    envelope: 'error',
    text: 'Unauthorized',
    exit: 'auth',
    hint: 'Sign in with a valid API key: parley login. Or set PARLEY_API_KEY.',
  },

  'replies.assistant_not_found': {
    status: 404,
    envelope: 'messaging',
    text: 'Assistant not found',
    exit: 'not_found',
    code: 'ASSISTANT_NOT_FOUND',
  },
  'replies.insufficient_balance': {
    status: 402,
    envelope: 'messaging',
    text: 'Insufficient balance. Please top up your account.',
    exit: 'payment',
    code: 'INSUFFICIENT_BALANCE',
    hint: topUpHint,
  },
  'replies.failed': {
    status: 422,
    envelope: 'messaging',
    text: 'Failed to process message: {details}',
    exit: 'platform',
    code: 'UNKNOWN_ERROR',
    hint: 'Nothing was charged. Try again.',
  },
} as const satisfies Record<string, FailureKind>

/** Errors of the control interface about events, deliveries and simulations. All of them are assumed. */
const eventFailures = {
  'deliveries.not_found': {
    status: 404,
    envelope: 'message',
    text: 'Delivery not found',
    exit: 'not_found',
    hint: 'List them: parley server deliveries list.',
  },
  'deliveries.webhook_disabled': {
    status: 409,
    envelope: 'message',
    text: 'The webhook of this delivery is disabled. Nothing was sent.',
    exit: 'conflict',
    hint: 'Enable the webhook, or send a copy with --url.',
  },
  'nodes.not_found': {
    status: 404,
    envelope: 'message',
    text: 'Server not found',
    exit: 'not_found',
    hint: 'List them: parley server nodes.',
  },
  'inspector.unavailable': {
    status: 409,
    envelope: 'message',
    text: 'This platform has no inspector.',
    exit: 'conflict',
    hint: 'Start a server on a loopback address, or with --ui-public: parley server start.',
  },
  'webhooks.sender_not_found': {
    status: 404,
    envelope: 'message',
    text: 'Sender not found',
    exit: 'not_found',
    hint: 'List them: parley messaging senders --status all.',
  },
  'clock.nothing_due': {
    status: 409,
    envelope: 'message',
    text: 'No job of this kind is scheduled.',
    exit: 'conflict',
    hint: 'Pass a time such as 2027-06-01T09:00:00Z, or the kind of a scheduled job.',
  },
  'clock.too_many_runs': {
    status: 422,
    envelope: 'message',
    text: 'Advancing this far would start more than {limit} scheduled runs.',
    exit: 'rejected',
    hint: 'Advance in smaller steps, or pass --coalesce to start one run for each schedule.',
  },
  'simulate.not_found': {
    status: 404,
    envelope: 'message',
    text: 'This cannot be simulated: {resource} not found.',
    exit: 'not_found',
  },
  'simulate.impossible': {
    status: 409,
    envelope: 'message',
    text: 'This cannot be simulated: {why}',
    exit: 'conflict',
  },
} as const satisfies Readonly<Record<string, FailureKind>>

/** Errors of API keys with a scope, a budget or an expiry. All of them are assumed. */
const keyFailures = {
  key_scope_missing: {
    status: 403,
    envelope: 'automation',
    code: 'KEY_SCOPE_MISSING',
    text: 'This request needs a key with another scope.',
    exit: 'auth',
    hint: 'Use another key: parley login. A person creates it: parley keys create --scope <scope>.',
  },
  key_noun_missing: {
    status: 403,
    envelope: 'automation',
    code: 'KEY_NOUN_MISSING',
    text: 'This key is restricted to other resources.',
    exit: 'auth',
    hint: 'Use another key: parley login. A person creates it: parley keys create --nouns <nouns>.',
  },
  key_expired: {
    status: 401,
    envelope: 'automation',
    code: 'KEY_EXPIRED',
    text: 'This API key has expired.',
    exit: 'auth',
    hint: 'Create another key, then sign in: parley login.',
  },
  key_budget_exceeded: {
    status: 403,
    envelope: 'automation',
    code: 'KEY_BUDGET_EXCEEDED',
    text: 'The budget of this key is spent.',
    exit: 'payment',
    hint: 'Nothing was charged. Wait until the budget renews, or use another key: parley keys list.',
  },
} as const satisfies Readonly<Record<string, FailureKind>>

const defineFailures = <const T extends Record<string, FailureKind>>(table: T): T => table

/** Every error of the platform, with its text, its envelope and its exit code. */
export const failures = defineFailures({
  // Errors of any endpoint (sections 5, 7.4). The bodies are assumed.
  unauthenticated: {
    status: 401,
    envelope: 'message',
    text: 'Unauthenticated.',
    exit: 'auth',
    hint: 'Sign in with a valid API key: parley login. Or set PARLEY_API_KEY.',
  },
  forbidden: { status: 403, envelope: 'message', text: 'This action is unauthorized.', exit: 'auth' },
  no_route: { status: 404, envelope: 'message', text: 'Not Found', exit: 'not_found' },
  wrong_method: { status: 405, envelope: 'message', text: 'Method Not Allowed', exit: 'rejected' },
  wrong_host: { status: 421, envelope: 'message', text: 'Misdirected Request', exit: 'rejected' },
  malformed: { status: 400, envelope: 'message', text: 'The request body is not valid JSON.', exit: 'rejected' },
  not_json: { status: 415, envelope: 'message', text: 'Send the body as application/json.', exit: 'rejected' },
  unsupported_encoding: {
    status: 415,
    envelope: 'message',
    text: 'Unsupported Content-Encoding. Use gzip, deflate, br or identity.',
    exit: 'rejected',
  },
  too_large: { status: 413, envelope: 'message', text: 'The request body is larger than 2 MB.', exit: 'rejected' },
  invalid: { status: 422, envelope: 'validation', text: 'The given data was invalid.', exit: 'rejected' },
  throttled: {
    status: 429,
    envelope: 'message',
    text: 'Too Many Attempts.',
    exit: 'rate_limited',
    hint: 'Wait, then try again.',
  },
  idempotency_conflict: {
    status: 409,
    envelope: 'message',
    text: 'This Idempotency-Key was used with another request.',
    exit: 'conflict',
    hint: 'Use a new key for a new request.',
  },
  idempotency_busy: {
    status: 409,
    envelope: 'message',
    text: 'A request with this Idempotency-Key is still in progress.',
    exit: 'conflict',
    hint: 'Wait, then retry with the same key.',
  },
  idempotency_interrupted: {
    status: 409,
    envelope: 'message',
    text: 'The server ended while it processed the request with this Idempotency-Key. The request may have been processed in part.',
    exit: 'conflict',
    hint: 'Check what was created. To send the request again, use a new key.',
  },
  idempotency_unknown: {
    status: 404,
    envelope: 'message',
    text: 'No request with this Idempotency-Key was received.',
    exit: 'not_found',
  },
  internal: { status: 500, envelope: 'message', text: 'Server Error', exit: 'platform' },
  unavailable: { status: 503, envelope: 'message', text: 'Service Unavailable', exit: 'platform' },

  ...keyFailures,
  'keys.exceeds_own': {
    status: 403,
    envelope: 'automation',
    code: 'KEY_EXCEEDS_OWN',
    text: 'A key cannot create a key with more rights than its own.',
    exit: 'auth',
    hint: 'Use a key without restrictions, or: parley server accounts key <account>.',
  },
  'keys.not_found': { status: 404, envelope: 'message', text: 'API key not found.', exit: 'not_found' },

  'approvals.not_found': {
    status: 404,
    envelope: 'message',
    text: 'Operation not found.',
    exit: 'not_found',
    hint: 'List them: parley ops list --pending.',
  },
  'approvals.not_possible': {
    status: 409,
    envelope: 'automation',
    code: 'APPROVAL_STATE',
    text: 'The state of this operation does not allow this.',
    exit: 'conflict',
    hint: 'List them: parley ops list --pending.',
  },
  'approvals.too_many': {
    status: 409,
    envelope: 'automation',
    code: 'APPROVALS_WAITING',
    text: 'Too many operations of this account wait for a decision.',
    exit: 'conflict',
    hint: 'Decide about them first: parley ops list --pending.',
  },

  'user.stopped': {
    status: 409,
    envelope: 'automation',
    code: 'ACCOUNT_STOPPED',
    text: 'Everything of this account is stopped, so nothing was started, sent or charged.',
    exit: 'conflict',
    hint: 'To continue: parley resume.',
  },
  'user.stop_changed': {
    status: 409,
    envelope: 'automation',
    code: 'STOP_CHANGED',
    text: 'The account is not in the stop that the request names. Nothing was continued.',
    exit: 'conflict',
    hint: 'Run the command again to see what is stopped now.',
  },

  'accounts.not_found': { status: 404, envelope: 'message', text: 'Account not found', exit: 'not_found' },
  'faults.not_found': {
    status: 404,
    envelope: 'message',
    text: 'Fault rule not found',
    exit: 'not_found',
    hint: 'List them: parley server faults list.',
  },
  'platform.not_empty': {
    status: 409,
    envelope: 'message',
    text: 'This platform already has data.',
    exit: 'conflict',
    hint: 'To delete all data and start over: parley server reset.',
  },

  'platform.damaged': {
    status: 409,
    envelope: 'message',
    text: 'The database is damaged, so its counters were not rebuilt.',
    exit: 'conflict',
    hint: 'Restore a backup: parley server snapshot restore.',
  },

  'tools.not_found': { status: 404, envelope: 'message', text: 'Tool not found', exit: 'not_found' },

  // Section 4.5. The statuses are assumed.
  'numbers.in_use': {
    status: 400,
    envelope: 'error',
    text: 'This phone number is already in use.',
    exit: 'conflict',
    hint: 'Search again: parley numbers search.',
  },
  'numbers.not_available': {
    status: 400,
    envelope: 'error',
    text: 'This phone number is not available for purchase. Please search for available numbers first.',
    exit: 'conflict',
    hint: 'Search again: parley numbers search.',
  },
  'numbers.no_payment_method': {
    status: 402,
    envelope: 'error',
    text: 'No payment method found. Please add a payment method to your account.',
    exit: 'payment',
    hint: 'Nothing was charged. Add a payment method to the account, then buy again.',
  },
  'numbers.payment_failed': {
    status: 402,
    envelope: 'error',
    text: 'Payment failed. Please update your payment method.',
    exit: 'payment',
    hint: 'Nothing was charged. Update the payment method, then buy again.',
  },
  'numbers.unparseable': {
    status: 422,
    envelope: 'error',
    text: 'Unable to parse phone number. Please provide a valid E.164 format number.',
    exit: 'rejected',
    hint: e164Hint,
  },
  'numbers.provider_failed': {
    status: 500,
    envelope: 'error',
    text: 'Failed to purchase phone number from provider. Please contact support.',
    exit: 'platform',
    hint: 'Check that the charge was refunded before you buy again.',
  },
  'numbers.not_found': { status: 404, envelope: 'error', text: 'Phone number not found.', exit: 'not_found' },
  'numbers.release_scheduled': {
    status: 400,
    envelope: 'error',
    text: 'This phone number is already scheduled for removal.',
    exit: 'conflict',
  },
  'numbers.release_failed': {
    status: 500,
    envelope: 'error',
    text: 'Failed to release phone number. Please try again or contact support.',
    exit: 'platform',
  },

  ...assistantFailures,
  ...conversationFailures,
  ...eventFailures,
  ...snapshotFailures,
  ...messagingFailures,
  ...automateFailures,
  ...callingFailures,
})

export type FailureName = keyof typeof failures

/** Error of the platform. Services throw it, and the server turns it into a status and an envelope. */
export class Failure extends Error {
  readonly kind: FailureName
  readonly errors?: Readonly<Record<string, readonly string[]>>
  readonly extra?: Readonly<Record<string, unknown>>
  /**
   * Additional fields of the body that the specification does not list. They are sent only when the request asks for
   * them (`Parley-Details`).
   */
  readonly details?: Readonly<Record<string, unknown>>
  /** Extra response headers, such as Retry-After. */
  readonly headers?: Readonly<Record<string, string>>
  /** Replacement for `{code}` in the wire code of the kind. */
  readonly providerCode?: string

  constructor(
    kind: FailureName,
    more: {
      text?: string
      providerCode?: string
      errors?: Record<string, readonly string[]>
      extra?: Record<string, unknown>
      details?: Record<string, unknown>
      headers?: Record<string, string>
    } = {},
  ) {
    super(more.text ?? failures[kind].text)
    this.name = 'Failure'
    this.kind = kind
    if (more.errors) this.errors = more.errors
    if (more.extra) this.extra = more.extra
    if (more.details) this.details = more.details
    if (more.headers) this.headers = more.headers
    if (more.providerCode !== undefined) this.providerCode = more.providerCode
  }
}

/** Returns a 422 failure for one field. */
export const invalidField = (field: string, text: string): Failure =>
  new Failure('invalid', { text, errors: { [field]: [text] } })

/** Returns a 422 failure for a field with the id of something that does not exist. */
export const invalidSelection = (field: string): Failure => invalidField(field, selectionText(field))

/** Returns the text for a field with the id of something that does not exist, or of another account. */
export const selectionText = (field: string): string => `The selected ${field.replaceAll('_', ' ')} is invalid.`

/** Returns the code of a failure on the wire: its explicit code, or the part of its name after the dot. */
export const wireCode = (name: FailureName): string =>
  (failures[name] as FailureKind).code ?? name.slice(name.indexOf('.') + 1)

/** Returns the response body of a failure (section 7.1). With `isDetailed`, the body includes `details`. */
export function toEnvelope(failure: Failure, isDetailed = false): Record<string, unknown> {
  const { envelope, extra: always }: FailureKind = failures[failure.kind]
  const extra = { ...always, ...failure.extra, ...(isDetailed && failure.details) }
  return envelopes[envelope]({
    text: failure.message,
    code: wireCode(failure.kind).replace('{code}', failure.providerCode ?? 'UNKNOWN'),
    ...(failure.errors && { errors: failure.errors }),
    extra,
  })
}
