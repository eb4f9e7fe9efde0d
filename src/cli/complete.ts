import { completions } from './completions.ts'

/**
 * Answers a shell: what may stand where the cursor is, a line each, `word<TAB>description`. `words` are those after `parley`, the last one unfinished.
 * Reads one generated table and nothing else: no network, no configuration, no parser.
 */
export function complete(words: readonly string[]): string[] {
  const { nodes, globals } = completions
  const unfinished = words.at(-1) ?? ''
  let path = ''
  let previous = ''
  let ended = false
  for (const word of words.slice(0, -1)) {
    if (previous !== '' && takesValue(path, previous)) {
      previous = ''
      continue
    }
    if (word === '--') ended = true
    const children = nodes[path]?.words
    if (!word.startsWith('-') && children) {
      const child = children.find(([name, , aliases]) => name === word || aliases?.includes(word))
      if (!child) return []
      path = path === '' ? child[0] : `${path} ${child[0]}`
    }
    previous = word.startsWith('-') ? word : ''
  }
  const node = nodes[path]
  if (!node || ended) return []
  const flags = [...(node.flags ?? []), ...globals]
  const [long, value] =
    unfinished.startsWith('--') && unfinished.includes('=')
      ? [unfinished.slice(0, unfinished.indexOf('=')), unfinished.slice(unfinished.indexOf('=') + 1)]
      : ['', unfinished]
  const pending = long || (takesValue(path, previous) ? previous : '')
  if (pending)
    return choicesOf(flags, pending)
      .filter((it) => it.startsWith(value))
      .map((it) => (long ? `${long}=${it}` : it))
  if (unfinished.startsWith('-'))
    return flags.flatMap(([names, text]) => names.filter((it) => it.startsWith('--') && it.startsWith(unfinished)).map((it) => `${it}\t${text}`))
  return (node.words ?? []).filter(([name]) => name.startsWith(unfinished)).map(([name, text]) => `${name}\t${text}`)

  function takesValue(at: string, flag: string): boolean {
    return [...(nodes[at]?.flags ?? []), ...globals].some(([names, , values]) => names.includes(flag) && values !== undefined)
  }
}

const choicesOf = (flags: readonly CompletionFlag[], name: string): readonly string[] => flags.find(([names]) => names.includes(name))?.[2] ?? []

/** Names, description, and for a flag with a value its choices (none: an empty list). */
export type CompletionFlag = readonly [names: readonly string[], text: string, values?: readonly string[]]

export type CompletionWord = readonly [name: string, text: string, aliases?: readonly string[]]

export interface CompletionNode {
  readonly words?: readonly CompletionWord[]
  readonly flags?: readonly CompletionFlag[]
}

export interface CompletionTable {
  /** By path: `''`, `numbers`, `numbers buy`. */
  readonly nodes: Readonly<Record<string, CompletionNode>>
  readonly globals: readonly CompletionFlag[]
}
