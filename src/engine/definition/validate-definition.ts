import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import {
  type BranchField,
  branchFields,
  ownFields,
  readChild,
  type StepVisit,
  walkSteps,
} from '../../contract/automations/walk-steps.ts'
import { measureJson } from '../../contract/endpoint/json-size.ts'
import { failures } from '../../contract/errors/failures.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { isError } from '../../node/is-error.ts'
import { parseJson, stringifyJson } from '../../node/json.ts'
import { findUnavailableGlobals } from '../analysis/code-analysis.ts'
import { findSkippedSteps } from '../analysis/execution-order.ts'
import { type Sandbox, SandboxFailure } from '../expressions/sandbox.ts'
import { hasToken } from '../expressions/tokens.ts'
import { operators, unaryOperators } from '../pieces/conditions.ts'
import { findInputProblems, nearestValue } from '../pieces/parse-input.ts'
import type { Action } from '../pieces/piece.ts'
import {
  listMembers,
  pieceTitle,
  suggestForAction,
  suggestForMissingAction,
  suggestForTrigger,
} from '../pieces/piece-alternatives.ts'
import { actionOf, findPiece, triggerOf } from '../pieces/registry.ts'
import { stripTypes } from './compile-definition.ts'
import { getOwn, type JsonObject, nodeSettings } from './node.ts'
import { normalize } from './normalize.ts'
import {
  type DefinitionFailureName,
  maxBytes,
  maxName,
  maxNesting,
  maxValueDepth,
  type Problem,
  type Problems,
  toFailure,
  type UnknownPiece,
} from './problems.ts'

const controlCharacter = /\p{Cc}/u
/** Names that have another meaning in expressions. */
const reservedNames = new Set(['__proto__', 'connections', 'trigger'])

/**
 * Finds all problems of a tree that can be found without running it. Skipped steps and `mocked` steps never run and
 * need only a name.
 */
function checkDefinition(trigger: AutomationNode, problems: Problems, mocked: ReadonlySet<string> = new Set()): void {
  const names = new Set<unknown>()
  const skipped = findSkippedSteps(trigger)
  for (const visit of walkSteps(trigger)) {
    const { node } = visit
    const name = String(node.name)
    const { pieceName, actionName, triggerName } = nodeSettings(node)
    const title = isName(pieceName)
      ? pieceTitle(pieceName, actionName ?? triggerName)
      : node.type === 'CODE'
        ? 'CODE'
        : undefined
    const addProblem = (path: string, message: string): void => problems.add(name, path, message, title)
    checkName(visit, names, addProblem)
    // Nodes that are nested too deeply are not checked further.
    if (!checkCommon(visit, addProblem)) continue
    if (node === trigger) checkTrigger(node, addProblem, problems)
    else if (!skipped.has(name) && !mocked.has(name)) checkStep(node, addProblem, problems)
  }
}

type AddProblem = (path: string, message: string) => void

function checkName({ node, parent }: StepVisit, names: Set<unknown>, addProblem: AddProblem): void {
  const { name } = node
  if (!parent) {
    if (name !== 'trigger') addProblem('name', 'The name of the trigger must be trigger.')
  } else if (typeof name !== 'string' || name.trim() === '' || controlCharacter.test(name))
    addProblem('name', 'A name must be a text on one line.')
  else if (name.length > maxName) addProblem('name', `A name can have at most ${maxName} characters.`)
  else if (reservedNames.has(name)) addProblem('name', `A step cannot be named ${name}.`)
  else if (names.has(name)) addProblem('name', `More than one step is named ${name}.`)
  names.add(name)
}

/** Checks the fields that all steps have. lint.ts recognizes the problem of the nesting by the beginning of its text. */
function checkCommon({ node, nesting }: StepVisit, addProblem: AddProblem): boolean {
  const { displayName, settings, skip } = node
  if (displayName !== undefined && displayName !== null && typeof displayName !== 'string')
    addProblem('displayName', 'Must be a text.')
  else if (typeof displayName === 'string' && [...displayName].length > maxName)
    addProblem('displayName', `Must have at most ${maxName} characters.`)
  if (skip !== undefined && typeof skip !== 'boolean') addProblem('skip', 'Must be true or false.')
  if (settings !== undefined && settings !== null && !isObject(settings)) addProblem('settings', 'Must be an object.')
  const { continueOnFailureBranches: branches } = node
  if (branches !== undefined && branches !== null && !isObject(branches))
    addProblem('continueOnFailureBranches', 'Must be an object with onSuccess and onFailure.')
  if (nesting > maxNesting) addProblem('', `Branches and loops can be nested at most ${maxNesting} deep.`)
  const deep = ownFields(node).filter(([, value]) => measureJson(value, maxBytes).depth > maxValueDepth)
  for (const [field] of deep) addProblem(field, `Must be nested at most ${maxValueDepth} levels deep.`)
  return deep.length === 0
}

function checkTrigger(node: AutomationNode, addProblem: AddProblem, problems: Problems): void {
  for (const field of branchFields) if (readChild(node, field)) addProblem(field, 'A trigger cannot have branches.')
  const trigger = triggerOf(node)
  const { pieceName, triggerName } = nodeSettings(node)
  if (trigger) checkInput(trigger.input, node, addProblem)
  else if (node.type === 'PIECE_TRIGGER' && isName(pieceName) && isName(triggerName)) {
    const message = findPiece(pieceName)
      ? `${pieceName} has no trigger ${stringifyJson(triggerName)}. ${listMembers(pieceName, 'triggers') ?? suggestForTrigger(pieceName, triggerName)}`
      : `Unknown piece ${stringifyJson(pieceName)}. ${suggestForTrigger(pieceName, triggerName)}`
    problems.addUnknown({
      step: 'trigger',
      path: 'settings',
      piece: pieceName,
      isPieceKnown: findPiece(pieceName) !== undefined,
      name: triggerName,
      title: pieceTitle(pieceName, triggerName),
      message,
    })
  } else if (node.type !== 'EMPTY' && node.type !== 'PIECE_TRIGGER')
    addProblem('type', 'The type of a trigger must be PIECE_TRIGGER.')
}

/** Returns the reason why a trigger cannot start an automation on any platform; null if it can. */
function unsupportedTriggerReason(trigger: AutomationNode): string | null {
  if (trigger.type === 'EMPTY') return 'No trigger is selected.'
  if (trigger.type !== 'PIECE_TRIGGER' || triggerOf(trigger)) return null
  const { pieceName, triggerName } = nodeSettings(trigger)
  return isName(pieceName) && isName(triggerName)
    ? null
    : 'Missing trigger. Set settings.pieceName and settings.triggerName.'
}

const isName = (it: unknown): it is string => typeof it === 'string' && it !== ''

const outcomeBranches = ['continueOnFailureBranches.onSuccess', 'continueOnFailureBranches.onFailure'] as const
/** Branches and loops that steps of a type can have. */
const allowedBranches: Readonly<Record<string, readonly BranchField[]>> = {
  BRANCH: ['onSuccessAction', 'onFailureAction'],
  LOOP_ON_ITEMS: ['firstLoopAction'],
  PIECE: outcomeBranches,
  CODE: outcomeBranches,
}

function checkStep(node: AutomationNode, addProblem: AddProblem, problems: Problems): void {
  for (const field of branchFields)
    if (readChild(node, field) && !allowedBranches[String(node.type)]?.includes(field))
      addProblem(field, `A step of type ${String(node.type)} cannot have this field.`)
  switch (node.type) {
    case 'PIECE':
      return checkPiece(node, addProblem, problems)
    case 'CODE':
      return checkCode(node, addProblem)
    case 'BRANCH':
      return checkConditions(getOwn(nodeSettings(node), 'conditions'), addProblem)
    case 'LOOP_ON_ITEMS':
      return checkLoop(nodeSettings(node), addProblem)
    case undefined:
      return addProblem('type', 'Is required. Use PIECE, CODE, BRANCH, LOOP_ON_ITEMS or ROUTER.')
    default:
      addProblem('type', `Unknown type ${stringifyJson(node.type)}. Use PIECE, CODE, BRANCH, LOOP_ON_ITEMS or ROUTER.`)
  }
}

function checkPiece(node: AutomationNode, addProblem: AddProblem, problems: Problems): void {
  const { pieceName, actionName } = nodeSettings(node)
  const piece = findPiece(pieceName)
  const action = actionOf(node) as Action<unknown> | undefined
  const unknown = {
    step: String(node.name),
    piece: String(pieceName),
    isPieceKnown: piece !== undefined,
    name: isName(actionName) ? actionName : null,
    title: pieceTitle(pieceName, actionName),
  }
  if (!isName(pieceName)) addProblem('settings.pieceName', 'Is required.')
  else if (!piece)
    problems.addUnknown({
      ...unknown,
      path: 'settings.pieceName',
      message: `Unknown piece ${stringifyJson(pieceName)}. ${suggestForAction(pieceName, actionName)}`,
    })
  else if (!isName(actionName)) addProblem('settings.actionName', 'Is required.')
  else if (!action)
    problems.addUnknown({
      ...unknown,
      path: 'settings.actionName',
      message: `${pieceName} has no action ${stringifyJson(actionName)}. ${suggestForMissingAction(pieceName, actionName)}`,
    })
  if (action) checkInput(action.input, node, addProblem)
  checkErrorHandling(node, addProblem)
}

/** Reports problems of an input that exist regardless of the values of its expressions. */
function checkInput(schema: Action['input'], node: AutomationNode, addProblem: AddProblem): void {
  const input = getOwn(nodeSettings(node), 'input') ?? {}
  if (!isObject(input)) return addProblem('settings.input', 'Must be an object.')
  for (const { at, path, message } of findInputProblems(schema, input)) {
    const { value } = nearestValue(input, at)
    if (typeof value !== 'string' || !hasToken(value))
      addProblem(`settings.input${path && (path.startsWith('[') ? path : `.${path}`)}`, capitalize(message))
  }
}

const capitalize = (message: string): string => `${message.charAt(0).toUpperCase()}${message.slice(1)}`

function checkCode(node: AutomationNode, addProblem: AddProblem): void {
  const settings = nodeSettings(node)
  const source = getOwn(settings, 'sourceCode')
  const code = getOwn(source, 'code')
  const artifact = Object.keys(settings).find((it) => /^artifact/.test(it) && settings[it])
  if (source === undefined && artifact !== undefined)
    addProblem(
      `settings.${artifact}`,
      'The code is packaged as an artifact, which only the editor that wrote the file can read. Open the step in that editor, and copy its code to settings.sourceCode.code.',
    )
  else if (typeof code !== 'string' || code.trim() === '') addProblem('settings.sourceCode.code', 'Is required.')
  else if (!/\bexports?\b/.test(code) || !/\bcode\b/.test(code))
    addProblem('settings.sourceCode.code', 'Must export a function named code.')
  else
    for (const { name, instead } of findUnavailableGlobals(code))
      addProblem('settings.sourceCode.code', `${name} is not available in a code step. ${instead}`)
  if (settings.input !== undefined && !isObject(settings.input)) addProblem('settings.input', 'Must be an object.')
  if (hasDependencies(getOwn(source, 'packageJson')))
    addProblem('settings.sourceCode.packageJson', 'Packages are not available in code steps. Remove the dependencies.')
  checkErrorHandling(node, addProblem)
}

function hasDependencies(packageJson: unknown): boolean {
  try {
    const manifest: unknown =
      typeof packageJson === 'string' && packageJson.trim() !== '' ? parseJson(packageJson) : packageJson
    const dependencies = getOwn(manifest, 'dependencies')
    return isObject(dependencies) && Object.keys(dependencies).length > 0
  } catch {
    return false
  }
}

function checkConditions(groups: unknown, addProblem: AddProblem): void {
  if (!Array.isArray(groups))
    return addProblem('settings.conditions', 'Must be a list of groups, each a list of conditions.')
  for (const [at, group] of groups.entries()) {
    if (!Array.isArray(group)) addProblem(`settings.conditions[${at}]`, 'Must be a list of conditions.')
    else
      for (const [inner, condition] of group.entries())
        checkCondition(condition, `settings.conditions[${at}][${inner}]`, addProblem)
  }
}

function checkCondition(condition: unknown, path: string, addProblem: AddProblem): void {
  if (!isObject(condition)) return addProblem(path, 'Must be an object.')
  const { operator } = condition
  if (operator === undefined || operator === null || operator === '') addProblem(`${path}.operator`, 'Is required.')
  else if (typeof operator !== 'string' || !operators.has(operator))
    addProblem(`${path}.operator`, `Unknown operator ${stringifyJson(operator)}.${operatorHint(operator)}`)
  else if (!unaryOperators.has(operator) && !Object.hasOwn(condition, 'secondValue'))
    addProblem(`${path}.secondValue`, `Is required for ${operator}.`)
  if (!Object.hasOwn(condition, 'firstValue')) addProblem(`${path}.firstValue`, 'Is required.')
}

const operatorHint = (operator: unknown): string =>
  /^TEXT_(DOES_NOT_)?STARTS_WITH$/.test(String(operator)) ? ' Did you mean START_WITH?' : ''

function checkLoop(settings: JsonObject, addProblem: AddProblem): void {
  const batching = Object.keys(settings).find((it) => /batch/i.test(it) && isBatching(settings[it]))
  if (batching !== undefined)
    addProblem(
      `settings.${batching}`,
      'Loops over batches are not supported: each iteration has one item. Build the batches in a code step before the loop, and remove this field.',
    )
  checkItems(settings.items, addProblem)
}

/** Returns whether a setting of newer editors requests more than one item per iteration. */
function isBatching(value: unknown): boolean {
  if (isObject(value))
    return (
      value.enabled !== false &&
      value.value !== false &&
      !/^(none|off|disabled)$/i.test(String(value.mode ?? value.type ?? ''))
    )
  return (
    value !== undefined &&
    value !== null &&
    value !== '' &&
    value !== false &&
    Number(value) !== 0 &&
    Number(value) !== 1 &&
    !/^(none|off|disabled|false)$/i.test(String(value))
  )
}

function checkItems(items: unknown, addProblem: AddProblem): void {
  if (items === undefined || items === null || items === '') addProblem('settings.items', 'Is required.')
  else if (!Array.isArray(items) && !(typeof items === 'string' && hasToken(items)))
    addProblem('settings.items', 'Must be a list, or an expression that returns a list.')
}

function checkErrorHandling(node: AutomationNode, addProblem: AddProblem): void {
  const options = getOwn(nodeSettings(node), 'errorHandlingOptions')
  if (options === undefined || options === null) return
  for (const name of ['continueOnFailure', 'retryOnFailure']) {
    const option = getOwn(options, name)
    const value = getOwn(option, 'value')
    if (option !== undefined && option !== null && !isObject(option))
      addProblem(`settings.errorHandlingOptions.${name}`, 'Must be an object with value: true or false.')
    if (option !== undefined && value !== undefined && typeof value !== 'boolean')
      addProblem(`settings.errorHandlingOptions.${name}.value`, 'Must be true or false.')
  }
}

/** Result of a validation. `remarks` do not make a definition invalid. */
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

/** What is accepted beyond a definition that can be published. */
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
  /** Whether the syntax of code is known to be valid, as in a published version. */
  readonly isCodeChecked?: boolean
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
  {
    allowUnknownPieces = false,
    mocked,
    allowIncomplete = false,
    isCodeChecked = false,
    structureOnly = false,
  }: ValidationOptions = {},
): Promise<ValidationResult> {
  const { trigger, problems, remarks } = normalize(flow)
  if (measureJson(flow, maxBytes).bytes > maxBytes)
    problems.add(null, '', `A definition can be at most ${maxBytes / 1024 / 1024} MB.`)
  if (trigger && structureOnly && problems.all.length === 0)
    return { ok: true, definition: finalizeNodes(trigger), remarks: remarks.all, unknown: [], invalid: [] }
  if (trigger) {
    checkDefinition(trigger, problems, mocked)
    await checkSchedule(trigger, problems)
    if (!isCodeChecked) await checkSyntax(trigger, problems, sandbox, mocked)
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
  if (empty && !hasProblems) problems.add(null, 'steps', failures['automate.no_steps'].text)
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
