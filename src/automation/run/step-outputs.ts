import { parseJson, stringifyJson } from '../../node/json.ts'
import type { StepRow } from '../../store/automations/run-steps.ts'
import { maxOutput, maxOutputs } from './run-limits.ts'
import { toJsonList } from './stored-input.ts'

/** The outputs of the steps of a run. */
export class StepOutputs {
  /** Values that tokens may refer to. The latest output of a name counts. */
  readonly values: Record<string, unknown> = Object.create(null)
  /** Outputs of the steps of one loop iteration, by iteration. */
  readonly #iterations = new Map<string, Record<string, unknown>>()
  #size = 0

  /** Returns whether the outputs of the run may grow by this text. */
  hasRoom(json: string): boolean {
    return this.#size + json.length <= maxOutputs
  }

  /** Saves the output of a step, also for the loop iteration that its path belongs to. */
  save(path: string, name: string, json: string): void {
    this.#size += json.length
    const output: unknown = parseJson(json)
    this.values[name] = output
    if (path.length === name.length) return
    const iteration = path.slice(0, path.length - name.length)
    const outputs = this.#iterations.get(iteration) ?? {}
    outputs[name] = { output }
    this.#iterations.set(iteration, outputs)
  }

  delete(name: string): void {
    delete this.values[name]
  }

  /** Removes and returns the outputs of one loop iteration. */
  endIteration(iteration: string): Record<string, unknown> {
    const outputs = this.#iterations.get(iteration) ?? {}
    this.#iterations.delete(iteration)
    return outputs
  }
}

/** Returns the end of a loop. Omits the outputs of its iterations if they are too large to store together. */
export function loopEnd(
  path: string,
  row: StepRow | undefined,
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
