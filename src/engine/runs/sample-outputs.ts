import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { walkSteps } from '../../contract/automations/walk-steps.ts'
import { getOwn, type JsonObject, nodeInput } from '../definition/node.ts'
import { parsePath } from '../expressions/expression-path.ts'
import { findTokens, splitTokens } from '../expressions/tokens.ts'

type ValueKind = 'text' | 'number' | 'boolean' | 'date' | 'list'

/** Parts of a value that are read: its fields or its entries. */
interface ValueUse {
  kind: ValueKind | undefined
  readonly fields: Map<string, ValueUse>
  entry: ValueUse | undefined
}

const createUse = (): ValueUse => ({ kind: undefined, fields: new Map(), entry: undefined })

interface UseContext {
  readonly uses: ReadonlyMap<string, ValueUse>
  /** Value that `item` of a loop refers to. */
  readonly items: Map<string, ValueUse>
  /** Inputs of code steps. The code may return them under the same name. */
  readonly inputs: Map<string, JsonObject>
}

/** Methods and fields of lists and texts in expressions. */
const listMembers = new Set(
  'map filter forEach find findIndex some every reduce join flat flatMap at slice concat sort push'.split(' '),
)
const textMembers = new Set(
  'length split trim toLowerCase toUpperCase includes replace replaceAll startsWith endsWith substring match indexOf toString toFixed padStart'.split(
    ' ',
  ),
)

/**
 * Returns a sample output for each of these steps, derived from how the rest of the definition uses it.
 * Values are texts, numbers where numbers are compared, and lists where loops iterate. `automate test` uses them where it has no
 * mock, with the status GENERATED; nothing stores them.
 */
export function createSampleOutputs(trigger: AutomationNode, names: ReadonlySet<string>): Record<string, unknown> {
  const uses = new Map([...names].map((name) => [name, createUse()] as const))
  const context: UseContext = { uses, items: new Map(), inputs: new Map() }
  for (const { node } of walkSteps(trigger)) {
    if (node.type === 'CODE') context.inputs.set(String(node.name), nodeInput(node))
    if (node.type === 'LOOP_ON_ITEMS') readLoop(node, context)
    for (const { token } of findTokens(nodeInput(node))) for (const keys of listPaths(token)) markAsText(keys, context)
    for (const group of conditionGroups(node)) for (const condition of group) readCondition(condition, context)
  }
  const found: Record<string, unknown> = Object.create(null)
  for (const [name, use] of uses)
    found[name] =
      use.kind === undefined && use.fields.size === 0 && use.entry === undefined ? {} : createSample(use, name)
  return found
}

const conditionGroups = (node: AutomationNode): unknown[][] => {
  const groups = node.type === 'BRANCH' ? getOwn(nodeInput(node), 'conditions') : undefined
  return Array.isArray(groups) ? groups.filter((it): it is unknown[] => Array.isArray(it)) : []
}

function readLoop(node: AutomationNode, context: UseContext): void {
  const list = singleExpressionPath(getOwn(nodeInput(node), 'items'))
  const at = list && trackPath(list, context)
  if (!at) return
  at.kind ??= 'list'
  at.entry ??= createUse()
  context.items.set(String(node.name), at.entry)
}

/** Returns the path of a text that consists of a single expression. */
function singleExpressionPath(value: unknown): readonly string[] | undefined {
  const parts = typeof value === 'string' ? splitTokens(value.trim()) : []
  const [first] = parts
  const path = parts.length === 1 && first && 'token' in first ? parsePath(first.token) : null
  return path ? [path.root, ...path.keys] : undefined
}

/** Returns every path into a step output that an expression uses. */
function listPaths(token: string): readonly (readonly string[])[] {
  const path = parsePath(token)
  if (path) return [[path.root, ...path.keys]]
  const candidates =
    token.match(
      /(?<![.\w$'"])[A-Za-z_$][\w$]*(?:(?:\?\.|\.)[A-Za-z_$][\w$]*|(?:\?\.)?\[\s*(?:'[^']*'|"[^"]*"|\d+)\s*\])+/g,
    ) ?? []
  return candidates.flatMap((candidate) => {
    const parsedPath = parsePath(candidate)
    return parsedPath ? [[parsedPath.root, ...parsedPath.keys]] : []
  })
}

function trackPath([root = '', ...keys]: readonly string[], context: UseContext, depth = 0): ValueUse | undefined {
  const { uses, items, inputs } = context
  const isItem = keys[0] === 'item'
  const passed =
    keys[0] === undefined || depth > 20 ? undefined : singleExpressionPath(getOwn(inputs.get(root), keys[0]))
  if (passed) return trackPath([...passed, ...keys.slice(1)], context, depth + 1)
  let at = uses.get(root) ?? (isItem ? items.get(root) : undefined)
  for (const key of uses.has(root) ? keys : keys.slice(1)) {
    if (!at) return undefined
    if (listMembers.has(key)) {
      at.kind ??= 'list'
      return at
    }
    if (textMembers.has(key)) return at
    if (/^\d+$/.test(key)) {
      at.kind ??= 'list'
      at.entry ??= createUse()
      at = at.entry
    } else {
      const next: ValueUse = at.fields.get(key) ?? createUse()
      at.fields.set(key, next)
      at = next
    }
  }
  return at
}

function markAsText(keys: readonly string[], context: UseContext): void {
  const at = trackPath(keys, context)
  if (at) at.kind ??= 'text'
}

const operatorKinds: readonly (readonly [RegExp, ValueKind])[] = [
  [/^NUMBER_/, 'number'],
  [/^BOOLEAN_/, 'boolean'],
  [/^DATE_/, 'date'],
  [/^LIST_/, 'list'],
]

function readCondition(condition: unknown, context: UseContext): void {
  const kind = operatorKinds.find(([pattern]) => pattern.test(String(getOwn(condition, 'operator'))))?.[1]
  const keys = singleExpressionPath(getOwn(condition, 'firstValue'))
  const at = kind && keys && trackPath(keys, context)
  if (at && (at.kind === undefined || at.kind === 'text')) at.kind = kind
}

const sampleValues: readonly (readonly [RegExp, unknown])[] = [
  [/e-?mail/i, 'sample@example.com'],
  [/phone|mobile/i, '+15005550111'],
  [/ur[il]$|link|href|website/i, 'https://example.com/'],
  [/date|time|_at$|At$/, '2026-01-15T09:00:00.000Z'],
]

function createSample({ kind, fields, entry }: ValueUse, name: string): unknown {
  if (fields.size > 0 && kind !== 'list')
    return Object.fromEntries([...fields].map(([key, use]) => [key, createSample(use, key)]))
  if (kind === 'list' || entry) return [createSample(entry ?? { kind: undefined, fields, entry: undefined }, name)]
  if (kind === 'number') return 1
  if (kind === 'boolean') return true
  if (kind === 'date') return '2026-01-15T09:00:00.000Z'
  return sampleValues.find(([pattern]) => pattern.test(name))?.[1] ?? `sample ${name}`
}
