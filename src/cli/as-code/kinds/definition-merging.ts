import type { AutomationNode } from '../../../contract/automations/automation-node.ts'
import { toFlow } from '../../../contract/automations/flow-form.ts'
import { type ChildField, childFields, childOf, ownFields, setChild } from '../../../contract/automations/walk-steps.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import type { ResourceRecord } from '../../updates/previous-record.ts'
import type { ContentMerging } from './file-kind.ts'

type Node = Readonly<Record<string, unknown>>

/** A step with its name, its conditions if it branches, and the steps inside and after it. */
interface Place {
  readonly name: string
  readonly settings?: unknown
  readonly inner: Readonly<Record<string, Place>>
}

/** A definition as parts that are merged separately: where each step is, and what each step does. */
interface DefinitionParts {
  readonly routing: readonly Place[]
  readonly steps: Readonly<Record<string, Node>>
}

/**
 * Merges definitions step by step. Two changes of one step are a conflict, and so are two changes of the routing: of
 * the order, the nesting and the conditions of steps.
 */
export const definitionMerging: ContentMerging = {
  split(content) {
    const parts = splitFlow(content.flow)
    return parts ? { ...content, flow: parts } : content
  },
  join(parts, preferred) {
    const { flow } = parts
    if (!isParts(flow)) return parts
    const known = isParts(preferred.flow) ? preferred.flow.steps : {}
    return { ...parts, flow: joinFlow(flow, { ...known, ...flow.steps }) }
  },
  isWhole: (path) => path === 'flow.routing' || path.startsWith('flow.steps.'),
}

const isParts = (it: unknown): it is DefinitionParts => isObject(it) && Array.isArray(it.routing) && isObject(it.steps)

/** Returns the parts of a definition; undefined if its steps have no unique names. */
function splitFlow(flow: unknown): DefinitionParts | undefined {
  if (!isObject(flow) || !isObject(flow.trigger) || !Array.isArray(flow.steps)) return undefined
  const steps = new Map<string, Node>()
  let isUnique = true
  const place = (node: Node): Place => {
    const name = String(node.name ?? '')
    if (name === '' || steps.has(name)) isUnique = false
    steps.set(name, Object.fromEntries(ownFields(node)))
    const branches = node.type === 'BRANCH' || node.type === 'ROUTER'
    const inner = childFields.flatMap((field) => {
      const child = childOf(node, field)
      return child ? [[field, place(child)] as const] : []
    })
    return {
      name,
      ...(branches && { settings: node.settings }),
      inner: Object.fromEntries(inner),
    }
  }
  const routing = [flow.trigger, ...flow.steps].filter(isObject).map(place)
  return isUnique ? { routing, steps: Object.fromEntries(steps) } : undefined
}

function joinFlow({ routing }: DefinitionParts, steps: Readonly<Record<string, Node>>): ResourceRecord {
  const build = ({ name, inner }: Place): AutomationNode => {
    const node: AutomationNode = { ...steps[name] }
    for (const [field, it] of Object.entries(inner)) setChild(node, field as ChildField, build(it))
    return node
  }
  const [first = {}, ...rest] = routing.map(build)
  let last = first
  for (const it of rest) {
    last.nextAction = it
    last = it
  }
  return toFlow(first) as never
}
