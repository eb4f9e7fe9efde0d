import { readFileSync } from 'node:fs'
import { completions } from '../../generated/completions.ts'
import { configDir } from '../configuration/app-folders.ts'
import { cachedItems, findProfileCache, overridesProfile, parentLists } from './completion-cache.ts'
import { type Fetch, fetchList } from './fetch-list.ts'
import { parseShellLine, quoteForBash } from './shell-line.ts'

/**
 * Answers what a completion script asks: `-- <words>` as scripts of version 0.1 do, `--names -- <words>` from shells that quote what they insert, which
 * get names with blanks as well, or `--line <line>` from bash, which gets each candidate quoted. `\tfiles` stands for file names.
 */
export function answerShell(args: readonly string[], env: Env, at: SystemInfo, fetch?: Fetch): string[] {
  if (args[0] === '--line') {
    const line = parseShellLine(args[1] ?? '')
    return complete(line.words.slice(1), env, at, { names: true, fetch }).flatMap((it) => {
      const [value = '', text] = it.split('\t', 2)
      const written = value === '' ? '' : quoteForBash(value, line)
      return written === undefined ? [] : [text === undefined ? written : `${written}\t${text}`]
    })
  }
  const names = args[0] === '--names'
  const rest = names ? args.slice(1) : args
  return complete(rest[0] === '--' ? rest.slice(1) : rest, env, at, { names, fetch })
}

/** What the shell can do with the candidates, and how to list what was never listed. */
interface CompletionOptions {
  readonly names?: boolean
  readonly fetch?: Fetch | undefined
}

/**
 * Answers a shell: what may stand where the cursor is, a line each, `word<TAB>description`. `words` are those after `parley`, the last one unfinished.
 * Reads one generated table, and for ids and names the small file of a list that was printed before, for profiles that of the configuration. A list that was
 * never printed is fetched, where `fetch` is given.
 */
export function complete(
  words: readonly string[],
  env: Env = {},
  at: SystemInfo = { os: '', cwd: '' },
  { names: isQuoted = false, fetch }: CompletionOptions = {},
): string[] {
  const partialWord = words.at(-1) ?? ''
  let path = ''
  let previous = ''
  let isAfterDashes = false
  const positionals: string[] = []
  const flagValues: Record<string, string> = {}
  for (const word of words.slice(0, -1)) {
    if (previous !== '' && takesValue(path, previous)) {
      flagValues[previous] = word
      previous = ''
      continue
    }
    if (word === '--') isAfterDashes = true
    const children = nodeAt(path)?.words
    if (!word.startsWith('-') && children) {
      const child = children.find(([name, , aliases]) => name === word || aliases?.includes(word))
      if (!child) return []
      path = path === '' ? child[0] : `${path} ${child[0]}`
    } else if (!word.startsWith('-')) positionals.push(word)
    const equals = word.startsWith('--') ? word.indexOf('=') : -1
    if (equals > 0) flagValues[word.slice(0, equals)] = word.slice(equals + 1)
    previous = word.startsWith('-') ? word : ''
  }
  const node = nodeAt(path)
  if (!node || isAfterDashes) return []
  const own = node.flags ?? []
  // A field's flag takes the place of a global one of its name.
  const globals = (nodeAt('*')?.flags ?? []).filter(
    ([names]) => !own.some(([others]) => others.some((it) => names.includes(it))),
  )
  const flags = [...own, ...globals]
  const [long, value] =
    partialWord.startsWith('--') && partialWord.includes('=')
      ? [partialWord.slice(0, partialWord.indexOf('=')), partialWord.slice(partialWord.indexOf('=') + 1)]
      : ['', partialWord]
  const pending = long || (takesValue(path, previous) ? previous : '')
  if (pending) {
    const [, , choices = [], list] = flags.find(([names]) => names.includes(pending)) ?? []
    const offered =
      list === undefined
        ? choices.filter((it) => it.startsWith(value))
        : cachedCandidates(list, value, !pending.endsWith('-id'))
    return offered.map((it) => (long && !it.startsWith('\t') ? `${long}=${it}` : it))
  }
  if (partialWord.startsWith('-'))
    return flags.flatMap(([names, text]) =>
      names.filter((it) => it.startsWith('--') && it.startsWith(partialWord)).map((it) => `${it}\t${text}`),
    )
  if (path === 'help' && positionals.length > 0) return childCandidates(nodeAt(canonicalPath(positionals)), partialWord)
  if (node.values !== undefined && positionals.length === 0)
    return [
      ...node.values.filter((it) => it.startsWith(partialWord)),
      ...(path === 'help' ? childCandidates(nodeAt(''), partialWord) : []),
    ]
  if (node.list !== undefined) return positionals.length > 0 ? [] : cachedCandidates(node.list, partialWord, true)
  return childCandidates(node, partialWord)

  /** Names where a word can be one and means one thing, ids otherwise: of things that were listed before. */
  function cachedCandidates(list: string, prefix: string, byName: boolean): string[] {
    if (list === profileList) return profileNames(env, at).filter((it) => it.startsWith(prefix))
    if (list === fileList) return isQuoted ? ['\tfiles'] : []
    const place = overridesProfile(env, flagValues['--base-url'])
      ? undefined
      : findProfileCache(flagValues['--profile'] ?? flagValues['-p'], env, at)
    if (!place) return []
    const known = (name: string) => {
      const found = cachedItems(name, place, env)
      if (found || !fetch || !fetchList(name, nodeAt('*')?.lists?.[name], place, { env, os: at.os, fetch }))
        return found ?? []
      return cachedItems(name, place, env) ?? []
    }
    const { list: outer, flag } = parentLists[list] ?? {}
    const named = flag && flagValues[flag]
    // The things of all that they may be in, unless the line says which.
    const within =
      outer && named
        ? (known(outer).find(([id, name]) => String(id) === named || name === named)?.[0] ?? named)
        : undefined
    const items = known(list).filter((it) => within === undefined || String(it[2]) === String(within))
    return items.flatMap(([id, name]) => {
      const text = name.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
      const isWord =
        byName &&
        (isQuoted ? isQuotableName(name) : isPlainWord(name)) &&
        items.filter(([, other]) => other === name).length === 1
      if (isWord && name.startsWith(prefix)) return [`${name}\t${id}`]
      return isPlainWord(`_${id}`) && String(id).startsWith(prefix) && (prefix !== '' || !isWord)
        ? [`${id}${text && `\t${text}`}`]
        : []
    })
  }

  function takesValue(at: string, flag: string): boolean {
    return [...(nodeAt(at)?.flags ?? []), ...(nodeAt('*')?.flags ?? [])].some(
      ([names, , values]) => names.includes(flag) && values !== undefined,
    )
  }
}

/** What may follow a path, out of its line of the table. */
export function nodeAt(path: string): CompletionNode | undefined {
  const at = completions.indexOf(`\n${path}\t`)
  if (at < 0) return undefined
  const begin = at + path.length + 2
  return JSON.parse(completions.slice(begin, completions.indexOf('\n', begin))) as CompletionNode
}

const childCandidates = (node: CompletionNode | undefined, prefix: string): string[] =>
  (node?.words ?? []).filter(([name]) => name.startsWith(prefix)).map(([name, text]) => `${name}\t${text}`)

/** The path that words lead to, by whatever names; one that is nowhere where they lead to none. */
function canonicalPath(words: readonly string[]): string {
  let path = ''
  for (const word of words) {
    const [name] = nodeAt(path)?.words?.find(([it, , aliases]) => it === word || aliases?.includes(word)) ?? ['?']
    path = path === '' ? name : `${path} ${name}`
  }
  return path
}

/** Stands for a list where the names of profiles are meant. */
export const profileList = 'profiles'

/** Stands for a list where a file or a folder is meant. */
export const fileList = 'files'

/** The names of the profiles there are; only the one that is always there where the configuration cannot be read. */
function profileNames(env: Env, { os }: SystemInfo): string[] {
  try {
    const { profiles } = JSON.parse(
      readFileSync(`${configDir({ env, os, home: env.HOME || env.USERPROFILE || '' })}/config.json`, 'utf8'),
    ) as {
      readonly profiles?: object
    }
    return [...new Set(['local', ...Object.keys(profiles ?? {})])].filter(isPlainWord)
  } catch {
    return ['local']
  }
}

/** Whether a name can be a word once it is quoted, and none that would be taken for an id or a flag. */
const isQuotableName = (name: string): boolean =>
  /^[^-\p{Cc}\p{Cf}\s](?:[^\p{Cc}\p{Cf}]*\S)?$/u.test(name) && !/^\d+$/.test(name)

/** Whether a name is one word in every shell, and none that would be taken for an id or a flag. */
const isPlainWord = (name: string): boolean => /^[\w+][\w.+-]*$/.test(name) && !/^\d+$/.test(name)

type Env = Readonly<Record<string, string | undefined>>

/** The system, and the folder it is asked in. */
interface SystemInfo {
  readonly os: string
  readonly cwd: string
}

/** Names, description, for a flag with a value its choices (none: an empty list), and the list its value is an item of. */
export type CompletionFlag = readonly [
  names: readonly string[],
  text: string,
  values?: readonly string[],
  list?: string,
]

export type CompletionWord = readonly [name: string, text: string, aliases?: readonly string[]]

export interface CompletionNode {
  readonly words?: readonly CompletionWord[]
  readonly flags?: readonly CompletionFlag[]
  /** The list its argument is an item of, by the endpoint's name. */
  readonly list?: string
  /** What its argument may be, where that never changes. */
  readonly values?: readonly string[]
  /** The command that prints a list, by the endpoint's name; at the path `*`. */
  readonly lists?: Readonly<Record<string, string>>
}

export interface CompletionTable {
  /** By path: `''`, `numbers`, `numbers buy`. */
  readonly nodes: Readonly<Record<string, CompletionNode>>
  readonly globals: readonly CompletionFlag[]
  readonly lists: Readonly<Record<string, string>>
}
