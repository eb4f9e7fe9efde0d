import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { branchFields, childOf, ownFields } from '../../contract/automations/walk-steps.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { stringifyJson } from '../../node/json.ts'
import { findMasked } from '../definition/mask.ts'
import { getOwn, isSkipped, mayRun, nodeSettings } from '../definition/node.ts'
import { hasToken, splitTokens } from '../expressions/tokens.ts'
import { fromJson } from '../pieces/input-fields.ts'
import { findPiece, triggerOf } from '../pieces/registry.ts'

/**
 * A problem that a check of a definition found. `automate lint` prints it as JSON: fields and names of rules are added,
 * not renamed.
 */
export interface Finding {
  /** The platform rejects a definition with an error. A warning may be intended. */
  readonly level: 'error' | 'warning'
  /** Name of the rule, such as `unknown-step`. */
  readonly rule: string
  /** Name of the step; null for the definition as a whole. */
  readonly step: string | null
  readonly path: string
  readonly message: string
  /** Piece of the step; null for a step without one. */
  readonly piece: string | null
}

/** Finding without the piece of its step, which is added later. */
export type StepFinding = Omit<Finding, 'piece'>

const respondActions = new Set(['return_response', 'return_response_and_wait_for_next_webhook', 'respondToCall'])

/** Returns whether a step sends a response to the caller. */
function isRespondStep(node: AutomationNode): boolean {
  const { pieceName, actionName } = nodeSettings(node)
  return node.type === 'PIECE' && findPiece(pieceName) !== undefined && respondActions.has(String(actionName))
}

/** Returns whether every path ends in a response: of a branch, both sides must respond. */
export function alwaysResponds(trigger: AutomationNode): boolean {
  return chainResponds(childOf(trigger, 'nextAction'))
}

const bothSides = [
  ['onSuccessAction', 'onFailureAction'],
  ['continueOnFailureBranches.onSuccess', 'continueOnFailureBranches.onFailure'],
] as const

// The depth of this recursion is limited by the maximum nesting of definitions.
function chainResponds(first: AutomationNode | undefined): boolean {
  for (let node = first; node; node = childOf(node, 'nextAction')) {
    if (isSkipped(node)) continue
    const current = node
    if (isRespondStep(current)) return true
    if (bothSides.some((sides) => sides.every((it) => mayRun(current, it) && chainResponds(childOf(current, it)))))
      return true
  }
  return false
}

type Rule = (node: AutomationNode, trigger: AutomationNode) => readonly Omit<StepFinding, 'level' | 'step'>[]

const createFinding = (rule: string, path: string, message: string) => [{ rule, path, message }]

const isAction = (node: AutomationNode, piece: string, ...actions: readonly string[]): boolean => {
  const { pieceName, actionName, triggerName } = nodeSettings(node)
  return findPiece(pieceName)?.names[0] === piece && actions.includes(String(actionName ?? triggerName))
}

const inputField = (node: AutomationNode, field: string): unknown => getOwn(getOwn(nodeSettings(node), 'input'), field)
const isBlank = (value: unknown): boolean => value === undefined || value === null || value === ''

/** Warns about schedules that run on weekdays only because `run_on_weekends` is not set. */
const weekdaysOnly: Rule = (node) =>
  isAction(node, 'schedule', 'every_day', 'every_hour') && inputField(node, 'run_on_weekends') === undefined
    ? createFinding(
        'weekdays-only',
        'settings.input.run_on_weekends',
        'Runs Monday to Friday only. Set run_on_weekends to run every day.',
      )
    : []

const unevenMinutes: Rule = (node) => {
  const minutes = Number(inputField(node, 'minutes'))
  return isAction(node, 'schedule', 'every_x_minutes') && minutes > 0 && 60 % minutes !== 0
    ? createFinding(
        'uneven-minutes',
        'settings.input.minutes',
        `60 is not divisible by ${minutes}: the last interval of each hour is ${60 % minutes} minutes.`,
      )
    : []
}

const shortMonths: Rule = (node) =>
  isAction(node, 'schedule', 'every_month') && Number(inputField(node, 'day_of_the_month')) > 28
    ? createFinding('short-months', 'settings.input.day_of_the_month', 'Months without this day are skipped.')
    : []

const noTimeZone: Rule = (node) =>
  isAction(node, 'schedule', 'every_day', 'every_week', 'every_month') && isBlank(inputField(node, 'timezone'))
    ? createFinding('no-time-zone', 'settings.input.timezone', 'The hour is in UTC. Set timezone to use local time.')
    : []

const noTimeout: Rule = (node) =>
  isAction(node, 'http', 'send_request') && isBlank(inputField(node, 'timeout'))
    ? createFinding(
        'no-timeout',
        'settings.input.timeout',
        'No timeout is set. The request times out after 30 seconds.',
      )
    : []

const continueNone: Rule = (node) =>
  isAction(node, 'http', 'send_request') && inputField(node, 'failureMode') === 'continue_none'
    ? createFinding(
        'continue-none',
        'settings.input.failureMode',
        'Here the step fails on an error. On other platforms, continue_none ends the run successfully.',
      )
    : []

const spacedHeader: Rule = (node) => {
  const headers = isAction(node, 'http', 'send_request') ? fromJson(inputField(node, 'headers')) : undefined
  return Object.entries(isObject(headers) ? headers : {})
    .filter((pair) => pair.some((it) => typeof it === 'string' && it !== it.trim()))
    .map(([name]) => ({
      rule: 'spaced-header',
      path: 'settings.input.headers',
      message: `The header ${stringifyJson(name)} is sent without the spaces and line breaks around its name and value.`,
    }))
}

/** Returns whether a text has other text around an expression, which converts the value of the expression to text. */
const isInterpolated = (value: unknown): boolean =>
  typeof value === 'string' && hasToken(value) && splitTokens(value).length > 1

/** A ROUTER with only a fallback has no conditions, and its fallback always runs. */
function withoutConditions(node: AutomationNode): ReturnType<Rule> {
  const branches = getOwn(getOwn(nodeSettings(node), 'router'), 'branches')
  const first = Array.isArray(branches) ? branches.find((it) => getOwn(it, 'branchType') === 'CONDITION') : undefined
  if (Array.isArray(branches) && !first) return []
  const name = first
    ? getOwn(first, 'branchName')
    : getOwn(nodeSettings(node), 'routerBranch') === undefined
      ? ''
      : node.displayName
  const title = typeof name === 'string' && name !== '' ? ` "${name}"` : ''
  return createFinding(
    'never-true',
    'settings.conditions',
    `The branch${title} has no conditions, so it is never true.`,
  )
}

const conditions: Rule = (node) => {
  const groups = node.type === 'BRANCH' ? getOwn(nodeSettings(node), 'conditions') : undefined
  if (!Array.isArray(groups)) return []
  const none = groups.length === 0 ? withoutConditions(node) : []
  const each = groups.flatMap((group, at) => {
    const path = `settings.conditions[${at}]`
    if (!Array.isArray(group)) return []
    if (group.length === 0) return createFinding('always-true', path, 'A group without conditions is always true.')
    return group.flatMap((condition, inner) => lintCondition(condition, `${path}[${inner}]`))
  })
  return [...none, ...each]
}

function lintCondition(condition: unknown, path: string): ReturnType<Rule> {
  const [operator, first, second] = ['operator', 'firstValue', 'secondValue'].map((it) => getOwn(condition, it))
  const name = String(operator)
  if (
    name.startsWith('BOOLEAN_') &&
    (isInterpolated(first) || (typeof first === 'string' && !hasToken(first) && first !== ''))
  )
    return createFinding(
      'text-is-true',
      `${path}.firstValue`,
      'Any non-empty text counts as true, even "false". Use a single expression without text around it.',
    )
  if (!name.startsWith('NUMBER_')) return []
  if (typeof second === 'string' && second.trim() !== '' && !hasToken(second) && Number.isNaN(Number(second)))
    return createFinding(
      'not-a-number',
      `${path}.secondValue`,
      `${stringifyJson(second)} is not a number. The values are compared as text.`,
    )
  return typeof first === 'string' && hasToken(first) && name !== 'NUMBER_IS_GREATER_THAN'
    ? createFinding('empty-is-zero', `${path}.firstValue`, 'An empty value counts as 0 here. Add an EXISTS condition.')
    : []
}

const inlineSecrets: Rule = (node) => {
  const own = Object.fromEntries(ownFields(node)) as AutomationNode
  return [...findMasked(own)].map(({ path }) => ({
    rule: 'inline-secret',
    path,
    message: 'The definition contains a secret. Use a connection to keep it out of copies and versions.',
  }))
}

/** Fields of a step that have a meaning here, or only one for an editor. */
const knownFields = new Set([
  'name',
  'type',
  'displayName',
  'valid',
  'skip',
  'settings',
  'lastUpdatedDate',
  'stepIndex',
])

const unknownFields: Rule = (node) =>
  ownFields(node)
    .flatMap(([name, value]) =>
      name === 'continueOnFailureBranches' && isObject(value)
        ? Object.keys(value).map((it) => `${name}.${it}`)
        : knownFields.has(name) || value === null || value === undefined
          ? []
          : [name],
    )
    .map((path) => ({
      rule: 'unknown-field',
      path,
      message: 'Unknown field of a step. It is saved, but has no effect: steps in it never run.',
    }))

const unusableName: Rule = (node) =>
  typeof node.name === 'string' && !/^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(node.name)
    ? createFinding(
        'unusable-name',
        'name',
        'Expressions cannot refer to a step with this name. Use letters, digits and underscores if its output is needed.',
      )
    : []

const unusedBranches: Rule = (node) => {
  const branches = branchFields.filter((it) => childOf(node, it) && !mayRun(node, it))
  return branches.map((path) => ({
    rule: 'branches-off',
    path,
    message:
      'These steps never run: the step does not continue on failure. Set settings.errorHandlingOptions.continueOnFailure.value to true.',
  }))
}

const inboundResponse: Rule = (node, trigger) =>
  node === trigger && triggerOf(trigger)?.binding === 'inbound' && !alwaysResponds(trigger)
    ? createFinding('no-answer', '', 'An inbound call waits for a response. End every path with a respond step.')
    : []

/** Returns the warning about a step that never runs. */
export const lintSkippedStep = (node: AutomationNode): StepFinding[] =>
  createFinding('skipped', 'skip', 'The step is skipped when the automation runs.').map((finding) => ({
    level: 'warning',
    step: String(node.name),
    ...finding,
  }))

const rules: readonly Rule[] = [
  weekdaysOnly,
  unevenMinutes,
  shortMonths,
  noTimeZone,
  noTimeout,
  continueNone,
  spacedHeader,
  conditions,
  inlineSecrets,
  unknownFields,
  unusableName,
  unusedBranches,
  inboundResponse,
]

/** Returns the warnings about one step. */
export const lintStep = (node: AutomationNode, trigger: AutomationNode): StepFinding[] =>
  rules.flatMap((rule) => rule(node, trigger)).map((it) => ({ level: 'warning', step: String(node.name), ...it }))
