import type { AutomationNode } from '../../contract/automation-node.ts'
import { measureJson } from '../../contract/json-measure.ts'
import { type Sandbox, SandboxFailure } from '../sandbox/sandbox.ts'
import { triggerOf } from '../steps/registry.ts'
import { checkTree, unsupported } from './check.ts'
import { maxBytes } from './limits.ts'
import { own, settingsOf } from './node.ts'
import { normalize } from './normalize.ts'
import { type Problem, type Problems, type Refusal, refusalOf } from './problem.ts'
import { stripTypes } from './publish.ts'
import { walk } from './walk.ts'

export type Examined =
  | { readonly ok: true; readonly definition: AutomationNode; readonly remarks: readonly Problem[] }
  | { readonly ok: false; readonly refusal: Refusal; readonly problems: readonly Problem[]; readonly remarks: readonly Problem[] }

/**
 * Reads a definition in either form and says all that is wrong with it at once. One that is right comes back as a tree of its own with every step
 * named and found valid. With a sandbox the syntax of code is looked at as well.
 */
export async function examine(flow: unknown, sandbox?: Sandbox): Promise<Examined> {
  const { trigger, problems, remarks } = normalize(flow)
  if (measureJson(flow, maxBytes).bytes > maxBytes) problems.add(null, '', `A definition takes at most ${maxBytes / 1024 / 1024} MB.`)
  if (trigger) {
    checkTree(trigger, problems)
    await checkSchedule(trigger, problems)
    await checkSyntax(trigger, problems, sandbox)
  }
  const refuse = (refusal: Refusal): Examined => ({ ok: false, refusal, problems: problems.all, remarks: remarks.all })
  const broken = problems.all.length > 0
  const reason = trigger && unsupported(trigger)
  const empty = trigger !== null && !trigger.nextAction
  if (reason) problems.add('trigger', 'settings', reason)
  if (empty && !broken) problems.add(null, 'steps', 'The automation has a trigger but no steps.')
  if (!trigger || broken) return refuse('automate.invalid_definition')
  if (reason) return refuse('automate.unsupported_trigger')
  if (empty) return refuse('automate.no_steps')
  for (const { node } of walk(trigger)) {
    node.valid = true
    node.displayName ??= node.name
  }
  return { ok: true, definition: trigger, remarks: remarks.all }
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

async function checkSyntax(trigger: AutomationNode, problems: Problems, sandbox: Sandbox | undefined): Promise<void> {
  const sources: { name: string; source: string }[] = []
  for (const { node } of walk(trigger)) {
    const code = node.type === 'CODE' ? own(own(settingsOf(node), 'sourceCode'), 'code') : undefined
    if (typeof code !== 'string' || code.trim() === '') continue
    try {
      sources.push({ name: String(node.name), source: await stripTypes(code) })
    } catch (error) {
      problems.add(String(node.name), 'settings.sourceCode.code', `Cannot be read: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const found = sandbox ? await faultsIn(sources, sandbox) : []
  for (const [at, message] of found.entries())
    if (message !== null) problems.add(sources[at]?.name ?? null, 'settings.sourceCode.code', `Cannot be read: ${message.replace(/\.$/, '')}.`)
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
