/**
 * Features that a Parley server has beyond the specification and that are not endpoints, each with the sentence of
 * docs/assumptions.md; `parleyServerOnly` declares those of endpoints. The server lists the names of all in every
 * response. A command checks for a capability and never for "local" or "remote". An endpoint or a request header that
 * belongs to a capability is only used if the server lists the capability.
 */
export const generalCapabilities = {
  idempotency:
    '`Idempotency-Key` is honored on every `POST` for 24 hours, and `Parley-Recall` returns the outcome of an earlier request',
  'idempotent-changes': '`Idempotency-Key` is honored on `PUT` and `DELETE`, too',
  'when-tested':
    '`Parley-Publish: when-tested`: a definition is tested as a draft and published in one transaction when the test passes',
  'version-guard':
    '`Parley-If-Version`: a change of an automation based on another version than the live one is refused with 409. Answers have the live version in `Parley-Version`',
  'recipient-hours':
    'Hours, days and holidays of a campaign can be evaluated in the time zone of each recipient, which is a variable of the lead or what its number tells, and a lead outside them waits',
  details:
    '`Parley-Details: full`: automations and lists of conversations have fields that the specification does not list',
} as const

/** Returns the capability of a platform that carries out requests of a method with the same key once. */
export const idempotencyOf = (method: string): 'idempotency' | 'idempotent-changes' =>
  method === 'POST' ? 'idempotency' : 'idempotent-changes'

/** Name of the response header that lists the capabilities, separated by spaces. Clients of other versions read it: it never changes. */
export const capabilitiesHeader = 'parley-capabilities'

/** Returns the capabilities that a response lists, including names that this client does not know. */
export const parseCapabilities = (headers: Readonly<Record<string, string>>): ReadonlySet<string> =>
  new Set((headers[capabilitiesHeader] ?? '').split(/[\s,]+/).filter((it) => it !== ''))
