import type { AutomationNode } from '../../contract/automation-node.ts'
import { branchFields, isObject, isSkipped } from './node.ts'
import { walk } from './walk.ts'

/** What has run when a step begins. Steps that are stepped over, and what is inside them, never have. */
export interface Before {
  /** Steps that have run whatever happened. */
  readonly surely: ReadonlySet<string>
  /** Steps in branches or loops that may have run. */
  readonly maybe: ReadonlySet<string>
  /** Loops it stands in. */
  readonly loops: ReadonlySet<string>
}

interface Frame {
  node: AutomationNode | null | undefined
  readonly surely: Set<string>
  readonly maybe: Set<string>
  readonly loops: Set<string>
}

/** For every step by its name, what has run before it. The chain of a branch is walked with a stack of ours. */
export function runBefore(trigger: AutomationNode): ReadonlyMap<string, Before> {
  const found = new Map<string, Before>()
  const frames: Frame[] = [{ node: trigger, surely: new Set(), maybe: new Set(), loops: new Set() }]
  for (let frame = frames.pop(); frame; frame = frames.pop()) {
    const { surely, maybe, loops } = frame
    for (let node = frame.node; isObject(node); node = node.nextAction as AutomationNode | null | undefined) {
      const name = String(node.name)
      found.set(name, { surely: new Set(surely), maybe: new Set(maybe), loops })
      const isDone = !isSkipped(node)
      if (isDone) surely.add(name)
      const outside = new Set(maybe)
      for (const field of branchFields) {
        const first = node[field]
        if (!isObject(first)) continue
        const inner = field === 'firstLoopAction' ? new Set([...loops, name]) : loops
        // What a branch did, those after it may find done or not.
        const inside = namesFrom(first as AutomationNode)
        const own = field === 'firstLoopAction' ? new Set([...outside, ...inside]) : new Set(outside)
        frames.push({ node: first as AutomationNode, surely: new Set(surely), maybe: own, loops: inner })
        if (isDone) for (const it of inside) maybe.add(it)
      }
    }
  }
  return found
}

/** Steps that are stepped over, with all that is inside them. */
export function skippedIn(trigger: AutomationNode): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { node, inside } of walk(trigger)) if (isSkipped(node) || (inside && found.has(String(inside.node.name)))) found.add(String(node.name))
  return found
}

function namesFrom(first: AutomationNode): string[] {
  const names: string[] = []
  const stack: unknown[] = [first]
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (!isObject(node)) continue
    if (isSkipped(node as AutomationNode)) {
      stack.push(node.nextAction)
      continue
    }
    names.push(String(node.name))
    stack.push(node.nextAction, ...branchFields.map((field) => (node as AutomationNode)[field]))
  }
  return names
}
