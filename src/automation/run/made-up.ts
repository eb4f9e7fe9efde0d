import type { AutomationNode } from '../../contract/automation-node.ts'
import { inputOf, type Json, own } from '../definition/node.ts'
import { walk } from '../definition/walk.ts'
import { pathOf } from '../expressions/path.ts'
import { partsOf, tokensIn } from '../expressions/tokens.ts'

type Kind = 'text' | 'number' | 'boolean' | 'date' | 'list'

/** What is read of a value: its fields, or what its entries are. */
interface Use {
  kind: Kind | undefined
  readonly fields: Map<string, Use>
  entry: Use | undefined
}

const use = (): Use => ({ kind: undefined, fields: new Map(), entry: undefined })

interface Known {
  readonly uses: ReadonlyMap<string, Use>
  /** What `item` of a loop stands for. */
  readonly items: Map<string, Use>
  /** Inputs of code, which may give back what it was given under the same name. */
  readonly inputs: Map<string, Json>
}

/** Methods and fields of lists and texts in expressions. */
const listMembers = new Set('map filter forEach find findIndex some every reduce join flat flatMap at slice concat sort push'.split(' '))
const textMembers = new Set(
  'length split trim toLowerCase toUpperCase includes replace replaceAll startsWith endsWith substring match indexOf toString toFixed padStart'.split(' '),
)

/** An output for each of these steps, made of what the rest of the definition reads of it: texts, numbers where numbers are compared, lists that loops go through. */
export function madeUpFor(trigger: AutomationNode, names: ReadonlySet<string>): Record<string, unknown> {
  const uses = new Map([...names].map((name) => [name, use()] as const))
  const known: Known = { uses, items: new Map(), inputs: new Map() }
  for (const { node } of walk(trigger)) {
    if (node.type === 'CODE') known.inputs.set(String(node.name), inputOf(node))
    if (node.type === 'LOOP_ON_ITEMS') readLoop(node, known)
    for (const { token } of tokensIn(inputOf(node))) for (const keys of pathsIn(token)) markAll(keys, known)
    for (const group of groupsOf(node)) for (const condition of group) readCondition(condition, known)
  }
  const found: Record<string, unknown> = Object.create(null)
  for (const [name, it] of uses) found[name] = it.kind === undefined && it.fields.size === 0 && it.entry === undefined ? {} : sampleFor(it, name)
  return found
}

const groupsOf = (node: AutomationNode): unknown[][] => {
  const groups = node.type === 'BRANCH' ? own(inputOf(node), 'conditions') : undefined
  return Array.isArray(groups) ? groups.filter((it): it is unknown[] => Array.isArray(it)) : []
}

function readLoop(node: AutomationNode, known: Known): void {
  const list = only(own(inputOf(node), 'items'))
  const at = list && follow(list, known)
  if (!at) return
  at.kind ??= 'list'
  at.entry ??= use()
  known.items.set(String(node.name), at.entry)
}

/** The path of a text that is one expression and nothing else. */
function only(value: unknown): readonly string[] | undefined {
  const parts = typeof value === 'string' ? partsOf(value.trim()) : []
  const [first] = parts
  const path = parts.length === 1 && first && 'token' in first ? pathOf(first.token) : null
  return path ? [path.root, ...path.keys] : undefined
}

/** Every way into a step that an expression takes. */
function pathsIn(token: string): readonly (readonly string[])[] {
  const path = pathOf(token)
  if (path) return [[path.root, ...path.keys]]
  const ways = token.match(/(?<![.\w$'"])[A-Za-z_$][\w$]*(?:(?:\?\.|\.)[A-Za-z_$][\w$]*|(?:\?\.)?\[\s*(?:'[^']*'|"[^"]*"|\d+)\s*\])+/g) ?? []
  return ways.flatMap((it) => {
    const way = pathOf(it)
    return way ? [[way.root, ...way.keys]] : []
  })
}

function follow([root = '', ...keys]: readonly string[], known: Known, depth = 0): Use | undefined {
  const { uses, items, inputs } = known
  const isItem = keys[0] === 'item'
  const passed = keys[0] === undefined || depth > 20 ? undefined : only(own(inputs.get(root), keys[0]))
  if (passed) return follow([...passed, ...keys.slice(1)], known, depth + 1)
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
      at.entry ??= use()
      at = at.entry
    } else {
      const next: Use = at.fields.get(key) ?? use()
      at.fields.set(key, next)
      at = next
    }
  }
  return at
}

function markAll(keys: readonly string[], known: Known): void {
  const at = follow(keys, known)
  if (at) at.kind ??= 'text'
}

const kinds: readonly (readonly [RegExp, Kind])[] = [
  [/^NUMBER_/, 'number'],
  [/^BOOLEAN_/, 'boolean'],
  [/^DATE_/, 'date'],
  [/^LIST_/, 'list'],
]

function readCondition(condition: unknown, known: Known): void {
  const kind = kinds.find(([pattern]) => pattern.test(String(own(condition, 'operator'))))?.[1]
  const keys = only(own(condition, 'firstValue'))
  const at = kind && keys && follow(keys, known)
  if (at && (at.kind === undefined || at.kind === 'text')) at.kind = kind
}

const samples: readonly (readonly [RegExp, unknown])[] = [
  [/e-?mail/i, 'sample@example.com'],
  [/phone|mobile/i, '+15005550111'],
  [/ur[il]$|link|href|website/i, 'https://example.com/'],
  [/date|time|_at$|At$/, '2026-01-15T09:00:00.000Z'],
]

function sampleFor({ kind, fields, entry }: Use, name: string): unknown {
  if (fields.size > 0 && kind !== 'list') return Object.fromEntries([...fields].map(([key, it]) => [key, sampleFor(it, key)]))
  if (kind === 'list' || entry) return [sampleFor(entry ?? { kind: undefined, fields, entry: undefined }, name)]
  if (kind === 'number') return 1
  if (kind === 'boolean') return true
  if (kind === 'date') return '2026-01-15T09:00:00.000Z'
  return samples.find(([pattern]) => pattern.test(name))?.[1] ?? `sample ${name}`
}
