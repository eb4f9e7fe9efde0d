import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { isError } from '../../node/is-error.ts'
import { parseJson, stringifyJson } from '../../node/json.ts'
import { getOwn, nodeInput } from '../definition/node.ts'
import { listRouterBranches } from '../definition/router-branches.ts'
import { findConnectionSecrets, hideSecrets } from '../definition/secrets.ts'
import type { ConnectionsPort } from '../pieces/ports.ts'
import type { StepContext, StepOutcome } from '../pieces/step-context.ts'
import { StepFailure } from '../pieces/step-failure.ts'
import type { Outputs, StepState, WalkerDeps } from './run-state.ts'
import { maxLog, maxOutput } from './step-limits.ts'
import { hideSecretsInJson, type Scope, toStoredInput } from './step-outputs.ts'

/**
 * Result of one attempt: an outcome with its output as JSON, a failure, or `broken` if it was interrupted. The walker stores `input`,
 * `shown`, `unresolved` and `log`, which people with access to the run read.
 */
type AttemptResult = {
  readonly unresolved: readonly string[]
  readonly log: readonly string[]
  /** Hides the secrets that this attempt used, so that a text can be stored and displayed. */
  readonly hide: (text: string) => string
  /** Secrets that this attempt used, including those of earlier steps. */
  readonly secrets: readonly string[]
  /** Input of the step as JSON for display: without secrets, and limited in size. Null if it could not be resolved. */
  readonly input: string | null
  /** Output as JSON for display, with its secrets hidden; null if it contains no secrets or there is no output. */
  readonly shown: string | null
} & (
  | { readonly outcome: StepOutcome; readonly json: string }
  | { readonly failure: StepFailure }
  | { readonly broken: true }
)

/** What a step gets besides its input, log and ports, which `attempt` itself provides. */
type AttemptContext = Omit<StepContext, 'input' | 'log' | 'ports'>

/**
 * Resolves the input of a step and runs it, with the given context, until the signal is aborted.
 * `known` are the secrets of the definition.
 * @throws errors that `isUnavailable` names
 */
export async function attempt(
  { machine, ports, isUnavailable }: Pick<WalkerDeps, 'machine' | 'ports' | 'isUnavailable'>,
  node: AutomationNode,
  context: AttemptContext,
  { values, errors }: Pick<Scope, 'values' | 'errors'>,
  known: readonly string[] = [],
): Promise<AttemptResult> {
  const secrets = [...known]
  const hide = (text: string): string => hideSecrets(text, secrets)
  const log: string[] = []
  let unresolved: readonly string[] = []
  let receivedInput: unknown
  const describeAttempt = (json?: string) => ({
    unresolved,
    log,
    hide,
    secrets,
    input: toStoredInput(receivedInput, secrets),
    shown: hideSecretsInJson(json, secrets),
  })
  const addLogLine = (text: string): void => {
    if (log.length < maxLog.lines) log.push(hide(text).slice(0, maxLog.length))
  }
  try {
    const input = await machine.resolve(resolvableInput(node, values), values, context.account, {
      now: context.now / 1000,
      signal: context.signal,
      errors,
    })
    unresolved = input.unresolved
    receivedInput = input.value
    if (input.secrets) secrets.push(...input.secrets)
    const stepContext: StepContext = Object.assign(context, {
      input: input.value,
      log: addLogLine,
      ports: { ...ports, connections: recordingSecrets(ports.connections, secrets) },
    })
    const running = machine.getRunner(node)(stepContext, node)
    // A step without effects outside the run either ends at once or ends when it is aborted.
    const outcome = machine.isInner?.(node) ? await running : await untilAborted(context.signal, running)
    if (outcome === undefined) return { broken: true, ...describeAttempt() }
    const json = stringifyJson(outcome.output) ?? 'null'
    if (json.length > maxOutput)
      throw new StepFailure(`The output of the step is larger than ${maxOutput / 1_000_000} MB.`)
    return { outcome, json, ...describeAttempt(json) }
  } catch (error) {
    if (context.signal.aborted) return { broken: true, ...describeAttempt() }
    // The run is continued when the database can be used again. Its users must not see the place of the database.
    if (isUnavailable?.(error)) throw error
    const failure = toFailure(error)
    return { failure, ...describeAttempt(failure.output === undefined ? undefined : stringifyJson(failure.output)) }
  }
}

/**
 * Returns the part of a step that is resolved before it runs: its input, and for a converted ROUTER the conditions of
 * all branches.
 */
function resolvableInput(node: AutomationNode, outputs: Outputs): unknown {
  const ways = node.type === 'BRANCH' ? listRouterBranches(node) : undefined
  if (ways) return { ways }
  const decided = node.type === 'BRANCH' ? getOwn(node.settings, 'decided') : undefined
  return decided === undefined
    ? nodeInput(node)
    : { ...nodeInput(node), decided: isObject(decided) ? readDecision(decided, outputs) : decided }
}

/** Returns what a ROUTER decided about a branch. Its name may be one that no expression can have. */
function readDecision({ step, branch }: Readonly<Record<string, unknown>>, outputs: Outputs): unknown {
  const branches = getOwn({ ...(outputs[String(step)] as object | undefined) }, 'branches')
  return getOwn(Array.isArray(branches) ? branches[Number(branch)] : undefined, 'evaluation')
}

/** Wraps a connections port to record the secrets that it returns. */
function recordingSecrets(connections: ConnectionsPort, secrets: string[]): ConnectionsPort {
  return {
    async find(account, name) {
      const found = await connections.find(account, name)
      if (found.status === 'active') secrets.push(...findConnectionSecrets(found.secret))
      return found
    },
  }
}

function toFailure(error: unknown): StepFailure {
  if (error instanceof StepFailure) return error
  return new StepFailure(isError(error) ? error.message : String(error))
}

/** Returns undefined if the signal is aborted first. Work that ignores the signal is abandoned. */
function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/**
 * Describes a failure. Unresolved expressions come first, because they are the likely cause. `failureMessage` recognizes
 * this beginning and removes it.
 */
export function describeFailure({ message, classification }: StepFailure, unresolved: readonly string[]): string {
  // The database cannot store NUL characters.
  const cleaned = message.replaceAll('\0', '')
  return classification === 'wiring_error' ? `${unresolvedPrefix(unresolved)}${cleaned}` : cleaned
}

function unresolvedPrefix(unresolved: readonly string[]): string {
  if (unresolved.length === 0) return ''
  const named = unresolved.slice(0, 5).map((it) => (it.startsWith('{{') ? it : `{{${it}}}`).replaceAll('\0', ''))
  const more = unresolved.length > named.length ? ` and ${unresolved.length - named.length} more` : ''
  return `No value for ${named.join(', ')}${more}. `
}

/** Returns the message of a failed step as later steps see it: without the unresolved expressions. */
export function failureMessage({ error, unresolved }: Pick<StepState, 'error' | 'unresolved'>): string {
  const prefix = unresolvedPrefix(unresolved === null ? [] : (parseJson(unresolved) as string[]))
  const text = error ?? ''
  return text.startsWith(prefix) ? text.slice(prefix.length) : text
}
