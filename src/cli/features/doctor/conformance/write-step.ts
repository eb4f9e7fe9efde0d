import { property } from '../../../../client/response-body.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { stringifyJson } from '../../../../node/json.ts'

/** A value that a read must return after a write; `$` in its input names a stored value. */
export interface Expectation {
  readonly endpoint: string
  readonly input: Readonly<Record<string, unknown>>
  /** Expected value, for messages. */
  readonly description: string
  readonly isMet: (output: unknown, answered: unknown, getStored: (name: string) => unknown) => boolean
}

/** A write, and the part of its response that later requests reference with `$`. */
export interface WriteStep {
  readonly endpoint: string
  readonly input: Readonly<Record<string, unknown>>
  /** Runs only if a write of this endpoint succeeded. */
  readonly after?: string
  /** Values to store, by name, if the response is not understood. */
  readonly otherwise?: Readonly<Record<string, unknown>>
  /** Stores a part of the response under this name. */
  readonly storeAs?: string
  /** Selects that part (default: the id of the created resource). */
  readonly select: (output: unknown, getStored: (name: string) => unknown) => unknown
  /** Values that reads must return afterwards. */
  readonly expectations: readonly Expectation[]
  /** Path of a secret in the response, which no later response may contain. */
  readonly secretPath?: string
}

/** Selects the id of the record in a response. */
export const idOf = (output: unknown): unknown => property(property(output, 'data'), 'id')
/**
 * Returns a write. `keep` is the name under which later steps find what `part` selects from its response (default: the id).
 */
export const step = (
  endpoint: string,
  input: WriteStep['input'],
  keep?: string,
  part: WriteStep['select'] = idOf,
  seen: readonly Expectation[] = [],
): WriteStep => ({
  endpoint,
  input,
  select: part,
  expectations: seen,
  ...(keep !== undefined && { storeAs: keep }),
})
/** Returns a write that reads must show afterwards, and of which nothing is stored. */
export const stepExpecting = (
  endpoint: string,
  input: WriteStep['input'],
  ...seen: readonly Expectation[]
): WriteStep => step(endpoint, input, undefined, idOf, seen)
/** Returns what a read must show after a write. `what` names it in the report. */
export const expectation = (
  endpoint: string,
  input: Expectation['input'],
  what: string,
  holds: Expectation['isMet'],
): Expectation => ({ endpoint, input, description: what, isMet: holds })

/** Returns the row with an id in the response of a list; undefined if it is not there. */
export const rowIn = (output: unknown, id: unknown): unknown => {
  const items = Array.isArray(output) ? output : property(output, 'data')
  return Array.isArray(items) ? items.find((it) => isObject(it) && String(it.id) === String(id)) : undefined
}
/** Expects a field in the row of a created resource. */
export const expectField = (
  list: string,
  input: Expectation['input'],
  storedName: string,
  name: string,
  expected: unknown,
): Expectation =>
  expectation(
    list,
    input,
    `${name} ${stringifyJson(expected)}`,
    (output, _, getStored) => property(rowIn(output, getStored(storedName)), name) === expected,
  )
/** Expects that the definition of the automation of this run of the check contains a text. */
export const expectCode = (what: string, part: string): Expectation =>
  expectation('automate.get', { id: '$automation' }, what, (output) =>
    (stringifyJson(property(property(output, 'data'), 'definition')) ?? '').includes(part),
  )

/** Expects the status of the automation run that the check started. */
export const expectRunStatus = (status: string): Expectation =>
  expectation(
    'automate.getRun',
    { run_id: '$run' },
    `status ${status}`,
    (output) => property(property(output, 'data'), 'status') === status,
  )

/** Selects a field of the first item in a list that has all wanted values. */
export const selectFromList =
  (list: string, field: string, wanted: Readonly<Record<string, unknown>> = {}): WriteStep['select'] =>
  (output) => {
    const items = property(output, list)
    const isWanted = (record: unknown): boolean =>
      Object.entries(wanted).every(([name, value]) => property(record, name) === value)
    return property(Array.isArray(items) ? items.find(isWanted) : undefined, field)
  }

/** Returns a definition that only runs code, so that its test sends nothing. */
export const codeFlow = (source: string, input: object = {}): object => ({
  trigger: {
    name: 'trigger',
    type: 'PIECE_TRIGGER',
    settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: { authType: 'none' } },
  },
  steps: [
    {
      name: 'step_1',
      type: 'CODE',
      settings: { sourceCode: { code: `export const code = async (inputs) => (${source})`, packageJson: '{}' }, input },
    },
  ],
})
