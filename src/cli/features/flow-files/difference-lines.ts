import type { DefinitionDiff } from '../../../engine/analysis/diff.ts'
import { stringifyJson } from '../../../node/json.ts'
import { safeLine } from '../../program/terminal/safe-text.ts'
import { textDifference } from './text-difference.ts'

/** Maximum number of characters shown of a value. */
const maxLength = 120

const describeValue = (value: unknown): string => {
  if (value === undefined) return 'not set'
  const text = stringifyJson(value)
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

/** Returns whether a value is shown line by line: code, prompts, long messages. */
const isMultiline = (value: unknown): value is string =>
  typeof value === 'string' && (value.includes('\n') || value.length > maxLength / 2)

type Field = DefinitionDiff['changed'][number]['fields'][number]

function fieldLines({ path, before, after, hidden }: Field): string[] {
  if (hidden) return [`    ${path}: changed, not shown`]
  const isText = typeof before === 'string' && typeof after === 'string' && (isMultiline(before) || isMultiline(after))
  if (!isText) return [`    ${path}: ${describeValue(before)} -> ${describeValue(after)}`]
  return [`    ${path}:`, ...textDifference(before, after).map((it) => `      ${it}`)]
}

/** Renders a difference for people: added, removed and moved steps, and changed fields. Secrets are not shown. */
export function differenceLines({ added, removed, moved, changed }: DefinitionDiff): string[] {
  const named = ({ step, displayName }: { step: string; displayName: string }): string =>
    displayName === step ? step : `${step} (${displayName})`
  const lines = [
    ...added.map((it) => `+ ${named(it)} added, ${it.place}`),
    ...removed.map((it) => `- ${named(it)} removed, ${it.place}`),
    ...moved.map((it) => `~ ${named(it)} moved, ${it.from} -> ${it.place}`),
    ...changed.flatMap((it) => [`~ ${named(it)} changed`, ...it.fields.flatMap(fieldLines)]),
  ]
  return lines.map(safeLine)
}
