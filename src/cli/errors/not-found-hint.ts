import { ClientFailure } from '../../client/failures/client-failure.ts'
import { type Command, type Invocation, riskOf } from '../commandline/command.ts'
import type { Context } from '../context.ts'
import { listHint } from '../input/resolve-target.ts'
import { findChild, tree } from '../tree.ts'

/** Returns whether digits used as an id may be a name: the id does not exist and the list was not searched. */
export function mayBeName({ idGuesses }: Context, command: Command, error: unknown): boolean {
  const isMissing = error instanceof ClientFailure && error.exit === 'not_found'
  const isSafe = riskOf(command) === 'read' || riskOf(command) === 'write'
  return isMissing && isSafe && !idGuesses.searchesLists && idGuesses.targets.some((it) => !it.hasShortNumbers)
}

/** Returns a hint with the command that lists the missing resource. Undefined for other errors. */
export function notFoundHint(
  error: unknown,
  context: Context | undefined,
  path: readonly string[],
  { argument }: Pick<Invocation, 'argument'>,
): string | undefined {
  if (!(error instanceof ClientFailure) || error.status !== 404 || error.hint !== undefined) return undefined
  const target = context?.idGuesses.targets.at(-1)
  if (target) return listHint(target)
  const listPath = [...path.slice(0, -1), 'list']
  return argument !== undefined && isCommand(listPath) ? `List them: parley ${listPath.join(' ')}.` : undefined
}

function isCommand(path: readonly string[]): boolean {
  let nodes: Parameters<typeof findChild>[0] | undefined = tree
  return path.every((word, n) => {
    const [, node] = (nodes && findChild(nodes, word)) ?? []
    nodes = node?.verbs
    return node !== undefined && (n < path.length - 1 ? node.verbs : node.load) !== undefined
  })
}
