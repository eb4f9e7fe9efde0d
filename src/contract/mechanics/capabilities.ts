/**
 * Names of the features that a Parley server has beyond the specification. The server lists them in every response.
 * A command checks for a capability and never for "local" or "remote". An endpoint or a request header that belongs to
 * a capability is only used if the server lists the capability.
 */
export const capabilities = [
  // Supports `Idempotency-Key` on every POST for 24 hours, and `Parley-Recall`, which returns the result of an earlier
  // request.
  'idempotency',
  // Supports `Parley-Publish: when-tested` on an update with a definition. The definition is tested as a draft and
  // published in one transaction if the test passes.
  'when-tested',
  // Any published version of an automation can be read and restored by its number.
  'versions',
  // Supports `Parley-If-Version` on changes of an automation: 409 if another version is live. Responses have the live
  // version in `Parley-Version`.
  'version-guard',
  // Supports `Parley-Details: full`, which adds fields that the specification does not list to automations and lists of
  // conversations.
  'details',
  // Lists the runs of all automations with filters, and shows the input, output and error of each step of a run.
  // `Parley-Run` has the id of a test run.
  'runs',
  // Assistants can be activated and deactivated.
  'assistant-status',
] as const

export type Capability = (typeof capabilities)[number]

/** Name of the response header that lists the capabilities, separated by spaces. */
export const capabilitiesHeader = 'parley-capabilities'

/** Returns the capabilities that a response lists, including names that this client does not know. */
export const parseCapabilities = (headers: Readonly<Record<string, string>>): ReadonlySet<string> =>
  new Set((headers[capabilitiesHeader] ?? '').split(/[\s,]+/).filter((it) => it !== ''))
