import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { Invocation } from '../commandline/command.ts'
import { commandNames, findChild } from '../commandline/command-names.ts'

/** The list command next to a command whose resource was not found. Undefined for other failures. */
export function notFoundHint(
  error: unknown,
  path: readonly string[],
  { argument }: Pick<Invocation, 'argument'>,
): string | undefined {
  if (!(error instanceof ClientFailure) || error.status !== 404 || error.hint !== undefined) return undefined
  const listPath = [...path.slice(0, -1), 'list']
  return argument !== undefined && isCommand(listPath) ? `List them: parley ${listPath.join(' ')}.` : undefined
}

function isCommand(path: readonly string[]): boolean {
  let nodes: ReturnType<typeof commandNames> | undefined = commandNames()
  return path.every((word, n) => {
    const [, node] = (nodes && findChild(nodes, word)) ?? []
    nodes = node?.verbs
    return node !== undefined && (n < path.length - 1 ? node.verbs : node.load) !== undefined
  })
}
