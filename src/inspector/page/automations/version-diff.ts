import { diffArrays } from 'diff'
import { stringifyJson } from '../../../node/json.ts'
import { childrenOf, type FlowNode } from './flow-layout.ts'

/** Difference of one step between two definitions. */
export interface StepChange {
  readonly step: string
  readonly title: string
  readonly change: 'added' | 'removed' | 'changed' | 'moved'
  readonly fields: readonly { readonly path: string; readonly before: string; readonly after: string }[]
}

interface Place {
  readonly node: FlowNode
  readonly after: string
}

/**
 * Fields that hold steps or that the platform computes. Those with steps are `childFields` of
 * contract/automations/walk-steps.ts and `childrenOf` of flow-layout.ts.
 */
const ignored = new Set([
  ...['nextAction', 'onSuccessAction', 'onFailureAction', 'firstLoopAction', 'continueOnFailureBranches'],
  ...['name', 'valid'],
])

/** Returns all steps by name, with the step or path before each. */
function places(trigger: FlowNode): Map<string, Place> {
  const found = new Map<string, Place>()
  const stack: Place[] = [{ node: trigger, after: '' }]
  for (let place = stack.pop(); place; place = stack.pop()) {
    const { node } = place
    const name = String(node.name ?? '')
    if (found.has(name)) continue
    found.set(name, place)
    for (const { path, child } of childrenOf(node))
      stack.push({ node: child, after: path === 'nextAction' ? name : `${name} ${path}` })
  }
  return found
}

const text = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : stringifyJson(value, null, 2)

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function compare(before: unknown, after: unknown, path: string, found: StepChange['fields'][number][]): void {
  if (stringifyJson(before) === stringifyJson(after)) return
  if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      compare(before[key], after[key], path ? `${path}.${key}` : key, found)
  } else found.push({ path, before: text(before), after: text(after) })
}

const own = (node: FlowNode): Record<string, unknown> =>
  Object.fromEntries(Object.entries(node).filter(([key]) => !ignored.has(key)))

const titleOf = (node: FlowNode): string => node.displayName || String(node.name ?? '')

/**
 * Compares two definitions step by step, matching steps by name. For the page only: engine/analysis/diff.ts is what the terminal
 * prints, and may name a moved step otherwise.
 */
export function compareVersions(before: FlowNode, after: FlowNode): StepChange[] {
  const [old, now] = [places(before), places(after)]
  const changes: StepChange[] = []
  for (const [step, { node, after: place }] of now) {
    const earlier = old.get(step)
    const title = titleOf(node)
    if (!earlier) {
      changes.push({ step, title, change: 'added', fields: [] })
      continue
    }
    const fields: StepChange['fields'][number][] = []
    compare(own(earlier.node), own(node), '', fields)
    // A step whose predecessor was added or removed did not move.
    const isMoved = earlier.after !== place && now.has(bare(earlier.after)) && old.has(bare(place))
    if (fields.length > 0) changes.push({ step, title, change: 'changed', fields })
    else if (isMoved) changes.push({ step, title, change: 'moved', fields: [] })
  }
  for (const [step, { node }] of old)
    if (!now.has(step)) changes.push({ step, title: titleOf(node), change: 'removed', fields: [] })
  return changes
}

const bare = (place: string): string => place.split(' ')[0] ?? ''

/** Line of a text comparison. */
interface DiffLine {
  readonly mark: ' ' | '+' | '-'
  readonly text: string
}

/** Compares two texts line by line. Long texts are shown as removed and added. */
export function compareLines(before: string, after: string): DiffLine[] {
  const [old, now] = [before, after].map((it) => (it === '' ? [] : it.split('\n'))) as [string[], string[]]
  const asLines = (mark: DiffLine['mark'], lines: readonly string[]): DiffLine[] =>
    lines.map((it) => ({ mark, text: it }))
  if (old.length * now.length > 250_000) return [...asLines('-', old), ...asLines('+', now)]
  return diffArrays(old, now).flatMap(({ added, removed, value }) => asLines(added ? '+' : removed ? '-' : ' ', value))
}

/** Returns one sentence for a list of changes. */
export function summarizeChanges(changes: readonly StepChange[]): string {
  if (changes.length === 0) return 'The definitions are identical.'
  const parts = (['added', 'removed', 'changed', 'moved'] as const).flatMap((kind) => {
    const count = changes.filter((it) => it.change === kind).length
    return count === 0 ? [] : [`${count} ${kind}`]
  })
  return `Steps: ${parts.join(', ')}.`
}
