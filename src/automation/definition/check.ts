import type { AutomationNode } from '../../contract/automation-node.ts'
import { measureJson } from '../../contract/json-measure.ts'
import { hasToken } from '../expressions/tokens.ts'
import { insteadOfAction, insteadOfTrigger, offersOf, pieceTitle } from '../steps/alternatives.ts'
import { operators, unary } from '../steps/conditions.ts'
import type { Action } from '../steps/piece.ts'
import { inputProblems, nearest } from '../steps/read-input.ts'
import { actionOf, findPiece, triggerOf } from '../steps/registry.ts'
import { missingGlobals } from './code-globals.ts'
import { maxBytes, maxName, maxNesting, maxValueDepth } from './limits.ts'
import { branchFields, childFields, isObject, type Json, own, settingsOf } from './node.ts'
import { skippedIn } from './order.ts'
import type { Problems } from './problem.ts'
import { type Visit, walk } from './walk.ts'

const identifier = /^[a-zA-Z_][a-zA-Z0-9_]*$/
/** Names that mean something else in an expression. */
const taken = new Set(['__proto__', 'connections', 'trigger'])

/** Everything wrong with a tree that can be seen without running anything. Steps that never run, `mocked` ones and those that are skipped, need only a name. */
export function checkTree(trigger: AutomationNode, problems: Problems, mocked: ReadonlySet<string> = new Set()): void {
  const names = new Set<unknown>()
  const skipped = skippedIn(trigger)
  for (const visit of walk(trigger)) {
    const { node } = visit
    const name = String(node.name)
    const { pieceName, actionName, triggerName } = settingsOf(node)
    const title = isName(pieceName) ? pieceTitle(pieceName, actionName ?? triggerName) : node.type === 'CODE' ? 'CODE' : undefined
    const add = (path: string, message: string): void => problems.add(name, path, message, title)
    checkName(visit, names, add)
    // What is too deep to walk is not looked into.
    if (!checkCommon(visit, add)) continue
    if (node === trigger) checkTrigger(node, add, problems)
    else if (!skipped.has(name) && !mocked.has(name)) checkStep(node, add, problems)
  }
}

type Add = (path: string, message: string) => void

function checkName({ node, parent }: Visit, names: Set<unknown>, add: Add): void {
  const { name } = node
  if (!parent) {
    if (name !== 'trigger') add('name', 'The trigger is always named trigger.')
  } else if (typeof name !== 'string' || !identifier.test(name)) add('name', 'A name has letters, digits and underscores and begins with no digit.')
  else if (name.length > maxName) add('name', `A name has at most ${maxName} characters.`)
  else if (taken.has(name)) add('name', `A step cannot be named ${name}.`)
  else if (names.has(name)) add('name', `More than one step is named ${name}.`)
  names.add(name)
}

function checkCommon({ node, nesting }: Visit, add: Add): boolean {
  const { displayName, settings, skip } = node
  if (displayName !== undefined && displayName !== null && typeof displayName !== 'string') add('displayName', 'Must be a text.')
  else if (typeof displayName === 'string' && [...displayName].length > maxName) add('displayName', `Must have at most ${maxName} characters.`)
  if (skip !== undefined && typeof skip !== 'boolean') add('skip', 'Must be true or false.')
  if (settings !== undefined && settings !== null && !isObject(settings)) add('settings', 'Must be an object.')
  if (nesting > maxNesting) add('', `Branches and loops stand in one another at most ${maxNesting} deep.`)
  const deep = Object.entries(node)
    .filter(([field]) => !(childFields as readonly string[]).includes(field))
    .filter(([, value]) => measureJson(value, maxBytes).depth > maxValueDepth)
  for (const [field] of deep) add(field, `Nested more than ${maxValueDepth} deep.`)
  return deep.length === 0
}

function checkTrigger(node: AutomationNode, add: Add, problems: Problems): void {
  for (const field of branchFields) if (node[field]) add(field, 'A trigger has no branches.')
  const trigger = triggerOf(node)
  const { pieceName, triggerName } = settingsOf(node)
  if (trigger) checkInput(trigger.input, node, add)
  else if (node.type === 'PIECE_TRIGGER' && isName(pieceName) && isName(triggerName)) {
    const message = findPiece(pieceName)
      ? `${pieceName} has no trigger ${JSON.stringify(triggerName)}. ${offersOf(pieceName, 'triggers') ?? insteadOfTrigger(pieceName)}`
      : `There is no piece ${JSON.stringify(pieceName)}. ${insteadOfTrigger(pieceName)}`
    problems.addUnknown({ step: 'trigger', path: 'settings', piece: pieceName, name: triggerName, title: pieceTitle(pieceName, triggerName), message })
  } else if (node.type !== 'EMPTY' && node.type !== 'PIECE_TRIGGER') add('type', 'A trigger has the type PIECE_TRIGGER.')
}

/** Why a trigger cannot start anything, wherever it were run; null when it can. */
export function unsupported(trigger: AutomationNode): string | null {
  if (trigger.type === 'EMPTY') return 'No trigger has been chosen.'
  if (trigger.type !== 'PIECE_TRIGGER' || triggerOf(trigger)) return null
  const { pieceName, triggerName } = settingsOf(trigger)
  return isName(pieceName) && isName(triggerName) ? null : 'settings.pieceName and settings.triggerName say what starts the automation.'
}

const isName = (it: unknown): it is string => typeof it === 'string' && it !== ''

const strayBranches = (type: unknown): readonly string[] =>
  type === 'BRANCH' ? ['firstLoopAction'] : type === 'LOOP_ON_ITEMS' ? ['onSuccessAction', 'onFailureAction'] : branchFields

function checkStep(node: AutomationNode, add: Add, problems: Problems): void {
  for (const field of strayBranches(node.type)) if (node[field]) add(field, `A step of type ${String(node.type)} has none.`)
  switch (node.type) {
    case 'PIECE':
      return checkPiece(node, add, problems)
    case 'CODE':
      return checkCode(node, add)
    case 'BRANCH':
      return checkConditions(own(settingsOf(node), 'conditions'), add)
    case 'LOOP_ON_ITEMS':
      return checkLoop(settingsOf(node), add)
    case undefined:
      return add('type', 'Is required: PIECE, CODE, BRANCH, LOOP_ON_ITEMS or ROUTER.')
    default:
      add('type', `${JSON.stringify(node.type)} is none of PIECE, CODE, BRANCH, LOOP_ON_ITEMS, ROUTER.`)
  }
}

function checkPiece(node: AutomationNode, add: Add, problems: Problems): void {
  const { pieceName, actionName } = settingsOf(node)
  const piece = findPiece(pieceName)
  const action = actionOf(node) as Action<unknown> | undefined
  const unknown = { step: String(node.name), piece: String(pieceName), name: isName(actionName) ? actionName : null, title: pieceTitle(pieceName, actionName) }
  if (!isName(pieceName)) add('settings.pieceName', 'Is required.')
  else if (!piece)
    problems.addUnknown({
      ...unknown,
      path: 'settings.pieceName',
      message: `There is no piece ${JSON.stringify(pieceName)}. ${insteadOfAction(pieceName, actionName)}`,
    })
  else if (!isName(actionName)) add('settings.actionName', 'Is required.')
  else if (!action)
    problems.addUnknown({
      ...unknown,
      path: 'settings.actionName',
      message: `${pieceName} has no action ${JSON.stringify(actionName)}. ${offersOf(pieceName, 'actions') ?? insteadOfAction(pieceName, actionName)}`,
    })
  if (action) checkInput(action.input, node, add)
  checkErrorHandling(node, add)
}

/** What is wrong with an input whatever its expressions come to. */
function checkInput(schema: Action['input'], node: AutomationNode, add: Add): void {
  const input = own(settingsOf(node), 'input') ?? {}
  if (!isObject(input)) return add('settings.input', 'Must be an object.')
  for (const { at, path, message } of inputProblems(schema, input)) {
    const { value } = nearest(input, at)
    if (typeof value !== 'string' || !hasToken(value)) add(`settings.input${path && (path.startsWith('[') ? path : `.${path}`)}`, sentence(message))
  }
}

const sentence = (message: string): string => `${message.charAt(0).toUpperCase()}${message.slice(1)}`

function checkCode(node: AutomationNode, add: Add): void {
  const settings = settingsOf(node)
  const source = own(settings, 'sourceCode')
  const code = own(source, 'code')
  if (typeof code !== 'string' || code.trim() === '') add('settings.sourceCode.code', 'Is required.')
  else if (!/\bexports?\b/.test(code) || !/\bcode\b/.test(code)) add('settings.sourceCode.code', 'Must export a function called code.')
  else for (const { name, instead } of missingGlobals(code)) add('settings.sourceCode.code', `${name} is not available in a code step. ${instead}`)
  if (settings.input !== undefined && !isObject(settings.input)) add('settings.input', 'Must be an object.')
  if (hasDependencies(own(source, 'packageJson'))) add('settings.sourceCode.packageJson', 'Code runs without packages: no dependencies can be used.')
  checkErrorHandling(node, add)
}

function hasDependencies(packageJson: unknown): boolean {
  try {
    const manifest: unknown = typeof packageJson === 'string' && packageJson.trim() !== '' ? JSON.parse(packageJson) : packageJson
    const dependencies = own(manifest, 'dependencies')
    return isObject(dependencies) && Object.keys(dependencies).length > 0
  } catch {
    return false
  }
}

function checkConditions(groups: unknown, add: Add): void {
  if (!Array.isArray(groups)) return add('settings.conditions', 'Must be a list of groups, each a list of conditions.')
  for (const [at, group] of groups.entries()) {
    if (!Array.isArray(group)) add(`settings.conditions[${at}]`, 'Must be a list of conditions.')
    else for (const [inner, condition] of group.entries()) checkCondition(condition, `settings.conditions[${at}][${inner}]`, add)
  }
}

function checkCondition(condition: unknown, path: string, add: Add): void {
  if (!isObject(condition)) return add(path, 'Must be an object.')
  const { operator } = condition
  if (operator === undefined || operator === null || operator === '') add(`${path}.operator`, 'Is required.')
  else if (typeof operator !== 'string' || !operators.has(operator)) add(`${path}.operator`, `${JSON.stringify(operator)} is no operator.${meant(operator)}`)
  else if (!unary.has(operator) && !Object.hasOwn(condition, 'secondValue')) add(`${path}.secondValue`, `Is required for ${operator}.`)
  if (!Object.hasOwn(condition, 'firstValue')) add(`${path}.firstValue`, 'Is required.')
}

const meant = (operator: unknown): string => (/^TEXT_(DOES_NOT_)?STARTS_WITH$/.test(String(operator)) ? ' It is spelled START_WITH.' : '')

function checkLoop(settings: Json, add: Add): void {
  const batching = Object.keys(settings).find((it) => /batch/i.test(it) && isBatching(settings[it]))
  if (batching !== undefined)
    add(`settings.${batching}`, 'Loops over batches are not supported: a turn has one item. Make the batches in a code step before the loop, and remove this.')
  checkItems(settings.items, add)
}

/** Whether a setting of newer editors asks for more than one item a turn. */
function isBatching(value: unknown): boolean {
  if (isObject(value)) return value.enabled !== false && value.value !== false && !/^(none|off|disabled)$/i.test(String(value.mode ?? value.type ?? ''))
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

function checkItems(items: unknown, add: Add): void {
  if (items === undefined || items === null || items === '') add('settings.items', 'Is required.')
  else if (!Array.isArray(items) && !(typeof items === 'string' && hasToken(items)))
    add('settings.items', 'Must be an expression that comes to a list, or a list.')
}

function checkErrorHandling(node: AutomationNode, add: Add): void {
  const options = own(settingsOf(node), 'errorHandlingOptions')
  if (options === undefined || options === null) return
  for (const name of ['continueOnFailure', 'retryOnFailure']) {
    const option = own(options, name)
    const value = own(option, 'value')
    if (option !== undefined && value !== undefined && typeof value !== 'boolean') add(`settings.errorHandlingOptions.${name}.value`, 'Must be true or false.')
  }
}
