import { parsePath } from './expression-path.ts'
import { replaceQuoted } from './quoted-text.ts'

/** Names that can start an expression although no step has them. */
const builtInRoots = new Set(['trigger', 'connections'])

/**
 * Returns the steps that an expression refers to and the definition does not have.
 * An expression that is not a plain path may use any JavaScript name, so only names such as `step_7` are reported
 * there.
 */
export function findUnknownSteps(token: string, names: ReadonlySet<string>): string[] {
  const path = parsePath(token)
  const isUnknown = (name: string): boolean => !builtInRoots.has(name) && !names.has(name)
  if (path) return isUnknown(path.root) ? [path.root] : []
  const code = replaceQuoted(token, 'expression', () => "''")
  return [...new Set(code.match(/(?<![.\w$])step_\d+\b/g) ?? [])].filter(isUnknown)
}
