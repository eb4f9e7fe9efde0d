/**
 * What a Parley server offers beyond the specification, each by a name. It advertises them on every answer; a command asks for a capability and never for
 * "local" or "remote". An endpoint or a request header that belongs to a capability is only used where it is advertised.
 */
export const capabilities = [
  // Honours `Idempotency-Key` on every POST for 24 hours, and answers `Parley-Recall` with what became of an earlier request.
  'idempotency',
  // `Parley-Publish: when-tested` on an update with a definition: tested as a draft, published in one transaction only when the test passes.
  'when-tested',
  // Any published version of an automation can be read and restored by its number.
  'versions',
  // `Parley-If-Version` on changes of an automation: refused with 409 when another version is live. Answers tell the live version in `Parley-Version`.
  'version-guard',
  // `Parley-Details: full`: answers about automations and lists of conversations have further fields that the specification does not list.
  'details',
  // Runs of all automations with filters, and a run with the input, output and error of each step; `Parley-Run` names the run of a test.
  'runs',
  // An assistant can be activated and deactivated.
  'assistant-status',
] as const

export type Capability = (typeof capabilities)[number]

/** Name of the answer header that lists the capabilities, separated by spaces. */
export const capabilitiesHeader = 'parley-capabilities'

/** The capabilities an answer advertises. A name this client does not know is left in: it does no harm. */
export const parseCapabilities = (headers: Readonly<Record<string, string>>): ReadonlySet<string> =>
  new Set((headers[capabilitiesHeader] ?? '').split(/[\s,]+/).filter((it) => it !== ''))
