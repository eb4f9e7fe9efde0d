import { parsePath } from './expression-path.ts'

/** Names that expressions may begin with although no step has them. */
const builtInRoots = new Set(['trigger', 'connections'])

/**
 * Steps that an expression names and a definition does not have. An expression that is not a plain path may name whatever the language knows, so of
 * those only names such as `step_7` count.
 */
export function findUnknownSteps(token: string, names: ReadonlySet<string>): string[] {
  const path = parsePath(token)
  const isUnknown = (name: string): boolean => !builtInRoots.has(name) && !names.has(name)
  if (path) return isUnknown(path.root) ? [path.root] : []
  const code = token.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, "''")
  return [...new Set(code.match(/(?<![.\w$])step_\d+\b/g) ?? [])].filter(isUnknown)
}
