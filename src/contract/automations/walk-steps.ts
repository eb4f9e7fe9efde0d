import { isObject } from '../values/json-object.ts'
import type { AutomationNode } from './automation-node.ts'

/** Field of a step with the chains that run after the step succeeded or failed. */
const outcomeBranches = 'continueOnFailureBranches'
/**
 * Fields that hold the first step of a chain inside a step, in reading order. Saved definitions have these names: they
 * never change. The steps in a field that is missing here would be neither checked nor masked.
 */
export const branchFields = [
  'onSuccessAction',
  'onFailureAction',
  'firstLoopAction',
  `${outcomeBranches}.onSuccess`,
  `${outcomeBranches}.onFailure`,
] as const
/** Fields that hold another step, in reading order. The page of the inspector names them in flow-layout.ts and version-diff.ts. */
export const childFields = [...branchFields, 'nextAction'] as const
export type BranchField = (typeof branchFields)[number]
export type ChildField = (typeof childFields)[number]

/** Names of chains for people. */
export const chainTitles: Readonly<Record<BranchField, string>> = {
  onSuccessAction: 'on success',
  onFailureAction: 'on failure',
  firstLoopAction: 'in the loop',
  [`${outcomeBranches}.onSuccess`]: 'on success',
  [`${outcomeBranches}.onFailure`]: 'on failure',
} as Record<BranchField, string>

const getOwn = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** Returns what a field of a step holds, which may not be a step. */
export function readChild(node: unknown, field: ChildField): unknown {
  const [outer = '', inner] = field.split('.')
  const value = getOwn(node, outer)
  return inner === undefined ? value : getOwn(value, inner)
}

/** Returns the step in a field, or undefined. */
export function childOf(node: AutomationNode, field: ChildField): AutomationNode | undefined {
  const child = readChild(node, field)
  return isObject(child) ? (child as AutomationNode) : undefined
}

/** Sets or, without a child, removes the step in a field. Changes the node. */
export function setChild(node: AutomationNode, field: ChildField, child: unknown): void {
  const [outer = '', inner] = field.split('.')
  if (inner !== undefined) {
    const branches: Record<string, unknown> = { ...(node[outer] as object | undefined), [inner]: child }
    if (child === undefined) delete branches[inner]
    node[outer] = branches
  } else if (child === undefined) delete node[outer]
  else node[outer] = child
}

/** Returns the fields of a step without the steps in it. */
export function ownFields(node: AutomationNode): [name: string, value: unknown][] {
  return Object.entries(node).flatMap(([name, value]): [string, unknown][] => {
    if (name !== outcomeBranches || !isObject(value))
      return (childFields as readonly string[]).includes(name) ? [] : [[name, value]]
    const rest = Object.entries(value).filter(([key]) => key !== 'onSuccess' && key !== 'onFailure')
    return rest.length > 0 ? [[name, Object.fromEntries(rest)]] : []
  })
}

/** A step of a definition and its position. */
export interface StepVisit {
  readonly node: AutomationNode
  /** Step and field that hold this one; null for the trigger. */
  readonly parent: AutomationNode | null
  readonly field: ChildField | null
  /** The step whose branch or loop contains this one, and the chain in it; null for the main chain. */
  readonly inside: { readonly node: AutomationNode; readonly field: BranchField } | null
  /** Number of branches and loops around the step. */
  readonly nesting: number
}

const isBranch = (field: ChildField): field is BranchField => field !== 'nextAction'

/**
 * Yields every step of a definition once, the trigger first, and the steps inside a step before those after it. Uses an
 * explicit stack, so that depth is not limited.
 */
export function* walkSteps(trigger: unknown): Generator<StepVisit> {
  if (!isObject(trigger)) return
  const stack: StepVisit[] = [{ node: trigger as AutomationNode, parent: null, field: null, inside: null, nesting: 0 }]
  const seen = new Set<AutomationNode>()
  for (let visit = stack.pop(); visit; visit = stack.pop()) {
    const { node } = visit
    if (seen.has(node)) continue
    seen.add(node)
    yield visit
    for (const field of childFields.toReversed()) {
      const child = childOf(node, field)
      if (!child) continue
      const inner = isBranch(field)
      const inside = inner ? { node, field } : visit.inside
      stack.push({ node: child, parent: node, field, inside, nesting: visit.nesting + (inner ? 1 : 0) })
    }
  }
}

/**
 * Returns a copy of a definition with other values in the fields of each step. `change` receives the fields without the
 * steps in them, and the step.
 */
export function mapSteps(
  trigger: AutomationNode,
  change: (fields: AutomationNode, node: AutomationNode) => AutomationNode,
): AutomationNode {
  const copies = new Map<AutomationNode, AutomationNode>()
  for (const { node, parent, field } of walkSteps(trigger)) {
    const changed = change(Object.fromEntries(ownFields(node)), node)
    // Every field stays in its place, also one for a step that has none.
    const copy: AutomationNode = Object.fromEntries(
      Object.entries(node).map(([name, value]) => [
        name,
        name === outcomeBranches && isObject(value)
          ? { ...withoutSteps(value), ...(getOwn(changed, name) as object | undefined) }
          : Object.hasOwn(changed, name)
            ? changed[name]
            : withoutSteps({ value }).value,
      ]),
    )
    copies.set(node, copy)
    if (parent && field) setChild(copies.get(parent) as AutomationNode, field, copy)
  }
  return copies.get(trigger) as AutomationNode
}

const withoutSteps = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, isObject(value) ? undefined : value]))
