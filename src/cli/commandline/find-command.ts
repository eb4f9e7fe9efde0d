import { findChild, type Node, tree } from '../tree.ts'
import { globalFlagsWithValue, isGlobalFlag } from './global-flags.ts'

/** Where the words of a command line lead. */
export interface FoundCommand {
  /** Full names of the words that were understood. */
  readonly path: readonly string[]
  /** The node they lead to; undefined for no words at all. */
  readonly node: Node | undefined
  /** A word that should have led on and does not. */
  readonly unknown?: string
  /** A flag right before that word which is not a global one: the word may be its value. */
  readonly flag?: string
  /** What is left for the command: its argument and flags, and the global flags before its words. */
  readonly rest: readonly string[]
  /** What could have stood where the line ends or goes wrong. */
  readonly siblings: Readonly<Record<string, Node>>
}

/** Finds the command among the flags. Global flags may stand anywhere; those that take a value keep it. */
export function findCommand(argv: readonly string[]): FoundCommand {
  const path: string[] = []
  const rest: string[] = []
  let nodes: Readonly<Record<string, Node>> = tree
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
