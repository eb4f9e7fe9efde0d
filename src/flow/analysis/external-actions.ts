import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { getOwn, isSkipped, nodeInput } from '../definition/node.ts'
import { walk } from '../definition/walk.ts'
import { parsePath, resolvePath } from '../expressions/expression-path.ts'
import { splitTokens } from '../expressions/tokens.ts'
import { actionOf, triggerOf } from '../pieces/registry.ts'
import { mayChangeRemoteData } from './code-analysis.ts'

/** What a step does outside when it runs. */
export interface ExternalAction {
  readonly step: string
  /** One line for people: the step, what it does, and to whom or what. */
  readonly text: string
}

/** Fields of inputs that say whom or what a step reaches. */
const targetFields = [
  ...['method', 'url', 'to', 'receiver', 'phone_number', 'campaign', 'lead', 'assistant', 'sender', 'template', 'from'],
  ...['spreadsheet_id', 'spreadsheetId', 'row_id', 'id', 'email', 'event', 'start'],
]

/** Longest value that is shown. */
const maxValueLength = 80

/**
 * The steps that send, call or change something elsewhere when they run, in the order of the definition. `payload` is what the trigger receives: it
 * fills in whom a step would reach where that is known.
 */
export function listExternalActions(trigger: AutomationNode, payload: unknown): ExternalAction[] {
  const found: ExternalAction[] = []
  for (const { node } of walk(trigger)) {
    const title = isSkipped(node) ? undefined : actionTitle(node)
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

/** Whether a test fires the trigger: schedules and services start their automations themselves. */
export function isFiredByTest(trigger: AutomationNode): boolean {
  const kind = triggerOf(trigger)?.kind
  return kind === 'webhook' || kind === 'event'
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
      : typeof value === 'string' || typeof value === 'number'
        ? String(value)
        : ''
    const shown = fillExpressions(text, payload)
    return shown === ''
      ? []
      : [`${name.replaceAll('_', ' ')} ${shown.length > maxValueLength ? `${shown.slice(0, maxValueLength)}…` : shown}`]
  })
}

/** A text with what the trigger receives filled in; expressions of other steps stay as they are written. */
function fillExpressions(text: string, payload: unknown): string {
  const parts = splitTokens(text).map((part) => {
    if ('text' in part) return part.text
    const value = firstValue(part.token, payload)
    return typeof value === 'string' || typeof value === 'number' ? String(value) : `{{${part.token}}}`
  })
  return parts.join('').trim()
}

/** The first that is there of paths with `||` between them. */
function firstValue(token: string, payload: unknown): unknown {
  for (const alternative of token.split('||')) {
    const path = parsePath(alternative.trim())
    const value = path?.root === 'trigger' ? resolvePath(payload, path.keys) : undefined
    if (value !== undefined && value !== null && value !== '') return value
  }
  return undefined
}
