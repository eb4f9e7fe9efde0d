import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { walkSteps } from '../../contract/automations/walk-steps.ts'
import { getOwn, nodeInput } from '../definition/node.ts'
import { parsePath, resolvePath } from '../expressions/expression-path.ts'
import { splitTokens } from '../expressions/tokens.ts'
import { actionOf, delay, triggerOf } from '../pieces/registry.ts'
import { store } from '../pieces/service-pieces.ts'
import { mayChangeRemoteData } from './code-analysis.ts'
import { findSkippedSteps } from './execution-order.ts'

/** Effect of a step outside the platform. */
interface ExternalAction {
  readonly step: string
  /** One-line description: the step, its action, and the recipient or target. */
  readonly text: string
}

/** Input fields that name the recipient or target of a step: names of fields in pieces/registry.ts and its parts. */
const targetFields = [
  ...[
    'method',
    'url',
    'to',
    'receiver',
    'phone_number',
    'campaign',
    'lead',
    'assistant',
    'sender',
    'template',
    'from',
    'flow',
  ],
  ...['spreadsheet_id', 'spreadsheetId', 'row_id', 'id', 'email', 'event', 'start'],
]

/** Maximum length of a displayed value. */
const maxValueLength = 80

/**
 * Returns the steps that send, call or change something outside when they run, in the order of the definition.
 * `payload` is the input of the trigger. It is used to resolve the targets in the descriptions.
 */
export function listExternalActions(trigger: AutomationNode, payload: unknown): ExternalAction[] {
  const found: ExternalAction[] = []
  const skipped = findSkippedSteps(trigger)
  for (const { node } of walkSteps(trigger)) {
    const title = skipped.has(String(node.name)) ? undefined : actionTitle(node)
    if (title === undefined) continue
    const name = node.displayName || String(node.name)
    const described = node.type === 'PIECE' ? describeTargets(nodeInput(node), payload) : []
    const what = title.toLowerCase() === name.toLowerCase() ? '' : `: ${title}`
    found.push({
      step: String(node.name),
      text: `${name}${what}${described.length > 0 ? ` (${described.join(', ')})` : ''}`,
    })
  }
  return found
}

/**
 * Returns whether a test fires the trigger. Schedules and external services start their automations directly. The platform tests a
 * definition by it, and the terminal asks by it before a test: both must have the same answer.
 */
export function isFiredByTest(trigger: AutomationNode): boolean {
  const kind = triggerOf(trigger)?.kind
  return kind === 'webhook' || kind === 'event' || kind === 'call'
}

function actionTitle(node: AutomationNode): string | undefined {
  if (node.type === 'CODE')
    return mayChangeRemoteData(String(getOwn(getOwn(node.settings, 'sourceCode'), 'code') ?? ''))
      ? 'Send a request'
      : undefined
  const action = node.type === 'PIECE' ? actionOf(node) : undefined
  const acts =
    action &&
    (typeof action.hasSideEffects === 'function' ? action.hasSideEffects(nodeInput(node)) : action.hasSideEffects)
  return action && (acts || action.changesExternalData) ? action.title : undefined
}

function describeTargets(input: Readonly<Record<string, unknown>>, payload: unknown): string[] {
  return targetFields.flatMap((name) => {
    const value = getOwn(input, name)
    const text = Array.isArray(value)
      ? value.join(', ')
      : typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
        ? String(value)
        : ''
    const shown = fillExpressions(text, payload)
    return shown === ''
      ? []
      : [`${name.replaceAll('_', ' ')} ${shown.length > maxValueLength ? `${shown.slice(0, maxValueLength)}…` : shown}`]
  })
}

/** Replaces expressions over the trigger with their values. Expressions over other steps stay as written. */
function fillExpressions(text: string, payload: unknown): string {
  const parts = splitTokens(text).map((part) => {
    if ('text' in part) return part.text
    const value = firstValue(part.token, payload)
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
      ? String(value)
      : `{{${part.token}}}`
  })
  return parts.join('').trim()
}

/** Returns the first non-empty value of several paths separated by `||`. */
function firstValue(token: string, payload: unknown): unknown {
  for (const alternative of token.split('||')) {
    const path = parsePath(alternative.trim())
    const value = path?.root === 'trigger' ? resolvePath(payload, path.keys) : undefined
    if (value !== undefined && value !== null && value !== '') return value
  }
  return undefined
}

/** Actions that wait, and those that store values between runs. */
const insideActions: ReadonlySet<unknown> = new Set([delay, store].flatMap((it) => Object.values(it.actions)))

/**
 * Returns whether every step only computes, waits, stores a value or sets the response of its run, whatever its input
 * is. Code can send requests, so a definition with code does not stay inside. Rights follow from it: without the scope `spend`, a
 * restricted key may use only such a definition (allowed-effects.ts of the platform).
 */
export function staysInside(trigger: AutomationNode): boolean {
  for (const { node, parent } of walkSteps(trigger)) {
    if (parent === null || node.type === 'BRANCH' || node.type === 'LOOP_ON_ITEMS') continue
    const action = node.type === 'PIECE' ? actionOf(node) : undefined
    if (!action?.isInternal && !insideActions.has(action)) return false
  }
  return true
}

/**
 * Returns the resources of the platform that steps change, also steps that are skipped. A restricted key needs rights for all of
 * them (allowed-effects.ts of the platform).
 */
export function listChangedResources(trigger: AutomationNode): string[] {
  const resources = new Set<string>()
  for (const { node } of walkSteps(trigger)) {
    const resource = node.type === 'PIECE' ? actionOf(node)?.resource : undefined
    if (resource !== undefined) resources.add(resource)
  }
  return [...resources]
}

interface SideEffect {
  readonly step: string
  readonly displayName: string
}

/**
 * Returns the steps that send, call or write outside, also in branches and loops. Excludes skipped steps. A step that is missing
 * here is run in a test, or again, without a question.
 */
export function listSideEffects(trigger: AutomationNode): SideEffect[] {
  const found: SideEffect[] = []
  const skipped = findSkippedSteps(trigger)
  for (const { node } of walkSteps(trigger)) {
    const name = String(node.name)
    if (skipped.has(name)) continue
    const source = node.type === 'CODE' ? getOwn(getOwn(node.settings, 'sourceCode'), 'code') : undefined
    const { hasSideEffects } = (node.type === 'PIECE' && actionOf(node)) || {}
    if (
      typeof source === 'string'
        ? mayChangeRemoteData(source)
        : typeof hasSideEffects === 'function'
          ? hasSideEffects(nodeInput(node))
          : hasSideEffects
    )
      found.push({ step: name, displayName: node.displayName || name })
  }
  return found
}
