import { walkSteps } from '../../../contract/automations/walk-steps.ts'
import { getOwn, nodeSettings } from '../../../engine/definition/node.ts'
import { listRouterBranches } from '../../../engine/definition/router-branches.ts'

interface RanStep {
  readonly name: string
  readonly output: unknown
}

/**
 * Returns what the steps are that a ROUTER was converted to, by name. The ROUTER itself has the name of the branches it
 * took, the others the branch that they decide on: their names are not in the file.
 */
export async function createRouterNotes(definition: unknown): Promise<(step: RanStep) => string> {
  const routers = new Set<string>()
  const branches = new Map<string, string>()
  const isFallback = (name: string): boolean =>
    name.endsWith('_otherwise') && routers.has(name.replace(/_otherwise$/, ''))
  for (const { node } of walkSteps(definition)) {
    const name = String(node.name)
    if (node.type !== 'BRANCH') continue
    if (listRouterBranches(node)) routers.add(name)
    else if (getOwn(nodeSettings(node), 'routerBranch') !== undefined || isFallback(name))
      branches.set(name, String(node.displayName ?? name))
  }
  return ({ name, output }) => {
    const branch = branches.get(name)
    if (branch !== undefined) return `branch "${branch}" of the ROUTER`
    const evaluated = routers.has(name) ? getOwn(output, 'branches') : undefined
    if (!Array.isArray(evaluated)) return ''
    const taken = evaluated.filter((it) => getOwn(it, 'evaluation') === true)
    return taken.length === 0
      ? 'took no branch'
      : `took ${taken.map((it) => `"${getOwn(it, 'branchName')}"`).join(', ')}`
  }
}
