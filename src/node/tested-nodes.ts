/**
 * Versions of Node that every change is tested on, oldest first. `package.json`, the workflows and the check of the package
 * name the same, and a test compares them.
 */
export const testedNodes: readonly number[] = [20, 22, 24, 26]

/** Returns what to do about a version of Node that is not tested; undefined if it is. `runtime` is such as `Node 20.18.0`. */
export function findNodeProblem(runtime: string): { readonly problem: string; readonly fix: string } | undefined {
  const major = Number(/^Node (\d+)\./.exec(runtime)?.[1])
  if (Number.isNaN(major) || testedNodes.includes(major)) return undefined
  return {
    problem: `Parley is not tested on ${runtime}.`,
    fix: `Use Node ${testedNodes.at(-1)}, or another of ${testedNodes.join(', ')}.`,
  }
}
