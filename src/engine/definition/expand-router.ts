import { isObject } from '../../contract/values/json-object.ts'
import { getOwn, type JsonObject, nodeSettings } from './node.ts'
import type { Problems } from './problems.ts'

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
 * The others are named later.
 */
export function expandRouter(router: JsonObject, problems: Problems, remarks: Problems): BranchNode {
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
