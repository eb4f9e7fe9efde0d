import { parseJson, stringifyJson } from '../../node/json.ts'
import { hideSecrets, hideSecretsIn } from '../definition/secrets.ts'
import type { StepState } from './run-state.ts'
import { maxInput, maxOutput, maxOutputs } from './step-limits.ts'

/** Key that marks a value that was too large to be stored. It is for people: nothing reads it. */
const omittedKey = 'omitted'

/** Returns JSON with its secrets hidden; null if it contains none. */
export function hideSecretsInJson(json: string | undefined, secrets: readonly string[]): string | null {
  // Searching the whole text once is much cheaper than searching every text in it.
  if (json === undefined || secrets.length === 0 || hideSecrets(json, secrets) === json) return null
  return stringifyJson(hideSecretsIn(parseJson(json), secrets))
}

/** Returns the input of a step in the form that is stored for display. */
export function toStoredInput(input: unknown, secrets: readonly string[]): string | null {
  const json = stringifyJson(input)
  if (json === undefined) return null
  const shown = hideSecretsInJson(json, secrets) ?? json
  if (shown.length <= maxInput.length) return shown
  return stringifyJson({
    [omittedKey]: `${shown.length} characters; the first ${maxInput.beginning} are in "beginning"`,
    beginning: shown.slice(0, maxInput.beginning),
  })
}

/** Returns lines as a JSON list to store; null without lines. */
export const toJsonList = (lines: readonly string[]): string | null => (lines.length > 0 ? stringifyJson(lines) : null)

/** What the steps of one chain see: earlier steps of it, and those before the loops around it. */
export interface Scope {
  /** Outputs that tokens may refer to, by name of the step. */
  readonly values: Record<string, unknown>
  /** Messages of failed steps after which the run continued, by name. */
  readonly errors: Record<string, string>
  /** Outputs of the steps of this loop iteration only. */
  readonly iteration: Record<string, { readonly output: unknown; readonly error?: { readonly message: string } }>
}

const createScope = ({ values, errors }: Pick<Scope, 'values' | 'errors'>): Scope => ({
  values: Object.assign(Object.create(null), values),
  errors: Object.assign(Object.create(null), errors),
  iteration: Object.create(null),
})

/** The outputs of the steps of a run. */
export class StepOutputs {
  readonly main: Scope
  #size = 0

  constructor(payload: unknown) {
    this.main = createScope({ values: { trigger: payload }, errors: {} })
  }

  /** Returns whether the outputs of the run may grow by this text. */
  hasRoom(json: string): boolean {
    return this.#size + json.length <= maxOutputs
  }

  /** Saves the output of a step. */
  save(scope: Scope, name: string, json: string): void {
    this.#size += json.length
    const output: unknown = parseJson(json)
    scope.values[name] = output
    scope.iteration[name] = { output }
    delete scope.errors[name]
  }

  /** Saves the error of a failed step after which the run continues, and its output if it has one. */
  saveFailure(scope: Scope, name: string, message: string, json: string | null): void {
    this.save(scope, name, json ?? 'null')
    scope.errors[name] = message
    scope.iteration[name] = { output: scope.values[name], error: { message } }
  }

  /** Returns the scope of an iteration of a loop: its steps are visible only in it. */
  enterIteration(scope: Scope): Scope {
    return createScope(scope)
  }
}

/** Returns the end of a loop. Omits the outputs of its iterations if they are too large to store together. */
export function loopEnd(
  path: string,
  row: StepState | undefined,
  outputs: StepOutputs,
  state: { readonly item: unknown; readonly index: number; readonly iterations: readonly unknown[] },
) {
  const json = stringifyJson(state)
  const isLarge = json.length > maxOutput || !outputs.hasRoom(json)
  return {
    path,
    failures: row?.failures ?? 0,
    input: null,
    shown: null,
    output: isLarge ? stringifyJson({ ...state, iterations: [] }) : json,
    unresolved: row?.unresolved ?? null,
    log: isLarge ? toJsonList(['The outputs of its iterations are too large to store together.']) : null,
  }
}
