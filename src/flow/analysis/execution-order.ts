import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { branchFields, isSkipped } from '../definition/node.ts'
import { walk } from '../definition/walk.ts'

/** Steps that have run before a step starts. Skipped steps and the steps inside them never run. */
export interface PrecedingSteps {
  /** Steps that have run in every case. */
  readonly always: ReadonlySet<string>
  /** Steps in branches or loops that may have run. */
  readonly sometimes: ReadonlySet<string>
  /** Loops that contain the step. */
  readonly loops: ReadonlySet<string>
}

interface Frame {
  node: AutomationNode | null | undefined
  readonly always: Set<string>
  readonly sometimes: Set<string>
  readonly loops: Set<string>
}

/**
 * Returns the preceding steps of every step, by step name. Branches are walked with an explicit stack, so that depth is
 * not limited.
 */
export function findPrecedingSteps(trigger: AutomationNode): ReadonlyMap<string, PrecedingSteps> {
  const found = new Map<string, PrecedingSteps>()
  const frames: Frame[] = [{ node: trigger, always: new Set(), sometimes: new Set(), loops: new Set() }]
  for (let frame = frames.pop(); frame; frame = frames.pop()) {
    const { always, sometimes, loops } = frame
    for (let node = frame.node; isObject(node); node = node.nextAction as AutomationNode | null | undefined) {
      const name = String(node.name)
      found.set(name, { always: new Set(always), sometimes: new Set(sometimes), loops })
      const isRun = !isSkipped(node)
      if (isRun) always.add(name)
      const outside = new Set(sometimes)
      for (const field of branchFields) {
        const first = node[field]
        if (!isObject(first)) continue
        const inner = field === 'firstLoopAction' ? new Set([...loops, name]) : loops
        // Steps in a branch may or may not have run before the steps after it.
        const inside = listNames(first as AutomationNode)
        const innerSometimes = field === 'firstLoopAction' ? new Set([...outside, ...inside]) : new Set(outside)
        frames.push({ node: first as AutomationNode, always: new Set(always), sometimes: innerSometimes, loops: inner })
        if (isRun) for (const it of inside) sometimes.add(it)
      }
    }
  }
  return found
}

/** Returns the names of the skipped steps and of all steps inside them. */
export function findSkippedSteps(trigger: AutomationNode): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { node, inside } of walk(trigger))
    if (isSkipped(node) || (inside && found.has(String(inside.node.name)))) found.add(String(node.name))
  return found
}

function listNames(first: AutomationNode): string[] {
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
