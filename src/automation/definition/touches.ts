import type { AutomationNode } from '../../contract/automation-node.ts'
import { follow, pathOf } from '../expressions/path.ts'
import { partsOf } from '../expressions/tokens.ts'
import { actionOf, triggerOf } from '../steps/registry.ts'
import { mayWrite } from './code-globals.ts'
import { inputOf, isSkipped, own } from './node.ts'
import { walk } from './walk.ts'

/** What a step does outside when it runs. */
export interface Touch {
  readonly step: string
  /** One line for people: the step, what it does, and to whom or what. */
  readonly text: string
}

/** Fields of inputs that say whom or what a step reaches. */
const targets = [
  ...['method', 'url', 'to', 'receiver', 'phone_number', 'campaign', 'lead', 'assistant', 'sender', 'template', 'from'],
  ...['spreadsheet_id', 'spreadsheetId', 'row_id', 'id', 'email', 'event', 'start'],
]

/** Longest value that is shown. */
const maxValue = 80

/**
 * The steps that send, call or change something elsewhere when they run, in the order of the definition. `payload` is what the trigger receives: it
 * fills in whom a step would reach where that is known.
 */
export function touchesOf(trigger: AutomationNode, payload: unknown): Touch[] {
  const found: Touch[] = []
  for (const { node } of walk(trigger)) {
    const title = isSkipped(node) ? undefined : titleOf(node)
    if (title === undefined) continue
    const name = node.displayName || String(node.name)
    const reached = node.type === 'PIECE' ? reachedBy(inputOf(node), payload) : []
    const what = title.toLowerCase() === name.toLowerCase() ? '' : `: ${title}`
    found.push({ step: String(node.name), text: `${name}${what}${reached.length > 0 ? ` (${reached.join(', ')})` : ''}` })
  }
  return found
}

/** Whether a test fires the trigger: schedules and services start their automations themselves. */
export function isFiredByTest(trigger: AutomationNode): boolean {
  const kind = triggerOf(trigger)?.kind
  return kind === 'webhook' || kind === 'event'
}

function titleOf(node: AutomationNode): string | undefined {
  if (node.type === 'CODE') return mayWrite(String(own(own(node.settings, 'sourceCode'), 'code') ?? '')) ? 'Send a request' : undefined
  const action = node.type === 'PIECE' ? actionOf(node) : undefined
  const acts = action && (typeof action.acts === 'function' ? action.acts(inputOf(node)) : action.acts)
  return action && (acts || action.writes) ? action.title : undefined
}

function reachedBy(input: Readonly<Record<string, unknown>>, payload: unknown): string[] {
  return targets.flatMap((name) => {
    const value = own(input, name)
    const text = Array.isArray(value) ? value.join(', ') : typeof value === 'string' || typeof value === 'number' ? String(value) : ''
    const shown = filled(text, payload)
    return shown === '' ? [] : [`${name.replaceAll('_', ' ')} ${shown.length > maxValue ? `${shown.slice(0, maxValue)}…` : shown}`]
  })
}

/** A text with what the trigger receives filled in; expressions of other steps stay as they are written. */
function filled(text: string, payload: unknown): string {
  const parts = partsOf(text).map((part) => {
    if ('text' in part) return part.text
    const value = firstOf(part.token, payload)
    return typeof value === 'string' || typeof value === 'number' ? String(value) : `{{${part.token}}}`
  })
  return parts.join('').trim()
}

/** The first that is there of paths with `||` between them. */
function firstOf(token: string, payload: unknown): unknown {
  for (const one of token.split('||')) {
    const path = pathOf(one.trim())
    const value = path?.root === 'trigger' ? follow(payload, path.keys) : undefined
    if (value !== undefined && value !== null && value !== '') return value
  }
  return undefined
}
