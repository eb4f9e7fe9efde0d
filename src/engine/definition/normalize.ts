import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { type ChildField, childFields, readChild, setChild, walkSteps } from '../../contract/automations/walk-steps.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { maxSteps } from './definition-limits.ts'
import { expandRouter } from './expand-router.ts'
import { getOwn, type JsonObject } from './node.ts'
import { Problems } from './problems.ts'

export interface Normalized {
  /** Copy of the tree; the input is not changed. Null if the definition has no trigger. */
  readonly trigger: AutomationNode | null
  readonly problems: Problems
  /** Constructs that were understood although they are not standard; reported by lint. */
  readonly remarks: Problems
}

interface PendingChild {
  readonly node: AutomationNode
  readonly field: ChildField
  readonly given: unknown
}

const nameOf = (node: AutomationNode): string | null =>
  typeof node.name === 'string' && node.name !== '' ? node.name : null

/**
 * Returns the tree of a definition in either form, `{trigger, steps}` or nested. A single trigger node is accepted too.
 * Lists of steps become chains, ROUTER becomes BRANCH, and steps without a name get the smallest free `step_N`. Unknown
 * fields stay.
 */
export function normalize(flow: unknown): Normalized {
  const problems = new Problems()
  const remarks = new Problems()
  const given =
    isObject(flow) && !('trigger' in flow) && /^(?:PIECE_TRIGGER|TRIGGER|EMPTY)$/.test(String(flow.type))
      ? { trigger: flow }
      : flow
  const trigger = getOwn(given, 'trigger')
  const steps = getOwn(given, 'steps') ?? []
  if (!isObject(given)) problems.add(null, '', 'A definition must be an object with a trigger and steps.')
  else if (trigger === undefined || trigger === null) problems.add('trigger', '', 'The trigger is missing.')
  else if (!isObject(trigger)) problems.add('trigger', '', 'The trigger must be an object.')
  if (!Array.isArray(steps)) problems.add(null, 'steps', 'The steps must be a list.')
  if (!isObject(trigger)) return { trigger: null, problems, remarks }

  const builder = new TreeBuilder(problems, remarks)
  const root = builder.build(trigger)
  if (root && Array.isArray(steps)) builder.append(root, steps, null, 'steps')
  if (root) assignNames(root)
  return { trigger: root, problems, remarks }
}

/** Builds the tree from copies of the nodes. The settings of a step are shared with the input and not copied. */
class TreeBuilder {
  private readonly problems: Problems
  private readonly remarks: Problems
  /** Objects that are already steps. A step that occurs twice or contains itself cannot be serialized. */
  private readonly seen = new Set<unknown>()
  private count = -1

  constructor(problems: Problems, remarks: Problems) {
    this.problems = problems
    this.remarks = remarks
  }

  /** Builds a node with all steps below it; returns null if there are too many steps. */
  build(given: unknown, after?: AutomationNode): AutomationNode | null {
    const pending: PendingChild[] = []
    const first = this.copyNode(given, after ?? null, pending)
    for (let item = pending.pop(); item; item = pending.pop()) {
      const { node, field } = item
      setChild(node, field, undefined)
      if (Array.isArray(item.given)) {
        if (field === 'nextAction') this.problems.add(nameOf(node), field, 'nextAction must be one step, not a list.')
        else this.appendChain(node, field, item.given)
        continue
      }
      const child = this.copyNode(item.given, node, pending, field)
      if (child) setChild(node, field, child)
    }
    return first
  }

  /** Appends steps to the end of the chain that starts at `root`. */
  append(root: AutomationNode, steps: readonly unknown[], at: string | null, path: string): void {
    let tail = lastInChain(root)
    for (const [n, step] of steps.entries()) {
      if (this.count >= maxSteps) return this.addTooManySteps()
      if (!isObject(step)) this.problems.add(at, `${path}[${n}]`, 'A step must be an object.')
      if (!isObject(step)) continue
      const next = this.build(step, tail)
      if (!next) continue
      tail.nextAction = next
      tail = lastInChain(next)
    }
  }

  private appendChain(node: AutomationNode, field: ChildField, steps: readonly unknown[]): void {
    if (steps.length > 0)
      this.remarks.add(
        nameOf(node),
        field,
        'A list of steps is read as a sequence. Write each step under nextAction of the one before it.',
      )
    const start: AutomationNode = {}
    this.append(start, steps, nameOf(node), field)
    if (start.nextAction) setChild(node, field, start.nextAction)
  }

  private copyNode(
    given: unknown,
    parent: AutomationNode | null,
    pending: PendingChild[],
    field: ChildField | '' = '',
  ): AutomationNode | null {
    const at = parent ? nameOf(parent) : null
    if (given === undefined || given === null) return null
    if (!isObject(given)) {
      this.problems.add(at, field, 'A step must be an object.')
      return null
    }
    if (this.seen.has(given)) {
      this.problems.add(nameOf(given as AutomationNode) ?? at, '', 'The step is used in more than one place.')
      return null
    }
    this.seen.add(given)
    this.count += 1
    if (this.count > maxSteps) {
      this.addTooManySteps()
      return null
    }
    const step = normalizePieceNames(given)
    // Problems of a skipped step are ignored, because it never runs.
    const problems = step.skip === true ? new Problems() : this.problems
    const node = (step.type === 'ROUTER' ? expandRouter(step, problems, this.remarks) : { ...step }) as AutomationNode
    for (const name of childFields) {
      const child = readChild(node, name)
      if (child !== null && child !== undefined) pending.push({ node, field: name, given: child })
      else if (Object.hasOwn(node, name)) delete node[name]
    }
    return node
  }

  private addTooManySteps(): void {
    if (!this.problems.all.some((it) => it.path === 'steps'))
      this.problems.add(null, 'steps', `A definition can have at most ${maxSteps} steps.`)
  }
}

/** Converts the names used by editors that call pieces blocks. */
function normalizePieceNames(given: JsonObject): JsonObject {
  if (given.type !== 'BLOCK' && given.type !== 'TRIGGER') return given
  const { blockName, blockVersion, ...settings } = isObject(given.settings) ? given.settings : {}
  const piece = {
    ...(blockName !== undefined && { pieceName: blockName }),
    ...(blockVersion !== undefined && { pieceVersion: blockVersion }),
  }
  return { ...given, type: given.type === 'BLOCK' ? 'PIECE' : 'PIECE_TRIGGER', settings: { ...piece, ...settings } }
}

function lastInChain(node: AutomationNode): AutomationNode {
  let tail = node
  while (tail.nextAction) tail = tail.nextAction
  return tail
}

/**
 * Assigns names to steps without one. The trigger is always `trigger`; existing names stay, even if they are invalid.
 */
function assignNames(root: AutomationNode): void {
  if (root.name === undefined || root.name === null) root.name = 'trigger'
  const nodes = [...walkSteps(root)].map((it) => it.node)
  const taken = new Set(nodes.map((it) => it.name))
  let n = 1
  for (const node of nodes) {
    if (node.name !== undefined && node.name !== null && node.name !== '') continue
    while (taken.has(`step_${n}`)) n += 1
    node.name = `step_${n}`
    taken.add(node.name)
  }
}
