import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { getOwn, nodeInput } from '../../flow/definition/node.ts'
import { listRouterBranches } from '../../flow/definition/router-branches.ts'
import { findConnectionSecrets, hideSecrets } from '../../flow/definition/secrets.ts'
import { type ConnectionsPort, type StepContext, StepFailure, type StepOutcome } from '../../flow/pieces/ports.ts'
import { maxLog, maxOutput } from './run-limits.ts'
import type { Outputs, RunnerDeps } from './runner-deps.ts'
import { hideSecretsInJson, toStoredInput } from './stored-input.ts'

/** What came of one attempt: an outcome with its output as JSON, a failure, or nothing because it was broken off. */
export type AttemptResult = {
  readonly unresolved: readonly string[]
  readonly log: readonly string[]
  /** A text as it may be kept and shown: without the secrets this attempt knew. */
  readonly hide: (text: string) => string
  /** Secrets this attempt knew, those of earlier ones included. */
  readonly secrets: readonly string[]
  /** What the step was given, as JSON for people: without secrets, and limited in size. Null when it could not be filled in. */
  readonly input: string | null
  /** The output as JSON without secrets; null when it has none, or there is no output. */
  readonly shown: string | null
} & (
  | { readonly outcome: StepOutcome; readonly json: string }
  | { readonly failure: StepFailure }
  | { readonly broken: true }
)

export type AttemptContext = Omit<StepContext, 'input' | 'log' | 'ports'>

/**
 * Resolves what the step is given and has it done, for as long as the signal lasts. `known` are secrets of the definition; `checked` may refuse the
 * expressions that came to nothing before anything is done. Never throws.
 */
export async function attempt(
  { machine, ports }: Pick<RunnerDeps, 'machine' | 'ports'>,
  node: AutomationNode,
  context: AttemptContext,
  outputs: Outputs,
  known: readonly string[] = [],
  onUnresolved?: (unresolved: readonly string[]) => void,
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
    const input = await machine.resolve(resolvableInput(node), outputs, context.account, {
      now: context.now / 1000,
      signal: context.signal,
    })
    unresolved = input.unresolved
    receivedInput = input.value
    if (input.secrets) secrets.push(...input.secrets)
    if (unresolved.length > 0) onUnresolved?.(unresolved)
    const run = machine.getRunner(node)
    const outcome = await untilAborted(
      context.signal,
      run(
        {
          ...context,
          input: input.value,
          log: addLogLine,
          ports: { ...ports, connections: recordingSecrets(ports.connections, secrets) },
        },
        node,
      ),
    )
    if (outcome === undefined) return { broken: true, ...describeAttempt() }
    const json = JSON.stringify(outcome.output) ?? 'null'
    if (json.length > maxOutput)
      throw new StepFailure(`The output of the step is larger than ${maxOutput / 1_000_000} MB.`)
    return { outcome, json, ...describeAttempt(json) }
  } catch (error) {
    if (context.signal.aborted) return { broken: true, ...describeAttempt() }
    const failure = toFailure(error)
    return { failure, ...describeAttempt(failure.output === undefined ? undefined : JSON.stringify(failure.output)) }
  }
}

/** What of a step is filled in before it runs: its input, and for what was a ROUTER the conditions of every branch. */
function resolvableInput(node: AutomationNode): unknown {
  const ways = node.type === 'BRANCH' ? listRouterBranches(node) : undefined
  if (ways) return { ways }
  const decided = node.type === 'BRANCH' ? getOwn(node.settings, 'decided') : undefined
  return decided === undefined ? nodeInput(node) : { ...nodeInput(node), decided }
}

/** Connections that say which secrets they gave. */
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
  return new StepFailure(error instanceof Error ? error.message : String(error))
}

/** Undefined when the signal comes first: what ignores it is left behind. */
function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** A failure in words, what came to nothing first: that is where to look. */
export function describeFailure({ message, classification }: StepFailure, unresolved: readonly string[]): string {
  // No column keeps such a character.
  const cleaned = message.replaceAll('\0', '')
  if (classification !== 'wiring_error' || unresolved.length === 0) return cleaned
  const named = unresolved.slice(0, 5).map((it) => (it.startsWith('{{') ? it : `{{${it}}}`).replaceAll('\0', ''))
  const more = unresolved.length > named.length ? ` and ${unresolved.length - named.length} more` : ''
  return `No value for ${named.join(', ')}${more}. ${cleaned}`
}
