import { findChild } from './command-names.ts'
import { commandTree, type Node, type Nodes } from './command-tree.ts'
import { globalFlagsWithValue, isGlobalFlag } from './global-flags.ts'

/** Result of resolving the words of a command line. */
export interface FoundCommand {
  /** Canonical names of the resolved words. */
  readonly path: readonly string[]
  /** The node that they lead to; undefined without words. */
  readonly node: Node | undefined
  /** A word that could not be resolved. */
  readonly unknown?: string
  /** A flag directly before that word that is not global: the word may be its value. */
  readonly flag?: string
  /** Remaining words for the command: its argument and flags, and global flags before its words. */
  readonly rest: readonly string[]
  /** The possible nodes at the position where resolution ended. */
  readonly siblings: Nodes
}

/** Resolves the words of a command line. Global flags may appear anywhere and keep their value. */
export function findCommand(argv: readonly string[]): FoundCommand {
  const path: string[] = []
  const rest: string[] = []
  let nodes = commandTree()
  let node: Node | undefined
  for (let n = 0; n < argv.length; n++) {
    const word = argv[n] as string
    if (word === '--') {
      rest.push(...argv.slice(n))
      break
    }
    if (word.startsWith('-') && word !== '-') {
      rest.push(word)
      if (globalFlagsWithValue.has(word) && n + 1 < argv.length) rest.push(argv[++n] as string)
      continue
    }
    let child = findChild(nodes, word)
    if (!child && node?.verbs && node.fallback !== undefined) {
      child = findChild(nodes, node.fallback)
      rest.push(word)
    }
    if (!child) {
      const before = argv[n - 1] ?? ''
      const flag = before.startsWith('--') && !before.includes('=') && !isGlobalFlag(before) ? before : undefined
      return { path, node, unknown: word, ...(flag && { flag }), rest: [...rest, ...argv.slice(n)], siblings: nodes }
    }
    path.push(child[0])
    node = child[1]
    if (node.load) {
      rest.push(...argv.slice(n + 1))
      break
    }
    nodes = node.verbs
  }
  return { path, node, rest, siblings: nodes }
}
