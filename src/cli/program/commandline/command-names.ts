/** A word of the command tree, as far as its names matter. */
interface NamedNode {
  readonly aliases?: readonly string[]
  readonly verbs?: Readonly<Record<string, NamedNode>>
  /** Set if the word ends a command. */
  readonly load?: unknown
}

type NamedNodes = Readonly<Record<string, NamedNode>>

let registered: NamedNodes = {}

/** Makes the names of all commands known (src/cli/tree.ts). */
export function registerNames(tree: NamedNodes): void {
  registered = tree
}

/** Returns the words of all commands. */
export const commandNames = (): NamedNodes => registered

/** Returns the node for a word, by name or alias. */
export function findChild<N extends NamedNode>(
  nodes: Readonly<Record<string, N>>,
  word: string,
): readonly [name: string, node: N] | undefined {
  if (Object.hasOwn(nodes, word)) return [word, nodes[word] as N]
  return Object.entries(nodes).find(([, node]) => node.aliases?.includes(word))
}
