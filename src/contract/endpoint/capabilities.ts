/**
 * Features that a Parley server has beyond the specification, each with the sentence of docs/assumptions.md. The server
 * lists their names in every response. A command checks for a capability and never for "local" or "remote". An endpoint
 * or a request header that belongs to a capability is only used if the server lists the capability.
 */
export const capabilities = {
  idempotency:
    '`Idempotency-Key` is honored on every `POST` for 24 hours, and `Parley-Recall` returns the outcome of an earlier request',
  'idempotent-changes': '`Idempotency-Key` is honored on `PUT` and `DELETE`, too',
  'when-tested':
    '`Parley-Publish: when-tested`: a definition is tested as a draft and published in one transaction when the test passes',
  versions: 'Any published version of an automation can be read and restored by its number',
  'version-guard':
    '`Parley-If-Version`: a change of an automation based on another version than the live one is refused with 409. Answers have the live version in `Parley-Version`',
  details:
    '`Parley-Details: full`: automations and lists of conversations have fields that the specification does not list',
  runs: 'Runs of all automations with filters, and each step with input, output and error. Runs can be cancelled, and repeated as new runs. `Parley-Run-Version: latest` uses the live version. `Parley-Run` has the id of a test run',
  'assistant-status': 'Assistants can be activated and deactivated',
  billing: 'Balance, usage, subscriptions, forecast and limits of the account can be read from its ledger',
  'campaign-update': 'A campaign that is neither running nor scheduled can be changed, except its channel',
  'call-stop': 'A call in progress can be ended: as `ended` when it was answered, otherwise as `no-answer`',
  'messaging-list': 'The messages that senders and campaigns have sent can be listed, with their delivery status',
  'sender-assistants': 'The assistant that answers for each messaging sender can be read, assigned and unassigned',
  'messaging-sessions': 'The 24-hour messaging windows of all recipients can be listed',
  'knowledge-search': 'A knowledge base can be searched as its assistants search it',
} as const

export type Capability = keyof typeof capabilities

/** Returns the capability of a platform that carries out requests of a method with the same key once. */
export const idempotencyOf = (method: string): Capability => (method === 'POST' ? 'idempotency' : 'idempotent-changes')

/** Name of the response header that lists the capabilities, separated by spaces. */
export const capabilitiesHeader = 'parley-capabilities'

/** Returns the capabilities that a response lists, including names that this client does not know. */
export const parseCapabilities = (headers: Readonly<Record<string, string>>): ReadonlySet<string> =>
  new Set((headers[capabilitiesHeader] ?? '').split(/[\s,]+/).filter((it) => it !== ''))
