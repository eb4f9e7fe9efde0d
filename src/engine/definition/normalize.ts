// First step of reading a definition: turns every accepted form into one tree. Reports problems and does not throw. The tree
// is checked by validate-definition.ts, and nothing else reads the other forms.

import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { type ChildField, childFields, readChild, setChild, walkSteps } from '../../contract/automations/walk-steps.ts'
import { isObject } from '../../contract/values/json-object.ts'
import { getOwn, type JsonObject, nodeSettings } from './node.ts'
import { maxSteps, Problems } from './problems.ts'

interface RouterPath {
  readonly name: string
  /** Index of the branch in the ROUTER, from 0. */
  readonly at: number
  readonly conditions: unknown
  readonly first: unknown
}

type BranchNode = Record<string, unknown>

/**
 * Converts a ROUTER of newer editors to equivalent BRANCH steps. One condition and a fallback become a single BRANCH.
 * For a first-match ROUTER, further conditions are nested. For an all-match ROUTER, they follow one another, and the
 * fallback runs if none matched.
 * The first BRANCH has the name of the ROUTER and, in `settings.router`, the data to produce the output of a ROUTER.
 * The others are named later, and have the index of their branch in `settings.routerBranch`. Published definitions are stored in
 * this form: router-branches.ts and the page of the inspector (flow-layout.ts) read it, and names of steps are keys of runs.
 */
function expandRouter(router: JsonObject, problems: Problems, remarks: Problems): BranchNode {
  const name = typeof router.name === 'string' && router.name !== '' ? router.name : null
  const { children, settings: _settings, nextAction, ...rest } = router
  const settings = nodeSettings(router as { settings?: never })
  const { branches, executionType, ...otherSettings } = settings
  const { ways, fallback } = readPaths(router, settings, name, problems, remarks)
  const runsAllMatches = executionType === 'EXECUTE_ALL_MATCH'
  if (executionType !== undefined && executionType !== 'EXECUTE_FIRST_MATCH' && !runsAllMatches)
    problems.add(name, 'settings.executionType', 'Must be EXECUTE_FIRST_MATCH or EXECUTE_ALL_MATCH.')

  const origin = {
    executionType: runsAllMatches ? 'EXECUTE_ALL_MATCH' : 'EXECUTE_FIRST_MATCH',
    branches: (Array.isArray(branches) ? branches : []).map(branchTitle),
  }
  const unused =
    Array.isArray(children) && Array.isArray(branches) ? children.slice(branches.length).filter(isObject) : []
  const first: BranchNode = {
    ...rest,
    ...(unused.length > 0 && { children: unused }),
    type: 'BRANCH',
    settings: { ...otherSettings, conditions: ways[0]?.conditions ?? [], router: origin },
  }
  if (isObject(ways[0]?.first)) first.onSuccessAction = ways[0].first
  if (nextAction !== undefined) first.nextAction = nextAction
  if (ways.length > 1)
    remarks.add(name, '', `Converted a ROUTER with ${ways.length} conditions to as many BRANCH steps.`)

  if (!runsAllMatches) {
    let last = first
    for (const way of ways.slice(1)) {
      const inner = createBranch(way)
      last.onFailureAction = inner
      last = inner
    }
    if (isObject(fallback?.first)) last.onFailureAction = fallback.first
    return first
  }
  return chainBranches(first, ways.slice(1), fallback, name)
}

const branchTitle = (branch: unknown, at: number): object => ({
  branchType: getOwn(branch, 'branchType') === 'FALLBACK' ? 'FALLBACK' : 'CONDITION',
  branchName: String(getOwn(branch, 'branchName') ?? `Branch ${at + 1}`),
})

const createBranch = (way: RouterPath, decided?: unknown): BranchNode => ({
  type: 'BRANCH',
  displayName: way.name,
  settings: { conditions: way.conditions, routerBranch: way.at, ...(decided !== undefined && { decided }) },
  ...(isObject(way.first) && { onSuccessAction: way.first }),
})

/**
 * Chains the branches of an all-match ROUTER in order. All conditions are decided before the first branch runs, as a
 * ROUTER does it. Later branches refer to those decisions, so the steps need their names now.
 */
function chainBranches(
  first: BranchNode,
  more: readonly RouterPath[],
  fallback: RouterPath | undefined,
  name: string | null,
): BranchNode {
  const base = name ?? 'router'
  const isIdentifier = /^[A-Za-z_]\w*$/.test(base)
  // An expression cannot refer to a step with any other name.
  const decided = (branch: number): unknown =>
    isIdentifier ? `{{${base}['branches'][${branch}]['evaluation']}}` : { step: base, branch }
  const inner = more.map(
    (way, at) => ({ ...createBranch(way, decided(way.at)), name: `${base}_${at + 2}` }) as BranchNode,
  )
  if (fallback && isObject(fallback.first)) {
    const isTaken = decided(fallback.at)
    inner.push({
      type: 'BRANCH',
      name: `${base}_otherwise`,
      displayName: 'Otherwise',
      settings: {
        conditions: [[{ firstValue: isIdentifier ? isTaken : '', operator: 'BOOLEAN_IS_TRUE' }]],
        ...(!isIdentifier && { decided: isTaken }),
      },
      onSuccessAction: fallback.first,
    })
  }
  if (inner.length > 0) first.name = base
  const after = first.nextAction
  const chain = [first, ...inner]
  chain.forEach((step, at) => {
    if (first.skip === true) step.skip = true
    const next = chain[at + 1] ?? after
    if (next !== undefined) step.nextAction = next
  })
  return first
}

function readPaths(
  router: JsonObject,
  settings: JsonObject,
  name: string | null,
  problems: Problems,
  remarks: Problems,
): { ways: RouterPath[]; fallback: RouterPath | undefined } {
  const branches = getOwn(settings, 'branches')
  const children = getOwn(router, 'children') ?? []
  const ways: RouterPath[] = []
  let fallback: RouterPath | undefined
  if (!Array.isArray(branches) || branches.length === 0)
    problems.add(name, 'settings.branches', 'A ROUTER must have a list of branches.')
  if (!Array.isArray(children))
    problems.add(name, 'children', 'Must be a list with one step, or null, for each branch.')
  if (Array.isArray(branches) && branches.length > 0 && Array.isArray(children))
    for (const [at, child] of children.entries())
      if (at >= branches.length && child !== null && child !== undefined)
        remarks.add(name, `children[${at}]`, `No branch runs this step: the ROUTER has ${branches.length} of them.`)
  for (const [at, branch] of (Array.isArray(branches) ? branches : []).entries()) {
    const child = Array.isArray(children) ? children[at] : undefined
    if (child !== undefined && child !== null && !isObject(child))
      problems.add(name, `children[${at}]`, 'A step must be an object.')
    if (getOwn(branch, 'branchType') === 'FALLBACK') fallback = { name: 'Otherwise', at, conditions: [], first: child }
    else if (getOwn(branch, 'branchType') === 'CONDITION')
      ways.push({
        name: String(getOwn(branch, 'branchName') ?? `Branch ${at + 1}`),
        at,
        conditions: getOwn(branch, 'conditions') ?? [],
        first: child,
      })
    else problems.add(name, `settings.branches[${at}].branchType`, 'Must be CONDITION or FALLBACK.')
  }
  return { ways, fallback }
}

interface Normalized {
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
 * Assigns names to steps without one. The trigger is always `trigger`; existing names stay, even if they are invalid. The same
 * definition always gets the same names, because expressions and comparisons refer to them.
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
