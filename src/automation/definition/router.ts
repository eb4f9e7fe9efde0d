import { isObject, type Json, own, settingsOf } from './node.ts'
import type { Problems } from './problem.ts'

interface Way {
  readonly name: string
  /** Place of the branch among those of the ROUTER, from 0. */
  readonly at: number
  readonly conditions: unknown
  readonly first: unknown
}

type Branch = Record<string, unknown>

/**
 * The BRANCH steps that do what a ROUTER of newer editors does. One way and a fallback are one BRANCH, and nothing is lost. Further ways of a first
 * match are asked one inside the other; of all matches one after the other, the fallback when none held. The first has the ROUTER's name, and what it
 * needs to give what a ROUTER gives (`routerWays`); the others find their names later.
 */
export function branchesOf(router: Json, problems: Problems, remarks: Problems): Branch {
  const name = typeof router.name === 'string' && router.name !== '' ? router.name : null
  const { children: _children, settings: _settings, nextAction, ...rest } = router
  const settings = settingsOf(router as { settings?: never })
  const { branches, executionType, ...kept } = settings
  const { ways, fallback } = readWays(router, settings, name, problems)
  const all = executionType === 'EXECUTE_ALL_MATCH'
  if (executionType !== undefined && executionType !== 'EXECUTE_FIRST_MATCH' && !all)
    problems.add(name, 'settings.executionType', 'Must be EXECUTE_FIRST_MATCH or EXECUTE_ALL_MATCH.')

  const origin = { executionType: all ? 'EXECUTE_ALL_MATCH' : 'EXECUTE_FIRST_MATCH', branches: (Array.isArray(branches) ? branches : []).map(titleOf) }
  const first: Branch = { ...rest, type: 'BRANCH', settings: { ...kept, conditions: ways[0]?.conditions ?? [], router: origin } }
  if (isObject(ways[0]?.first)) first.onSuccessAction = ways[0].first
  if (nextAction !== undefined) first.nextAction = nextAction
  if (ways.length > 1) remarks.add(name, '', `A ROUTER of ${ways.length} conditions became as many BRANCH steps.`)

  if (!all) {
    let last = first
    for (const way of ways.slice(1)) {
      const inner = branch(way)
      last.onFailureAction = inner
      last = inner
    }
    if (isObject(fallback?.first)) last.onFailureAction = fallback.first
    return first
  }
  return chained(first, ways.slice(1), fallback, name, problems)
}

const titleOf = (branch: unknown, at: number): object => ({
  branchType: own(branch, 'branchType') === 'FALLBACK' ? 'FALLBACK' : 'CONDITION',
  branchName: String(own(branch, 'branchName') ?? `Branch ${at + 1}`),
})

const branch = (way: Way, decided?: string): Branch => ({
  type: 'BRANCH',
  displayName: way.name,
  settings: { conditions: way.conditions, routerBranch: way.at, ...(decided !== undefined && { decided }) },
  ...(isObject(way.first) && { onSuccessAction: way.first }),
})

/** Every way that holds is gone, in order. All of them are decided before the first is gone, as a ROUTER does it, so they need its name now. */
function chained(first: Branch, more: readonly Way[], fallback: Way | undefined, name: string | null, problems: Problems): Branch {
  const base = name ?? 'router'
  const decided = (at: number): string => `{{${base}['branches'][${at}]['evaluation']}}`
  const inner = more.map((way, at) => ({ ...branch(way, decided(way.at)), name: `${base}_${at + 2}` }) as Branch)
  if (fallback && isObject(fallback.first))
    inner.push({
      type: 'BRANCH',
      name: `${base}_otherwise`,
      displayName: 'Otherwise',
      settings: { conditions: [[{ firstValue: decided(fallback.at), operator: 'BOOLEAN_IS_TRUE' }]] },
      onSuccessAction: fallback.first,
    })
  if (inner.length > 0) first.name = base
  if (inner.length > 0 && name !== null && !/^[A-Za-z_]\w*$/.test(name))
    problems.add(name, 'name', 'The name of a ROUTER must be one that expressions can say.')
  const after = first.nextAction
  const chain = [first, ...inner]
  chain.forEach((it, at) => {
    if (first.skip === true) it.skip = true
    const next = chain[at + 1] ?? after
    if (next !== undefined) it.nextAction = next
  })
  return first
}

function readWays(router: Json, settings: Json, name: string | null, problems: Problems): { ways: Way[]; fallback: Way | undefined } {
  const branches = own(settings, 'branches')
  const children = own(router, 'children') ?? []
  const ways: Way[] = []
  let fallback: Way | undefined
  if (!Array.isArray(branches) || branches.length === 0) problems.add(name, 'settings.branches', 'A ROUTER needs a list of branches.')
  if (!Array.isArray(children)) problems.add(name, 'children', 'Must be a list with one step, or null, for each branch.')
  for (const [at, it] of (Array.isArray(branches) ? branches : []).entries()) {
    const child = Array.isArray(children) ? children[at] : undefined
    if (child !== undefined && child !== null && !isObject(child)) problems.add(name, `children[${at}]`, 'A step must be an object.')
    if (own(it, 'branchType') === 'FALLBACK') fallback = { name: 'Otherwise', at, conditions: [], first: child }
    else if (own(it, 'branchType') === 'CONDITION')
      ways.push({ name: String(own(it, 'branchName') ?? `Branch ${at + 1}`), at, conditions: own(it, 'conditions') ?? [], first: child })
    else problems.add(name, `settings.branches[${at}].branchType`, 'Must be CONDITION or FALLBACK.')
  }
  return { ways, fallback }
}
