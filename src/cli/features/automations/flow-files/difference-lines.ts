import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import { fromFlow } from '../../../../contract/automations/flow-form.ts'
import { ownFields, walkSteps } from '../../../../contract/automations/walk-steps.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { type DefinitionDiff, diff } from '../../../../engine/analysis/diff.ts'
import { maskDefinition } from '../../../../engine/definition/mask.ts'
import { stringifyJson } from '../../../../node/json.ts'
import { safeLine } from '../../../program/terminal/safe-text.ts'
import { textDifference } from '../../../program/updates/text-difference.ts'

/** Maximum number of characters shown of a value. */
const maxLength = 120

const describeValue = (value: unknown, isFull: boolean): string => {
  if (value === undefined) return 'not set'
  const text = stringifyJson(value)
  return text.length > maxLength && !isFull ? `${text.slice(0, maxLength)}…` : text
}

/** Returns whether a value is shown line by line: code, prompts, long messages. */
const isMultiline = (value: unknown): value is string =>
  typeof value === 'string' && (value.includes('\n') || value.length > maxLength / 2)

type Field = DefinitionDiff['changed'][number]['fields'][number]

function fieldLines({ path, before, after, hidden }: Field, isFull: boolean): string[] {
  if (hidden) return [`    ${path}: changed, not shown`]
  const isText = typeof before === 'string' && typeof after === 'string' && (isMultiline(before) || isMultiline(after))
  if (!isText) return [`    ${path}: ${describeValue(before, isFull)} -> ${describeValue(after, isFull)}`]
  const limits = isFull ? { maxWidth: Number.POSITIVE_INFINITY, maxLines: Number.POSITIVE_INFINITY } : undefined
  return [`    ${path}:`, ...textDifference(before, after, limits).map((it) => `      ${it}`)]
}

/**
 * Renders a difference for people: added, removed and moved steps, and changed fields. Secrets are not shown. Long values
 * are shortened unless `isFull`.
 */
export function differenceLines({ added, removed, moved, changed }: DefinitionDiff, isFull = false): string[] {
  const named = ({ step, displayName }: { step: string; displayName: string }): string =>
    displayName === step ? step : `${step} (${displayName})`
  const lines = [
    ...added.map((it) => `+ ${named(it)} added, ${it.place}`),
    ...removed.map((it) => `- ${named(it)} removed, ${it.place}`),
    ...moved.map((it) => `~ ${named(it)} moved, ${it.from} -> ${it.place}`),
    ...changed.flatMap((it) => [`~ ${named(it)} changed`, ...it.fields.flatMap((field) => fieldLines(field, isFull))]),
  ]
  return lines.map(safeLine)
}

/** Returns the definition that a value is: a flow as in files, or one step. */
function definitionIn(value: unknown): AutomationNode | undefined {
  if (!isObject(value)) return undefined
  const { trigger, steps, name } = value
  if (isObject(trigger) && Array.isArray(steps)) return fromFlow(trigger, steps.filter(isObject))
  return typeof name === 'string' ? value : undefined
}

/**
 * Describes step by step how two flows differ, or two versions of one step; undefined if one of them is neither.
 * `isFull`: values that are lost are shown in full, with those of removed steps.
 */
export function flowDifference(before: unknown, after: unknown, isFull = false): string[] | undefined {
  const [old, now] = [definitionIn(before), definitionIn(after)]
  if (!old || !now) return undefined
  const found = diff(old, now)
  const lost = new Set(isFull ? found.removed.map((it) => it.step) : [])
  const removed = [...walkSteps(maskDefinition(old))].flatMap(({ node }) =>
    lost.has(String(node.name)) ? [`    ${node.name}: ${stringifyJson(Object.fromEntries(ownFields(node)))}`] : [],
  )
  return [...differenceLines(found, isFull), ...removed.map(safeLine)]
}
