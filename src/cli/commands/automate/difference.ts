import type { Difference } from '../../../automation/definition/diff.ts'
import { safeLine } from '../../output/safe-text.ts'

const longest = 120
const shown = (value: unknown): string => {
  if (value === undefined) return 'not set'
  const text = JSON.stringify(value)
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

/** A difference step by step, for people: what was added, removed, moved, and field by field what changed. Secrets are not shown. */
export function differenceLines({ added, removed, moved, changed }: Difference): string[] {
  const named = ({ step, displayName }: { step: string; displayName: string }): string => (displayName === step ? step : `${step} (${displayName})`)
  const lines = [
    ...added.map((it) => `+ ${named(it)} added, ${it.place}`),
    ...removed.map((it) => `- ${named(it)} removed, ${it.place}`),
    ...moved.map((it) => `~ ${named(it)} moved, ${it.from} -> ${it.place}`),
    ...changed.flatMap((it) => [
      `~ ${named(it)} changed`,
      ...it.fields.map(({ path, before, after, hidden }) => `    ${path}: ${hidden ? 'changed, not shown' : `${shown(before)} -> ${shown(after)}`}`),
    ]),
  ]
  return lines.map(safeLine)
}
