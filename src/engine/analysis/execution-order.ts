import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { branchFields, childOf, walkSteps } from '../../contract/automations/walk-steps.ts'
import { isSkipped, mayRun } from '../definition/node.ts'

/** Steps that have run before a step starts, for the warnings of lint. Skipped steps and the steps inside them never run. */
export interface PrecedingSteps {
  /** Steps that have run in every case. */
  readonly always: ReadonlySet<string>
  /** Steps in branches that may have run. */
  readonly sometimes: ReadonlySet<string>
  /** Steps of loops that have ended, by name, with their loop. Their outputs are visible only inside it. */
  readonly ended: ReadonlyMap<string, string>
}

interface Frame {
  readonly first: AutomationNode
  readonly always: Set<string>
  readonly sometimes: Set<string>
  readonly ended: Map<string, string>
}

/**
 * Returns the preceding steps of every step, by step name. Branches are walked with an explicit stack, so that depth is
 * not limited.
 */
export function findPrecedingSteps(trigger: AutomationNode): ReadonlyMap<string, PrecedingSteps> {
  const found = new Map<string, PrecedingSteps>()
  const frames: Frame[] = [{ first: trigger, always: new Set(), sometimes: new Set(), ended: new Map() }]
  for (let frame = frames.pop(); frame; frame = frames.pop()) {
    const { always, sometimes, ended } = frame
    for (let node: AutomationNode | undefined = frame.first; node; node = childOf(node, 'nextAction')) {
      const name = String(node.name)
      found.set(name, { always: new Set(always), sometimes: new Set(sometimes), ended: new Map(ended) })
      const isRun = !isSkipped(node)
      if (isRun) always.add(name)
      const before = { always: new Set(always), sometimes: new Set(sometimes), ended: new Map(ended) }
      for (const field of branchFields) {
        const first = childOf(node, field)
        if (!first) continue
        frames.push({
          first,
          always: new Set(before.always),
          sometimes: new Set(before.sometimes),
          ended: new Map(before.ended),
        })
        if (!isRun || !mayRun(node, field)) continue
        for (const step of runningSteps(first))
          if (step.loop !== undefined || field === 'firstLoopAction') ended.set(step.name, step.loop ?? name)
          else sometimes.add(step.name)
      }
    }
  }
  return found
}

/**
 * Returns the names of the steps that never run: skipped ones, and those inside them or in branches that are off. Questions before a
 * test, and the connections on which rights depend, ignore them: a step that runs must not be among them.
 */
export function findSkippedSteps(trigger: AutomationNode): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { node, inside } of walkSteps(trigger))
    if (isSkipped(node) || (inside && (found.has(String(inside.node.name)) || !mayRun(inside.node, inside.field))))
      found.add(String(node.name))
  return found
}

/** Returns the steps of a chain and those inside them that can run, each with the innermost loop inside the chain. */
function runningSteps(first: AutomationNode): { readonly name: string; readonly loop: string | undefined }[] {
  const steps: { name: string; loop: string | undefined }[] = []
  const stack: { node: AutomationNode | undefined; loop: string | undefined }[] = [{ node: first, loop: undefined }]
  for (let item = stack.pop(); item; item = stack.pop()) {
    const { node, loop } = item
    if (!node) continue
    stack.push({ node: childOf(node, 'nextAction'), loop })
    if (isSkipped(node)) continue
    const name = String(node.name)
    steps.push({ name, loop })
    for (const field of branchFields)
      if (mayRun(node, field))
        stack.push({ node: childOf(node, field), loop: field === 'firstLoopAction' ? name : loop })
  }
  return steps
}
