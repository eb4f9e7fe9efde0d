import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { chainTitles, ownFields, walkSteps } from '../../contract/automations/walk-steps.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { canonicalJson } from '../../node/canonical-json.ts'
import { maskDefinition } from '../definition/mask.ts'

/** A field of a step that differs between two definitions. */
interface FieldChange {
  /** Path such as `settings.input.url`. */
  readonly path: string
  /** Masked values; undefined if the field is missing on that side. */
  readonly before: unknown
  readonly after: unknown
  /** Whether the values differ although both are masked. */
  readonly hidden: boolean
}

interface PlacedStep {
  readonly step: string
  readonly displayName: string
  /** Chain of the step, such as `step_2 on success`; `main` for the main chain. */
  readonly place: string
}

/**
 * Differences between two definitions, by step name. A moved step may also be among the changed ones. `automate diff`,
 * and `automate restore --dry-run`, print it as JSON: fields are added, not renamed.
 */
export interface DefinitionDiff {
  readonly added: readonly (PlacedStep & { readonly type: string })[]
  readonly removed: readonly (PlacedStep & { readonly type: string })[]
  readonly moved: readonly (PlacedStep & { readonly from: string })[]
  readonly changed: readonly {
    readonly step: string
    readonly displayName: string
    readonly fields: readonly FieldChange[]
  }[]
}

interface StepPosition extends PlacedStep {
  readonly node: AutomationNode
  readonly masked: AutomationNode
  readonly order: number
}

function indexSteps(trigger: AutomationNode): Map<string, StepPosition> {
  const masked = [...walkSteps(maskDefinition(trigger))]
  const all = [...walkSteps(trigger)].map(({ node, inside }, order): StepPosition => {
    const place = inside ? `${String(inside.node.name)} ${chainTitles[inside.field]}` : 'main'
    const step = String(node.name)
    return { step, displayName: node.displayName || step, place, node, masked: masked[order]?.node ?? {}, order }
  })
  return new Map(all.map((it) => [it.step, it]))
}

const isEqual = (a: unknown, b: unknown): boolean => canonicalJson(a ?? null) === canonicalJson(b ?? null)

/**
 * Compares two definitions step by step, matching steps by name.
 * A step has moved if it is in another chain or its order relative to other steps of its chain changed. Steps inserted
 * before it do not move it.
 */
export function diff(before: AutomationNode, after: AutomationNode): DefinitionDiff {
  const [old, now] = [indexSteps(before), indexSteps(after)]
  const toSummary = ({ step, displayName, place, node }: StepPosition) => ({
    step,
    displayName,
    place,
    type: String(node.type),
  })
  const commonSteps = [...now.values()].filter((it) => old.has(it.step))
  const unmovedSteps = findUnmovedSteps(commonSteps, old)
  return {
    added: [...now.values()].filter((it) => !old.has(it.step)).map(toSummary),
    removed: [...old.values()].filter((it) => !now.has(it.step)).map(toSummary),
    moved: commonSteps
      .filter((it) => !unmovedSteps.has(it.step))
      .map(({ step, displayName, place }) => ({
        step,
        displayName,
        place,
        from: (old.get(step) as StepPosition).place,
      })),
    changed: commonSteps.flatMap((step) => {
      const fields = compareSteps(old.get(step.step) as StepPosition, step)
      return fields.length > 0 ? [{ step: step.step, displayName: step.displayName, fields }] : []
    }),
  }
}

/**
 * Returns the steps that did not move: of the steps in the same chain as before, the largest set in unchanged order.
 */
function findUnmovedSteps(commonSteps: readonly StepPosition[], old: ReadonlyMap<string, StepPosition>): Set<string> {
  const unmovedSteps = new Set<string>()
  const byPlace = new Map<string, StepPosition[]>()
  for (const step of commonSteps)
    if (old.get(step.step)?.place === step.place) byPlace.set(step.place, [...(byPlace.get(step.place) ?? []), step])
  for (const chain of byPlace.values())
    for (const at of longestIncreasingSubsequence(chain.map((it) => (old.get(it.step) as StepPosition).order)))
      unmovedSteps.add((chain[at] as StepPosition).step)
  return unmovedSteps
}

/** Returns the indexes of a longest increasing subsequence. */
function longestIncreasingSubsequence(values: readonly number[]): number[] {
  const ends: number[] = []
  const before: number[] = []
  for (const [at, value] of values.entries()) {
    let length = ends.findIndex((end) => (values[end] as number) >= value)
    if (length < 0) length = ends.length
    before[at] = length > 0 ? (ends[length - 1] as number) : -1
    ends[length] = at
  }
  const sequence: number[] = []
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] as number) sequence.push(at)
  return sequence
}

/** Fields that the platform computes, or by which steps are matched. A change of another field is one that a person sees. */
const ignoredFields: ReadonlySet<string> = new Set(['name', 'valid'])

function compareSteps(before: StepPosition, after: StepPosition): FieldChange[] {
  const found: FieldChange[] = []
  const [old, now, shownOld, shownNow] = [before.node, after.node, before.masked, after.masked].map((side) =>
    Object.fromEntries(ownFields(side)),
  )
  for (const field of new Set([...Object.keys(old ?? {}), ...Object.keys(now ?? {})]))
    if (!ignoredFields.has(field))
      compareValues(
        fieldAt(old, field),
        fieldAt(now, field),
        fieldAt(shownOld, field),
        fieldAt(shownNow, field),
        field,
        found,
      )
  return found
}

const fieldAt = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined

function compareValues(
  before: unknown,
  after: unknown,
  shownBefore: unknown,
  shownAfter: unknown,
  path: string,
  found: FieldChange[],
): void {
  if (isEqual(before, after)) return
  if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)]))
      compareValues(
        fieldAt(before, key),
        fieldAt(after, key),
        fieldAt(shownBefore, key),
        fieldAt(shownAfter, key),
        `${path}.${key}`,
        found,
      )
  } else if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    for (const n of before.keys())
      compareValues(
        before[n],
        after[n],
        fieldAt(shownBefore, String(n)),
        fieldAt(shownAfter, String(n)),
        `${path}[${n}]`,
        found,
      )
  } else found.push({ path, before: shownBefore, after: shownAfter, hidden: isEqual(shownBefore, shownAfter) })
}
