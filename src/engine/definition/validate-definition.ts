import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { walkSteps } from '../../contract/automations/walk-steps.ts'
import { measureJson } from '../../contract/mechanics/json-size.ts'
import { isError } from '../../node/is-error.ts'
import { stringifyJson } from '../../node/json.ts'
import { findSkippedSteps } from '../analysis/execution-order.ts'
import { type Sandbox, SandboxFailure } from '../expressions/sandbox.ts'
import { triggerOf } from '../pieces/registry.ts'
import { checkDefinition, unsupportedTriggerReason } from './check-definition.ts'
import { stripTypes } from './compile-definition.ts'
import { maxBytes } from './definition-limits.ts'
import { getOwn, nodeSettings } from './node.ts'
import { normalize } from './normalize.ts'
import { type DefinitionFailureName, type Problem, type Problems, toFailure, type UnknownPiece } from './problems.ts'

export type ValidationResult =
  | {
      readonly ok: true
      readonly definition: AutomationNode
      readonly remarks: readonly Problem[]
      readonly unknown: readonly UnknownPiece[]
      /** Problems of inputs and code, if `allowIncomplete` permits them. */
      readonly invalid: readonly Problem[]
    }
  | {
      readonly ok: false
      readonly refusal: DefinitionFailureName
      /** Includes the unknown pieces at the end, unless they are allowed. */
      readonly problems: readonly Problem[]
      readonly remarks: readonly Problem[]
      readonly unknown: readonly UnknownPiece[]
    }

export interface ValidationOptions {
  /** Whether a definition with unknown pieces is valid if it has no other problems. */
  readonly allowUnknownPieces?: boolean
  /** Steps that are not run: only their names are checked. */
  readonly mocked?: ReadonlySet<string>
  /**
   * Whether invalid inputs and code are allowed. Exports have placeholders for each user's own values, and code for
   * other platforms.
   */
  readonly allowIncomplete?: boolean
  /** Whether only the structure of the tree is checked, and not its steps. Used for comparisons. */
  readonly structureOnly?: boolean
}

/**
 * Reads a definition in either form and reports all its problems at once.
 * A valid definition is returned as a new tree in which every step is named and marked valid. With a sandbox, the
 * syntax of code is checked too.
 */
export async function validateDefinition(
  flow: unknown,
  sandbox?: Sandbox,
  { allowUnknownPieces = false, mocked, allowIncomplete = false, structureOnly = false }: ValidationOptions = {},
): Promise<ValidationResult> {
  const { trigger, problems, remarks } = normalize(flow)
  if (measureJson(flow, maxBytes).bytes > maxBytes)
    problems.add(null, '', `A definition can be at most ${maxBytes / 1024 / 1024} MB.`)
  if (trigger && structureOnly && problems.all.length === 0)
    return { ok: true, definition: finalizeNodes(trigger), remarks: remarks.all, unknown: [], invalid: [] }
  if (trigger) {
    checkDefinition(trigger, problems, mocked)
    await checkSchedule(trigger, problems)
    await checkSyntax(trigger, problems, sandbox, mocked)
  }
  const invalid = allowIncomplete
    ? problems.removeWhere((it) => it.title !== undefined && /^settings\.(?:input|sourceCode|artifact)/.test(it.path))
    : []
  const refuse = (refusal: DefinitionFailureName): ValidationResult => ({
    ok: false,
    refusal,
    problems: allowUnknownPieces ? problems.all : [...problems.all, ...problems.unknown],
    remarks: remarks.all,
    unknown: problems.unknown,
  })
  const hasProblems = problems.all.length > 0
  // The trigger does not matter to callers that only read the steps.
  const reason = trigger && !(allowIncomplete && trigger.type === 'EMPTY') && unsupportedTriggerReason(trigger)
  const empty = trigger !== null && !trigger.nextAction
  if (reason) problems.add('trigger', 'settings', reason)
  if (empty && !hasProblems) problems.add(null, 'steps', 'The automation has a trigger but no steps.')
  const unknown = allowUnknownPieces ? [] : problems.unknown
  if (!trigger || hasProblems || unknown.some((it) => it.step !== 'trigger'))
    return refuse('automate.invalid_definition')
  if (reason || unknown.length > 0) return refuse('automate.unsupported_trigger')
  if (empty) return refuse('automate.no_steps')
  return { ok: true, definition: finalizeNodes(trigger), remarks: remarks.all, unknown: problems.unknown, invalid }
}

/** Adds the fields to every node that the platform sets. */
function finalizeNodes(trigger: AutomationNode): AutomationNode {
  for (const { node } of walkSteps(trigger)) {
    node.valid = true
    node.displayName ??= node.name
  }
  return trigger
}

/**
 * Returns the definition of a flow. @throws Failure `automate.invalid_definition`, `unsupported_trigger` or `no_steps`,
 * with every problem
 */
export async function readDefinition(flow: unknown, sandbox?: Sandbox): Promise<AutomationNode> {
  const validated = await validateDefinition(flow, sandbox)
  if (validated.ok) return validated.definition
  throw toFailure(validated.refusal, validated.problems)
}

async function checkSchedule(trigger: AutomationNode, problems: Problems): Promise<void> {
  if (triggerOf(trigger)?.kind !== 'schedule' || getOwn(nodeSettings(trigger), 'triggerName') !== 'cron_expression')
    return
  const expression = getOwn(getOwn(nodeSettings(trigger), 'input'), 'cronExpression')
  if (typeof expression !== 'string' || expression === '') return
  const { Cron } = await import('croner')
  try {
    const next = new Cron(expression, { sloppyRanges: true, paused: true }).nextRun()
    if (next === null) problems.add('trigger', 'settings.input.cronExpression', 'No date matches this schedule.')
  } catch {
    problems.add('trigger', 'settings.input.cronExpression', `Invalid cron expression ${stringifyJson(expression)}.`)
  }
}

async function checkSyntax(
  trigger: AutomationNode,
  problems: Problems,
  sandbox: Sandbox | undefined,
  mocked: ReadonlySet<string> = new Set(),
): Promise<void> {
  const skipped = findSkippedSteps(trigger)
  const sources: { name: string; source: string }[] = []
  for (const { node } of walkSteps(trigger)) {
    const code = node.type === 'CODE' ? getOwn(getOwn(nodeSettings(node), 'sourceCode'), 'code') : undefined
    if (
      typeof code !== 'string' ||
      code.trim() === '' ||
      skipped.has(String(node.name)) ||
      mocked.has(String(node.name))
    )
      continue
    try {
      sources.push({ name: String(node.name), source: await stripTypes(code) })
    } catch (error) {
      problems.add(
        String(node.name),
        'settings.sourceCode.code',
        `Syntax error: ${isError(error) ? error.message : String(error)}`,
        'CODE',
      )
    }
  }
  const found = sandbox ? await findSyntaxErrors(sources, sandbox) : []
  for (const [at, message] of found.entries())
    if (message !== null)
      problems.add(
        sources[at]?.name ?? null,
        'settings.sourceCode.code',
        `Syntax error: ${message.replace(/\.$/, '')}.`,
        'CODE',
      )
}

/**
 * Returns the syntax error of each source. If checking all sources at once exceeds the limits, they are checked one at
 * a time to find the cause.
 */
async function findSyntaxErrors(
  sources: readonly { readonly source: string }[],
  sandbox: Sandbox,
): Promise<(string | null)[]> {
  try {
    return [...(await sandbox.check(sources.map(({ source }) => ({ kind: 'module', source }))))]
  } catch (error) {
    if (!(error instanceof SandboxFailure) || error.reason === 'lost') throw error
    if (sources.length === 1) return [error.message]
    const messages: (string | null)[] = []
    for (const source of sources) messages.push(...(await findSyntaxErrors([source], sandbox)))
    return messages
  }
}
