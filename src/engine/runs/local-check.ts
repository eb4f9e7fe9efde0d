import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { walkSteps } from '../../contract/automations/walk-steps.ts'
import { lintExpressions } from '../analysis/lint-expressions.ts'
import { compileDefinition } from '../definition/compile-definition.ts'
import { getOwn, nodeErrorHandling, nodeInput, nodeSettings } from '../definition/node.ts'
import type { Problem } from '../definition/problems.ts'
import { validateDefinition } from '../definition/validate-definition.ts'
import type { Sandbox } from '../expressions/sandbox.ts'
import { findTokens } from '../expressions/tokens.ts'
import { findPiece, triggerOf } from '../pieces/registry.ts'
import { createTriggerPayload } from '../templates/event-samples.ts'
import { reachesOutside, type SimulatedStep, simulateRun } from './simulate-run.ts'

/** Reason why a definition would fail on any platform. */
export interface LocalFailure {
  /** Name of the step; null for the definition as a whole. */
  readonly step: string | null
  /** Path inside the step, such as `settings.input.url`; empty for the step as a whole. */
  readonly path: string
  readonly message: string
  /** Input of the step with masked secrets; undefined if it did not run. */
  readonly input?: unknown
}

/** Step whose result is only known on a platform. */
interface UntestedStep {
  /** Name of the step; null for the definition as a whole. */
  readonly step: string | null
  readonly reason: string
}

/** Result of a check without a platform. A definition with `failures` is not sent (safe-update.ts of the command line). */
export interface LocalCheckResult {
  readonly failures: readonly LocalFailure[]
  readonly notTested: readonly UntestedStep[]
  /** References to names that no step has. They insert nothing. */
  readonly unknownReferences: readonly string[]
  /** Inputs of the steps by name, with masked secrets. */
  readonly inputs: Readonly<Record<string, unknown>>
}

/** What a local check runs a definition with. */
interface LocalCheckOptions {
  readonly sandbox: Sandbox
  /** Input of the trigger (default: an empty request, or a sample event). */
  readonly sample?: unknown
  /** Microseconds since 1970. */
  readonly now: number
  readonly signal: AbortSignal
}

/**
 * Checks a definition and runs it without sending anything.
 * A failure is reported only if it does not depend on a step that was not run: one that uses an external service, one
 * of an unknown piece, or a stored value. Everything else is listed as not tested.
 */
export async function checkDefinitionLocally(
  flow: unknown,
  { sandbox, sample, now, signal }: LocalCheckOptions,
): Promise<LocalCheckResult> {
  const validated = await validateDefinition(flow, sandbox, { allowUnknownPieces: true })
  if (!validated.ok) {
    const failures = validated.problems.filter((it) => !isLocalLimitation(it))
    if (failures.length > 0) return { failures, notTested: [], unknownReferences: [], inputs: {} }
    return {
      failures: [],
      notTested: uniqueByStep(validated.problems.map(({ step, message }) => ({ step, reason: message }))),
      unknownReferences: [],
      inputs: {},
    }
  }
  const { definition, unknown } = validated
  const unknownSteps = new Map(
    unknown.map((it): [string, UntestedStep] => [String(it.step), { step: it.step, reason: it.message }]),
  )
  const trigger = await compileDefinition(definition)
  const mocks = Object.fromEntries([...unknownSteps.keys()].map((name) => [name, null]))
  const { status, steps } = await simulateRun({
    trigger,
    payload: createTriggerPayload(trigger, sample, now),
    mocks,
    sandbox,
    now,
    signal,
  })
  const unknownReferences = await listUnknownReferences(definition)
  const uncertain = findUncertainSteps(definition, sample, unknownSteps)
  const skipped = [...unknownSteps.values(), ...listUnrunSteps(steps)]
  const inputs = Object.fromEntries(steps.filter((it) => it.input !== null).map((it) => [it.name, it.input]))
  if (status !== 'FAILED') return { failures: [], notTested: uniqueByStep(skipped), unknownReferences, inputs }
  const failed = findRootFailures(steps, definition)
  const certainFailures = failed.filter((it) => !uncertain.has(it.name) && !usesHostGlobal(it.error))
  const uncertainFailures = failed.filter((it) => !certainFailures.includes(it))
  return {
    failures: certainFailures.map(({ name, error, input }) => ({
      step: name,
      path: '',
      message: error ?? 'The step failed.',
      input,
    })),
    notTested: uniqueByStep([
      ...skipped,
      ...uncertainFailures.map((it): UntestedStep => ({ step: it.name, reason: uncertaintyReason(it, uncertain) })),
    ]),
    unknownReferences,
    inputs,
  }
}

/** Describes the references to names that no step has, in the words of lint. */
export async function listUnknownReferences(trigger: AutomationNode): Promise<string[]> {
  const findings = await lintExpressions(trigger, undefined)
  return findings
    .filter((it) => it.rule === 'unknown-step')
    .map(({ step, path, message }) => `${step} ${path}: ${message}`)
}

const uniqueByStep = (all: readonly UntestedStep[]): UntestedStep[] => [
  ...new Map(all.map((it) => [it.step, it])).values(),
]

/** Returns the steps that send, call or query a service. They are not run locally. */
const listUnrunSteps = (steps: readonly SimulatedStep[]): UntestedStep[] =>
  steps
    .filter((it) => it.status === 'NOT_RUN')
    .map((it) => ({ step: it.name, reason: 'it sends, calls or queries a service' }))

/**
 * Returns whether a problem is a limitation of this program: another platform may have the package or global. It recognizes the
 * paths and texts of validate-definition.ts.
 */
const isLocalLimitation = ({ path, message }: Problem): boolean =>
  /^settings\.(?:sourceCode\.packageJson$|artifact)/.test(path) ||
  /is not available in a code step|Loops over batches/.test(message)

/**
 * Returns the steps that caused the failure. Excludes loops that failed because of a step inside them, and steps that
 * are allowed to fail.
 */
function findRootFailures(steps: readonly SimulatedStep[], trigger: AutomationNode): SimulatedStep[] {
  const failed = steps.filter((it) => it.status === 'FAILED')
  const mayFail = new Set(
    [...walkSteps(trigger)]
      .filter(({ node }) => nodeErrorHandling(node).continueOnFailure)
      .map(({ node }) => String(node.name)),
  )
  return failed.filter((it) => !mayFail.has(it.name) && !failed.some((other) => other.path.startsWith(`${it.path}[`)))
}

/** Returns, by step name, the source that makes the result of a step unknown locally. */
function findUncertainSteps(
  trigger: AutomationNode,
  sample: unknown,
  unknownSteps: ReadonlyMap<string, unknown>,
): Map<string, string> {
  const uncertain = new Map(
    [...unknownSteps.keys()].filter((it) => it !== 'trigger' || sample === undefined).map((it) => [it, it]),
  )
  // The generated event may lack fields that the sample of a platform has.
  if (sample === undefined && triggerOf(trigger)?.binding) uncertain.set('trigger', 'the event, as there is no sample')
  const visits = [...walkSteps(trigger)]
  for (const { node } of visits)
    if (usesStoredValues(node) || reachesOutside(node)) uncertain.set(String(node.name), String(node.name))
  for (let hasGrown = true; hasGrown; ) {
    hasGrown = false
    for (const { node, inside } of visits) {
      const name = String(node.name)
      if (uncertain.has(name)) continue
      const because = findUncertainSource(node, uncertain) ?? (inside && uncertain.get(String(inside.node.name)))
      if (because === undefined || because === null) continue
      uncertain.set(name, because)
      hasGrown = true
    }
  }
  return uncertain
}

/** Returns whether a step uses values that the platform stores between runs. */
const usesStoredValues = (node: AutomationNode): boolean =>
  findPiece(getOwn(nodeSettings(node), 'pieceName'))?.names[0] === 'store'

function findUncertainSource(node: AutomationNode, uncertain: ReadonlyMap<string, string>): string | undefined {
  for (const { token } of findTokens(nodeInput(node)))
    for (const [name] of token.matchAll(/[A-Za-z_$][\w$]*/g)) if (uncertain.has(name)) return uncertain.get(name)
  return undefined
}

const uncertaintyReason = ({ name, error }: SimulatedStep, uncertain: ReadonlyMap<string, string>): string => {
  const because = uncertain.get(name)
  if (usesHostGlobal(error)) return `its code uses a global that is not available locally (${error})`
  return because === undefined || because === name
    ? 'its result is known only on the platform'
    : `it depends on ${because}`
}

/** Returns whether an error is caused by a global that other engines may have and this sandbox may not. */
const usesHostGlobal = (error: string | null): boolean =>
  /\b(fetch|require|process|Buffer|setTimeout|setInterval|setImmediate|XMLHttpRequest|WebSocket|module|exports|global|structuredClone|crypto)\b['"]? is not (defined|a function)/.test(
    error ?? '',
  )
