import type { AutomationNode } from '../../contract/automation-node.ts'
import { maskDefinition } from './mask.ts'
import { type ChildField, childFields, isObject } from './node.ts'
import { canonicalText } from './publish.ts'
import { walk } from './walk.ts'

export interface FieldChange {
  /** Such as `settings.input.url`. */
  readonly path: string
  /** Masked; undefined where there was, or is, nothing. */
  readonly before: unknown
  readonly after: unknown
  /** Both are hidden, and not the same. */
  readonly hidden: boolean
}

interface Placed {
  readonly step: string
  readonly displayName: string
  /** Where its chain is, as `step_2 on success`; `main` for the main one. */
  readonly place: string
}

export interface Difference {
  readonly added: readonly (Placed & { readonly type: string })[]
  readonly removed: readonly (Placed & { readonly type: string })[]
  readonly moved: readonly (Placed & { readonly from: string })[]
  readonly changed: readonly { readonly step: string; readonly displayName: string; readonly fields: readonly FieldChange[] }[]
}

interface Standing extends Placed {
  readonly node: AutomationNode
  readonly masked: AutomationNode
  readonly order: number
}

const chains: Readonly<Partial<Record<ChildField, string>>> = { onSuccessAction: 'on success', onFailureAction: 'on failure', firstLoopAction: 'in the loop' }

function standings(trigger: AutomationNode): Map<string, Standing> {
  const masked = [...walk(maskDefinition(trigger))]
  const all = [...walk(trigger)].map(({ node, inside }, order): Standing => {
    const place = inside ? `${String(inside.node.name)} ${chains[inside.field] ?? inside.field}` : 'main'
    const step = String(node.name)
    return { step, displayName: node.displayName || step, place, node, masked: masked[order]?.node ?? {}, order }
  })
  return new Map(all.map((it) => [it.step, it]))
}

const isSame = (a: unknown, b: unknown): boolean => canonicalText(a ?? null) === canonicalText(b ?? null)

/**
 * What differs from one definition to another, step by step as they are named. A step moved when it stands in another chain, or changed places with
 * others of its own; that something was put before it does not move it.
 */
export function diff(before: AutomationNode, after: AutomationNode): Difference {
  const [old, now] = [standings(before), standings(after)]
  const brief = ({ step, displayName, place, node }: Standing) => ({ step, displayName, place, type: String(node.type) })
  const common = [...now.values()].filter((it) => old.has(it.step))
  const stayed = inOrder(common, old)
  return {
    added: [...now.values()].filter((it) => !old.has(it.step)).map(brief),
    removed: [...old.values()].filter((it) => !now.has(it.step)).map(brief),
    moved: common
      .filter((it) => !stayed.has(it.step))
      .map(({ step, displayName, place }) => ({ step, displayName, place, from: (old.get(step) as Standing).place })),
    changed: common.flatMap((it) => {
      const fields = changesOf(old.get(it.step) as Standing, it)
      return fields.length > 0 ? [{ step: it.step, displayName: it.displayName, fields }] : []
    }),
  }
}

/** The steps that kept their place: of those in the same chain as before, the most that are still in the same order. */
function inOrder(common: readonly Standing[], old: ReadonlyMap<string, Standing>): Set<string> {
  const stayed = new Set<string>()
  const byPlace = new Map<string, Standing[]>()
  for (const it of common) if (old.get(it.step)?.place === it.place) byPlace.set(it.place, [...(byPlace.get(it.place) ?? []), it])
  for (const chain of byPlace.values())
    for (const at of longestRise(chain.map((it) => (old.get(it.step) as Standing).order))) stayed.add((chain[at] as Standing).step)
  return stayed
}

/** Places of a longest rising subsequence. */
function longestRise(values: readonly number[]): number[] {
  const ends: number[] = []
  const before: number[] = []
  for (const [at, value] of values.entries()) {
    let length = ends.findIndex((end) => (values[end] as number) >= value)
    if (length < 0) length = ends.length
    before[at] = length > 0 ? (ends[length - 1] as number) : -1
    ends[length] = at
  }
  const rise: number[] = []
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] as number) rise.push(at)
  return rise
}

/** Computed by the platform, or the business of other steps. */
const ignored: ReadonlySet<string> = new Set([...childFields, 'name', 'valid'])

function changesOf(before: Standing, after: Standing): FieldChange[] {
  const found: FieldChange[] = []
  for (const field of new Set([...Object.keys(before.node), ...Object.keys(after.node)])) {
    if (!ignored.has(field)) compare(at(before.node, field), at(after.node, field), at(before.masked, field), at(after.masked, field), field, found)
  }
  return found
}

const at = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? (value as never)[key] : undefined

function compare(before: unknown, after: unknown, shownBefore: unknown, shownAfter: unknown, path: string, found: FieldChange[]): void {
  if (isSame(before, after)) return
  if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      compare(at(before, key), at(after, key), at(shownBefore, key), at(shownAfter, key), `${path}.${key}`, found)
  } else if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    for (const n of before.keys()) compare(before[n], after[n], at(shownBefore, String(n)), at(shownAfter, String(n)), `${path}[${n}]`, found)
  } else found.push({ path, before: shownBefore, after: shownAfter, hidden: isSame(shownBefore, shownAfter) })
}
