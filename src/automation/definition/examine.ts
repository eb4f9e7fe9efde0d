import type { AutomationNode } from '../../contract/automation-node.ts'
import { measureJson } from '../../contract/json-measure.ts'
import { type Sandbox, SandboxFailure } from '../sandbox/sandbox.ts'
import { triggerOf } from '../steps/registry.ts'
import { checkTree, unsupported } from './check.ts'
import { maxBytes } from './limits.ts'
import { own, settingsOf } from './node.ts'
import { normalize } from './normalize.ts'
import { skippedIn } from './order.ts'
import { type Problem, type Problems, type Refusal, refusalOf, type UnknownPiece } from './problem.ts'
import { stripTypes } from './publish.ts'
import { walk } from './walk.ts'

export type Examined =
  | {
      readonly ok: true
      readonly definition: AutomationNode
      readonly remarks: readonly Problem[]
      readonly unknown: readonly UnknownPiece[]
      /** Problems of inputs and code, where those need not be valid. */
      readonly invalid: readonly Problem[]
    }
  | {
      readonly ok: false
      readonly refusal: Refusal
      /** With the unknown pieces at the end, unless they are right. */
      readonly problems: readonly Problem[]
      readonly remarks: readonly Problem[]
      readonly unknown: readonly UnknownPiece[]
    }

export interface ExamineOptions {
  /** Whether a definition with unknown pieces is right, as long as nothing else is wrong. */
  readonly foreign?: boolean
  /** Steps that are not run: nothing but their names is looked at. */
  readonly mocked?: ReadonlySet<string>
  /** Whether inputs and code need not be valid: exports have blanks where every person fills in their own, and code that runs elsewhere. */
  readonly blanks?: boolean
  /** Whether a tree is enough, whatever is wrong with its steps: to compare it. */
  readonly tree?: boolean
}

/**
 * Reads a definition in either form and says all that is wrong with it at once. One that is right comes back as a tree of its own with every step
 * named and found valid. With a sandbox the syntax of code is looked at as well.
 */
export async function examine(
  flow: unknown,
  sandbox?: Sandbox,
  { foreign = false, mocked, blanks = false, tree = false }: ExamineOptions = {},
): Promise<Examined> {
  const { trigger, problems, remarks } = normalize(flow)
  if (measureJson(flow, maxBytes).bytes > maxBytes) problems.add(null, '', `A definition takes at most ${maxBytes / 1024 / 1024} MB.`)
  if (trigger && tree && problems.all.length === 0) return { ok: true, definition: finished(trigger), remarks: remarks.all, unknown: [], invalid: [] }
  if (trigger) {
    checkTree(trigger, problems, mocked)
    await checkSchedule(trigger, problems)
    await checkSyntax(trigger, problems, sandbox, mocked)
  }
  const invalid = blanks ? problems.takeOut((it) => it.title !== undefined && /^settings\.(?:input|sourceCode)/.test(it.path)) : []
  const refuse = (refusal: Refusal): Examined => ({
    ok: false,
    refusal,
    problems: foreign ? problems.all : [...problems.all, ...problems.unknown],
    remarks: remarks.all,
    unknown: problems.unknown,
  })
  const broken = problems.all.length > 0
  // What starts a flow matters to nobody who only goes through its steps.
  const reason = trigger && !(blanks && trigger.type === 'EMPTY') && unsupported(trigger)
  const empty = trigger !== null && !trigger.nextAction
  if (reason) problems.add('trigger', 'settings', reason)
  if (empty && !broken) problems.add(null, 'steps', 'The automation has a trigger but no steps.')
  const unknown = foreign ? [] : problems.unknown
  if (!trigger || broken || unknown.some((it) => it.step !== 'trigger')) return refuse('automate.invalid_definition')
  if (reason || unknown.length > 0) return refuse('automate.unsupported_trigger')
  if (empty) return refuse('automate.no_steps')
  return { ok: true, definition: finished(trigger), remarks: remarks.all, unknown: problems.unknown, invalid }
}

/** A tree whose nodes all have what the platform adds. */
function finished(trigger: AutomationNode): AutomationNode {
  for (const { node } of walk(trigger)) {
    node.valid = true
    node.displayName ??= node.name
  }
  return trigger
}

/** The definition of a flow. @throws Failure `automate.invalid_definition`, `unsupported_trigger` or `no_steps`, with every problem */
export async function readDefinition(flow: unknown, sandbox?: Sandbox): Promise<AutomationNode> {
  const examined = await examine(flow, sandbox)
  if (examined.ok) return examined.definition
  throw refusalOf(examined.refusal, examined.problems)
}

async function checkSchedule(trigger: AutomationNode, problems: Problems): Promise<void> {
  if (triggerOf(trigger)?.kind !== 'schedule' || own(settingsOf(trigger), 'triggerName') !== 'cron_expression') return
  const expression = own(own(settingsOf(trigger), 'input'), 'cronExpression')
  if (typeof expression !== 'string' || expression === '') return
  const { Cron } = await import('croner')
  try {
    const next = new Cron(expression, { sloppyRanges: true, paused: true }).nextRun()
    if (next === null) problems.add('trigger', 'settings.input.cronExpression', 'Never comes.')
  } catch {
    problems.add('trigger', 'settings.input.cronExpression', `${JSON.stringify(expression)} is no cron expression.`)
  }
}

async function checkSyntax(trigger: AutomationNode, problems: Problems, sandbox: Sandbox | undefined, mocked: ReadonlySet<string> = new Set()): Promise<void> {
  const skipped = skippedIn(trigger)
  const sources: { name: string; source: string }[] = []
  for (const { node } of walk(trigger)) {
    const code = node.type === 'CODE' ? own(own(settingsOf(node), 'sourceCode'), 'code') : undefined
    if (typeof code !== 'string' || code.trim() === '' || skipped.has(String(node.name)) || mocked.has(String(node.name))) continue
    try {
      sources.push({ name: String(node.name), source: await stripTypes(code) })
    } catch (error) {
      problems.add(String(node.name), 'settings.sourceCode.code', `Cannot be read: ${error instanceof Error ? error.message : String(error)}`, 'CODE')
    }
  }
  const found = sandbox ? await faultsIn(sources, sandbox) : []
  for (const [at, message] of found.entries())
    if (message !== null) problems.add(sources[at]?.name ?? null, 'settings.sourceCode.code', `Cannot be read: ${message.replace(/\.$/, '')}.`, 'CODE')
}

/** What is wrong with each; code that reading alone takes too long or too much memory of is found by itself. */
async function faultsIn(sources: readonly { readonly source: string }[], sandbox: Sandbox): Promise<(string | null)[]> {
  try {
    return [...(await sandbox.check(sources.map(({ source }) => ({ kind: 'module', source }))))]
  } catch (error) {
    if (!(error instanceof SandboxFailure) || error.reason === 'lost') throw error
    if (sources.length === 1) return [error.message]
    const each: (string | null)[] = []
    for (const it of sources) each.push(...(await faultsIn([it], sandbox)))
    return each
  }
}
