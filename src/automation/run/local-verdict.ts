import type { AutomationNode } from '../../contract/automation-node.ts'
import { examine } from '../definition/examine.ts'
import { lint } from '../definition/lint.ts'
import { errorHandlingOf, inputOf, own, settingsOf } from '../definition/node.ts'
import type { Problem } from '../definition/problem.ts'
import { runnableOf } from '../definition/publish.ts'
import { walk } from '../definition/walk.ts'
import { tokensIn } from '../expressions/tokens.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { findPiece, triggerOf } from '../steps/registry.ts'
import { payloadFor } from '../triggers/samples.ts'
import { type RehearsedStep, reachesOut, rehearse } from './rehearsal.ts'

/** A reason why a definition would fail wherever it runs. */
export interface LocalFailure {
  /** Name of the step; null for the definition as a whole. */
  readonly step: string | null
  /** Place inside the step, such as `settings.input.url`; empty for the step itself. */
  readonly path: string
  readonly message: string
  /** What the step received, secrets masked; undefined when it did not run. */
  readonly input?: unknown
}

/** A step whose result is only known where it runs for real. */
export interface NotTested {
  /** Null for the definition as a whole. */
  readonly step: string | null
  readonly reason: string
}

/** What can be said of a definition without a platform. */
export interface LocalVerdict {
  readonly failures: readonly LocalFailure[]
  readonly notTested: readonly NotTested[]
  /** What steps received, by their names, secrets masked. */
  readonly inputs: Readonly<Record<string, unknown>>
}

export interface LocalOptions {
  readonly sandbox: Sandbox
  /** What the trigger receives (default: an empty request, or a made-up event). */
  readonly sample?: unknown
  /** Microseconds since 1970. */
  readonly now: number
  readonly signal: AbortSignal
}

/**
 * Checks a definition and runs it without sending anything. A failure is only reported where it depends on no step that was not run: one that sends,
 * calls or asks a service, one of a piece that is not known here, or a stored value. Everything else is listed as not tested.
 */
export async function judgeLocally(flow: unknown, { sandbox, sample, now, signal }: LocalOptions): Promise<LocalVerdict> {
  const examined = await examine(flow, sandbox, { foreign: true })
  if (!examined.ok) {
    const failures = examined.problems.filter((it) => !isOurs(it))
    if (failures.length > 0) return { failures, notTested: [], inputs: {} }
    return { failures: [], notTested: unique(examined.problems.map(({ step, message }) => ({ step, reason: message }))), inputs: {} }
  }
  const { definition, unknown } = examined
  const foreign = new Map(unknown.map((it): [string, NotTested] => [String(it.step), { step: it.step, reason: it.message }]))
  const broken = (await lint(flow, sandbox)).filter((it) => it.rule === 'unknown-step' && it.step !== null && !foreign.has(it.step))
  if (broken.length > 0) return { failures: broken.map(({ step, path, message }) => ({ step, path, message })), notTested: [], inputs: {} }
  const trigger = await runnableOf(definition)
  const mocks = Object.fromEntries([...foreign.keys()].map((name) => [name, null]))
  const { status, steps } = await rehearse({ trigger, payload: payloadFor(trigger, sample, now), mocks, sandbox, now, signal })
  const unsure = unsureSteps(definition, sample, foreign)
  const skipped = [...foreign.values(), ...skippedOf(steps)]
  const inputs = Object.fromEntries(steps.filter((it) => it.input !== null).map((it) => [it.name, it.input]))
  if (status !== 'FAILED') return { failures: [], notTested: unique(skipped), inputs }
  const failed = innermost(steps, definition)
  const certain = failed.filter((it) => !unsure.has(it.name) && !usesHostGlobal(it.error))
  const doubtful = failed.filter((it) => !certain.includes(it))
  return {
    failures: certain.map(({ name, error, input }) => ({ step: name, path: '', message: error ?? 'It failed.', input })),
    notTested: unique([...skipped, ...doubtful.map((it): NotTested => ({ step: it.name, reason: doubtOf(it, unsure) }))]),
    inputs,
  }
}

const unique = (all: readonly NotTested[]): NotTested[] => [...new Map(all.map((it) => [it.step, it])).values()]

/** Steps that send, call or ask a service: those are not run here. */
const skippedOf = (steps: readonly RehearsedStep[]): NotTested[] =>
  steps.filter((it) => it.status === 'NOT_RUN').map((it) => ({ step: it.name, reason: 'it sends, calls or asks a service' }))

/** Whether a problem is one of this program alone: a package or global that another platform may have. */
const isOurs = ({ path, message }: Problem): boolean =>
  path === 'settings.sourceCode.packageJson' || /is not available in a code step|Loops over batches/.test(message)

/** The steps that failed by themselves: not a loop because of a step inside it, and not one that may fail. */
function innermost(steps: readonly RehearsedStep[], trigger: AutomationNode): RehearsedStep[] {
  const failed = steps.filter((it) => it.status === 'FAILED')
  const mayFail = new Set([...walk(trigger)].filter(({ node }) => errorHandlingOf(node).continueOnFailure).map(({ node }) => String(node.name)))
  return failed.filter((it) => !mayFail.has(it.name) && !failed.some((other) => other.path.startsWith(`${it.path}[`)))
}

/** Why the result of a step cannot be known here, by the step's name: what it depends on. */
function unsureSteps(trigger: AutomationNode, sample: unknown, foreign: ReadonlyMap<string, unknown>): Map<string, string> {
  const unsure = new Map([...foreign.keys()].filter((it) => it !== 'trigger' || sample === undefined).map((it) => [it, it]))
  // An event that is made up here need not have the fields that the platform's own sample has.
  if (sample === undefined && triggerOf(trigger)?.binding) unsure.set('trigger', 'the event, as there is no sample')
  const visits = [...walk(trigger)]
  for (const { node } of visits) if (keepsValues(node) || reachesOut(node)) unsure.set(String(node.name), String(node.name))
  for (let grows = true; grows; ) {
    grows = false
    for (const { node, inside } of visits) {
      const name = String(node.name)
      if (unsure.has(name)) continue
      const because = sourceOf(node, unsure) ?? (inside && unsure.get(String(inside.node.name)))
      if (because === undefined || because === null) continue
      unsure.set(name, because)
      grows = true
    }
  }
  return unsure
}

/** Whether a step reads or changes values that the platform keeps from one run to the next. */
const keepsValues = (node: AutomationNode): boolean => findPiece(own(settingsOf(node), 'pieceName'))?.names[0] === 'store'

function sourceOf(node: AutomationNode, unsure: ReadonlyMap<string, string>): string | undefined {
  for (const { token } of tokensIn(inputOf(node))) for (const [name] of token.matchAll(/[A-Za-z_$][\w$]*/g)) if (unsure.has(name)) return unsure.get(name)
  return undefined
}

const doubtOf = ({ name, error }: RehearsedStep, unsure: ReadonlyMap<string, string>): string => {
  const because = unsure.get(name)
  if (usesHostGlobal(error)) return `its code needs what is not available here (${error})`
  return because === undefined || because === name ? 'it is only known on the platform' : `it depends on ${because}`
}

/** What code steps of other engines may use, and ours may not have. */
const usesHostGlobal = (error: string | null): boolean =>
  /\b(fetch|require|process|Buffer|setTimeout|setInterval|setImmediate|XMLHttpRequest|WebSocket|module|exports|global|structuredClone|crypto)\b['"]? is not (defined|a function)/.test(
    error ?? '',
  )
