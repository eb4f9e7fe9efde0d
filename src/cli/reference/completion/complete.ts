import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { completions } from '../../../generated/completions.ts'
import { dataFiles } from '../../../node/data-files.ts'
import { parseJson } from '../../../node/json.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { realTime } from '../../../node/real-time.ts'
import { configDir, configurationFileName, dataDir } from '../../program/configuration/app-folders.ts'
import {
  cachedItems,
  cachedListFile,
  findProfileCache,
  overridesProfile,
  type ProfileCache,
  profileCacheDir,
} from '../../program/lists/completion-cache.ts'

/** Runs a command line of this program for at most `ms` milliseconds; the command caches the list. */
type Fetch = (command: readonly string[], ms: number) => void

interface FetchContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly os: string
  readonly fetch: Fetch
}

/** Milliseconds that a listing may take, and for which a failed one is not repeated. */
const timeoutMs = 3000
const retryAfterMs = 60_000

/**
 * Lists a list without a cache once, with the command that prints it. Returns false if that would create a platform or
 * run a vault command, or was tried recently.
 */
function fetchList(list: string, command: string | undefined, place: ProfileCache, where: FetchContext): boolean {
  if (command === undefined || !isReachable(place.profile, where) || wasTried(list, place)) return false
  const quickly = ['--limit', '100', '-o', 'id', '--no-input', '--quiet', '--retries', '0', '--request-timeout', '2']
  where.fetch([...command.split(' '), ...quickly, '--profile', place.profile], timeoutMs)
  return true
}

function isReachable(profile: string, { env, os }: FetchContext): boolean {
  const home = env.HOME || env.USERPROFILE || ''
  if (profile === 'local')
    return [dataFiles.sqlite, dataFiles.postgres].some((it) => existsSync(`${dataDir({ env, os, home })}/${it}`))
  try {
    const { profiles } = parseJson(
      readFileSync(`${configDir({ env, os, home })}/${configurationFileName}`, 'utf8'),
    ) as {
      readonly profiles?: Readonly<Record<string, { readonly api_key?: string }>>
    }
    return typeof profiles?.[profile]?.api_key === 'string'
  } catch {
    return false
  }
}

/** Returns whether the list was fetched within the last minute, and records the attempt. */
function wasTried(list: string, { dir, profile }: ProfileCache): boolean {
  const stamp = `${cachedListFile(dir, profile, list)}.tried`
  try {
    if (existsSync(stamp) && realTime.now() - statSync(stamp).mtimeMs < retryAfterMs) return true
    makeFolder(profileCacheDir(dir, profile))
    writeFileSync(stamp, '', { mode: 0o600 })
    return false
  } catch {
    return true
  }
}

/** A field in the completion table: `name`, or `name=value|value` with all values of an enum. */
const parseField = (text: string): readonly [name: string, values: readonly string[]] => {
  const [name = '', values] = text.split('=', 2)
  return [name, values?.split('|') ?? []]
}

/**
 * Returns candidates for the value of --filter or --sort. `fields` are those of the records, as in the completion table.
 */
function filterCandidates(flag: string, fields: readonly string[], typed: string): string[] {
  const at = typed.lastIndexOf(',') + 1
  const [before, part] = [typed.slice(0, at), typed.slice(at)]
  const known = fields.map(parseField)
  if (flag === '--sort') {
    const sign = part.startsWith('-') ? '-' : ''
    return known.flatMap(([name]) => (`${sign}${name}`.startsWith(part) ? [`${before}${sign}${name}`] : []))
  }
  const [, name, operator, value = ''] = /^([\w.]+)(!=|=)(.*)$/.exec(part) ?? []
  if (name !== undefined)
    return (known.find(([candidate]) => candidate === name)?.[1] ?? []).flatMap((candidate) =>
      candidate.startsWith(value) ? [`${before}${name}${operator}${candidate}`] : [],
    )
  return known.flatMap(([name]) => (name.startsWith(part) ? [`${before}${name}=`] : []))
}

/** An unfinished command line, split like a POSIX shell does. */
interface TypedLine {
  /** Words without their quotes. The last one is unfinished; it is empty after a space. */
  readonly words: readonly string[]
  /** The last word with its quotes. */
  readonly raw: string
  /** The open quote at the end. */
  readonly quote: '' | '"' | "'"
  /** The unquoted part of the last word before the open quote. */
  readonly beforeQuote: string
}

/** Splits a line at whitespace outside quotes. */
export function parseShellLine(line: string): TypedLine {
  const words: string[] = []
  let [word, raw, beforeQuote] = ['', '', '']
  let quote: TypedLine['quote'] = ''
  let hasWord = false
  for (let n = 0; n < line.length; n++) {
    const character = line[n] as string
    if (quote === '' && /\s/.test(character)) {
      if (hasWord) words.push(word)
      hasWord = false
      word = raw = ''
      continue
    }
    hasWord = true
    raw += character
    if (quote === '' && (character === '"' || character === "'")) {
      quote = character
      beforeQuote = word
    } else if (character === quote) quote = ''
    else if (character === '\\' && quote !== "'" && n + 1 < line.length) {
      const next = line[++n] as string
      raw += next
      word += quote === '"' && !/["\\$`]/.test(next) ? character + next : next
    } else word += character
  }
  return { words: [...words, word], raw, quote, beforeQuote }
}

/**
 * Quotes a candidate for bash, which replaces the text after an open quote, or after the last `=` or `:`. Returns
 * undefined if it cannot be quoted.
 */
function quoteForBash(candidate: string, { raw, quote, beforeQuote }: TypedLine): string | undefined {
  if (quote === "'") return candidate.includes("'") ? undefined : candidate.slice(beforeQuote.length)
  if (quote === '"') return candidate.slice(beforeQuote.length).replaceAll(/["\\$`]/g, '\\$&')
  const escaped = candidate.replaceAll(/[^\w@%+=:,./-]/g, '\\$&')
  const before = raw.replace(/[^=:]*$/, '')
  return escaped.startsWith(before) ? escaped.slice(before.length) : escaped
}

/**
 * Returns the output for a completion script. `-- <words>` is the form of version 0.1. `--names -- <words>` is for
 * shells that quote inserted text and get names with spaces as well. `--line <line>` is for bash, which gets quoted
 * candidates. `\tfiles` requests file names.
 */
export function answerShell(args: readonly string[], env: Env, at: SystemInfo, fetch?: Fetch): string[] {
  if (args[0] === '--line') {
    const line = parseShellLine(args[1] ?? '')
    return complete(line.words.slice(1), env, at, { names: true, fetch }).flatMap((word) => {
      const [value = '', text] = word.split('\t', 2)
      const written = value === '' ? '' : quoteForBash(value, line)
      return written === undefined ? [] : [text === undefined ? written : `${written}\t${text}`]
    })
  }
  const names = args[0] === '--names'
  const rest = names ? args.slice(1) : args
  return complete(rest[0] === '--' ? rest.slice(1) : rest, env, at, { names, fetch })
}

/** Features of the shell, and how to fetch a list without a cache. */
interface CompletionOptions {
  readonly names?: boolean
  readonly fetch?: Fetch | undefined
}

/**
 * Returns the candidates at the cursor, each as `word<TAB>description`. `words` follow `parley`; the last one is
 * unfinished.
 *
 * Reads one generated table; for ids and names the cached list, for profiles the configuration. A list without a cache
 * is fetched if `fetch` is passed.
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
  // A field's flag replaces a global flag of the same name.
  const globals = sharedFlags(path).filter(
    ([names]) => !own.some(([others]) => others.some((it) => names.includes(it))),
  )
  const flags = [...own, ...globals]
  const [long, value] =
    partialWord.startsWith('--') && partialWord.includes('=')
      ? [partialWord.slice(0, partialWord.indexOf('=')), partialWord.slice(partialWord.indexOf('=') + 1)]
      : ['', partialWord]
  const pending = long || (takesValue(path, previous) ? previous : '')
  if (pending) {
    if (node.fields && (pending === '--filter' || pending === '--sort'))
      return filterCandidates(pending, node.fields, value).map((it) => (long ? `${long}=${it}` : it))
    // A value that is only taken after "=" has an entry of its own.
    const [, , choices = [], list] =
      flags.find(([names]) => long && names.includes(`${long}=`)) ??
      flags.find(([names]) => names.includes(pending)) ??
      []
    const offered =
      list === undefined
        ? choices.filter((it) => it.startsWith(value))
        : cachedCandidates(list, value, !pending.endsWith('-id'))
    return offered.map((it) => (long && !it.startsWith('\t') ? `${long}=${it}` : it))
  }
  if (partialWord.startsWith('-'))
    return flags.flatMap(([names, text]) =>
      names
        .filter((it) => it.startsWith('--') && !it.endsWith('=') && it.startsWith(partialWord))
        .map((it) => `${it}\t${text}`),
    )
  if (path === 'help' && positionals.length > 0) return childCandidates(nodeAt(canonicalPath(positionals)), partialWord)
  if (node.values !== undefined && positionals.length === 0)
    return [
      ...node.values.filter((it) => it.startsWith(partialWord)),
      ...(path === 'help' ? childCandidates(nodeAt(''), partialWord) : []),
    ]
  if (node.list !== undefined) return positionals.length > 0 ? [] : cachedCandidates(node.list, partialWord, true)
  return childCandidates(node, partialWord)

  /** Returns candidates of a list: a name if it is a single unambiguous word, otherwise the id. */
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
    const { list: outer, flag } = nodeAt('*')?.parents?.[list] ?? {}
    const named = flag && flagValues[flag]
    // Without the parent flag, items of all parents are offered.
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
    return [...(nodeAt(at)?.flags ?? []), ...sharedFlags(at)].some(
      ([names, , values]) => names.includes(flag) && values !== undefined,
    )
  }
}

/** Returns the flags that a command shares with others: the global ones, and for lists those of all lists. */
function sharedFlags(path: string): readonly CompletionFlag[] {
  const { flags = [], listFlags = [] } = nodeAt('*') ?? {}
  return nodeAt(path)?.fields ? [...listFlags, ...flags] : flags
}

/** Returns the node of a path from its line of the table; undefined if there is none. */
export function nodeAt(path: string): CompletionNode | undefined {
  const at = completions.indexOf(`\n${path}\t`)
  if (at < 0) return undefined
  const begin = at + path.length + 2
  return parseJson(completions.slice(begin, completions.indexOf('\n', begin))) as CompletionNode
}

const childCandidates = (node: CompletionNode | undefined, prefix: string): string[] =>
  (node?.words ?? []).filter(([name]) => name.startsWith(prefix)).map(([name, text]) => `${name}\t${text}`)

/** Returns the canonical path of words, which may be aliases. Unknown words lead to a path that does not exist. */
function canonicalPath(words: readonly string[]): string {
  let path = ''
  for (const word of words) {
    const [name] = nodeAt(path)?.words?.find(([verb, , aliases]) => verb === word || aliases?.includes(word)) ?? ['?']
    path = path === '' ? name : `${path} ${name}`
  }
  return path
}

/** List name for the names of profiles. completion-table.ts writes it and `fileList` to the table, in place of an endpoint. */
export const profileList = 'profiles'

/** List name for a file or folder. */
export const fileList = 'files'

/** Returns the names of the profiles; only `local` if the configuration cannot be read. */
function profileNames(env: Env, { os }: SystemInfo): string[] {
  try {
    const { profiles } = parseJson(
      readFileSync(
        `${configDir({ env, os, home: env.HOME || env.USERPROFILE || '' })}/${configurationFileName}`,
        'utf8',
      ),
    ) as { readonly profiles?: object }
    return [...new Set(['local', ...Object.keys(profiles ?? {})])].filter(isPlainWord)
  } catch {
    return ['local']
  }
}

/** Returns whether a name is one word when quoted, and cannot be mistaken for an id or flag. */
const isQuotableName = (name: string): boolean =>
  /^[^-\p{Cc}\p{Cf}\s](?:[^\p{Cc}\p{Cf}]*\S)?$/u.test(name) && !/^\d+$/.test(name)

/** Returns whether a name is one word in every shell, and cannot be mistaken for an id or flag. */
const isPlainWord = (name: string): boolean => /^[\w+][\w.+-]*$/.test(name) && !/^\d+$/.test(name)

type Env = Readonly<Record<string, string | undefined>>

/** The operating system and the working folder. */
interface SystemInfo {
  readonly os: string
  readonly cwd: string
}

/**
 * Names and description. A flag with a value also has its choices (an empty list for any), and the list whose items are
 * its values. The values of a flag that takes them only after "=" are in another entry, whose name ends with it.
 */
export type CompletionFlag = readonly [
  names: readonly string[],
  text: string,
  values?: readonly string[],
  list?: string,
]

/** A noun or verb that can be completed, with its text and its other names. */
export type CompletionWord = readonly [name: string, text: string, aliases?: readonly string[]]

/** What can follow the words of one command. */
export interface CompletionNode {
  readonly words?: readonly CompletionWord[]
  readonly flags?: readonly CompletionFlag[]
  /** Endpoint name of the list whose items its argument accepts. */
  readonly list?: string
  /** Fixed values of its argument. */
  readonly values?: readonly string[]
  /** Fields of the records of a list, with all values of an enum: `status=failed|ended`. */
  readonly fields?: readonly string[]
  /** The command that prints each list, by endpoint name; only at the path `*`. */
  readonly lists?: Readonly<Record<string, string>>
  /** Flags of every command with `fields`; only at the path `*`. */
  readonly listFlags?: readonly CompletionFlag[]
  /** The list that a list is part of, and the flag that names an item of that list; at the path `*`. */
  readonly parents?: Readonly<Record<string, { readonly list: string; readonly flag: string }>>
}

/** All that completion offers without the platform. It is generated, and read at each press of Tab. */
export interface CompletionTable {
  /** Nodes by path: `''`, `numbers`, `numbers buy`. */
  readonly nodes: Readonly<Record<string, CompletionNode>>
  readonly globals: readonly CompletionFlag[]
  /** Flags of commands that print a list. */
  readonly listFlags: readonly CompletionFlag[]
  readonly lists: Readonly<Record<string, string>>
}
