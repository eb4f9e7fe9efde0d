import { closestMatch } from '../../program/commandline/closest-match.ts'
import { commandTree, type Node } from '../../program/commandline/command-tree.ts'

/** Maximum number of commands that an error names. */
const maxSuggested = 4

/** What people type in other tools, and the commands for it here. A phrase takes precedence over its first word. */
const phrases: Readonly<Record<string, readonly string[]>> = {
  apply: ['push', 'promote', 'automate apply'],
  audit: ['history list'],
  auth: ['login', 'profile list', 'whoami'],
  'auth list': ['profile list'],
  'auth login': ['login'],
  'auth logout': ['profile delete'],
  'auth status': ['whoami'],
  'auth switch': ['profile use'],
  'auth token': ['profile get'],
  balance: ['billing summary'],
  config: ['profile get', 'profile set', 'profile list'],
  'config get': ['profile get'],
  'config list': ['profile list'],
  'config set': ['profile set'],
  'config use': ['profile use'],
  context: ['profile use', 'profile list'],
  cost: ['billing usage', 'billing summary'],
  deploy: ['push', 'promote'],
  emergency: ['stop'],
  env: ['help environment'],
  init: ['pull', 'demo --project'],
  invoices: ['billing summary', 'billing usage'],
  logout: ['profile delete'],
  logs: ['automate runs list --follow', 'events listen', 'server requests --follow'],
  me: ['whoami'],
  'kill-switch': ['stop'],
  money: ['billing summary', 'billing usage', 'ops list'],
  pause: ['stop', 'campaigns stop', 'automate disable'],
  plan: ['push --dry-run', 'promote --dry-run', 'diff'],
  publish: ['automate update', 'push', 'promote'],
  'profile add': ['login --profile', 'profile set'],
  'profile create': ['login --profile', 'profile set'],
  revert: ['history undo', 'automate restore'],
  rollback: ['history undo', 'automate restore', 'promote'],
  signin: ['login'],
  // The API has no list of sent SMS.
  'list sms': ['ops list', 'billing usage'],
  'sms get': ['ops list', 'billing usage'],
  'sms history': ['ops list', 'billing usage'],
  'sms list': ['ops list', 'billing usage'],
  'sms ls': ['ops list', 'billing usage'],
  'sms show': ['ops list', 'billing usage'],
  spend: ['ops list', 'billing usage'],
  status: ['server status', 'doctor', 'whoami'],
  switch: ['profile use'],
  sync: ['pull', 'diff', 'push'],
  tail: ['events listen', 'automate runs list --follow', 'server requests --follow'],
  'top-up': ['server accounts update', 'billing summary'],
  undo: ['history undo', 'automate restore'],
  use: ['profile use'],
  webhooks: ['server deliveries list', 'assistants enable-webhook', 'events listen'],
}

/** Other words for nouns, and the words of the noun here. */
const otherNouns: Readonly<Record<string, string>> = {
  accounts: 'server accounts',
  agents: 'assistants',
  'api-keys': 'keys',
  apikeys: 'keys',
  bots: 'assistants',
  chats: 'conversations',
  customers: 'leads',
  flows: 'automate',
  functions: 'tools',
  'phone-numbers': 'numbers',
  phones: 'numbers',
  runs: 'automate runs',
  senders: 'messaging senders',
  sip: 'sip-trunks',
  'template-messages': 'messaging templates',
  templates: 'messaging templates',
  texts: 'sms',
  tokens: 'keys',
  trunks: 'sip-trunks',
  versions: 'automate versions',
  workflows: 'automate',
}

/** Other words for verbs, and the verbs here, the most likely first. */
const otherVerbs: Readonly<Record<string, readonly string[]>> = {
  all: ['list'],
  call: ['start'],
  change: ['update', 'set'],
  copy: ['export', 'pull'],
  destroy: ['delete', 'release'],
  dial: ['start'],
  edit: ['update', 'set'],
  execute: ['start', 'test', 'fire'],
  find: ['search', 'list'],
  follow: ['follow', 'listen'],
  hangup: ['stop'],
  index: ['list'],
  info: ['get', 'status'],
  inspect: ['get'],
  log: ['list', 'listen'],
  logs: ['list', 'listen', 'requests'],
  make: ['create', 'start'],
  modify: ['update', 'set'],
  order: ['buy'],
  patch: ['update'],
  pause: ['stop', 'disable', 'deactivate'],
  purchase: ['buy'],
  put: ['update'],
  release: ['release', 'delete'],
  rent: ['buy'],
  repeat: ['retry', 'replay', 'rerun'],
  resume: ['start', 'enable'],
  revert: ['undo', 'restore'],
  rollback: ['restore', 'undo'],
  run: ['start', 'test', 'fire'],
  set: ['set', 'update'],
  tail: ['listen', 'follow', 'list'],
  trigger: ['fire', 'start'],
  undo: ['undo', 'restore'],
  unpublish: ['disable'],
  validate: ['lint', 'check'],
  watch: ['listen', 'follow', 'list'],
}

const reversals = ['undo', 'revert', 'rollback', 'cancel', 'refund', 'recall', 'unsend']
const listedSpends = 'Show them: parley ops list. Undo a change of a resource: parley history undo <entry>.'
const finalMessage = { verbs: reversals, sentence: 'Messages that were sent cannot be undone.', hint: listedSpends }
const finalPurchase = {
  verbs: ['refund'],
  sentence: 'Purchases are not refunded.',
  hint: 'End the subscription of a number: parley numbers release <number>.',
}

/** Nouns, with verbs that no command has: purchases and sent messages cannot be undone. */
const finalOperations: Readonly<Record<string, typeof finalMessage>> = {
  billing: finalPurchase,
  messaging: finalMessage,
  numbers: finalPurchase,
  ops: { ...finalMessage, sentence: 'Purchases and paid messages cannot be undone.' },
  sms: finalMessage,
}

/** Returns why a verb does not exist, with what to do instead, if it would undo what cannot be undone. */
export function findFinalOperation(
  path: readonly string[],
  verb: string,
): { readonly sentence: string; readonly hint: string } | undefined {
  const found = Object.entries(finalOperations).find(([noun]) => noun === path.join(' '))?.[1]
  return found?.verbs.includes(verb.toLowerCase()) ? found : undefined
}

interface Leaf {
  readonly path: readonly string[]
  /** Names and aliases of each word. */
  readonly names: readonly (readonly string[])[]
}

function leaves(nodes: Readonly<Record<string, Node>> = commandTree(), above: Leaf = { path: [], names: [] }): Leaf[] {
  return Object.entries(nodes).flatMap(([name, node]) => {
    const here = { path: [...above.path, name], names: [...above.names, [name, ...(node.aliases ?? [])]] }
    return node.load ? [here] : leaves(node.verbs, here)
  })
}

/** Returns the words of a noun, also for its singular and other words for it; undefined if there is none. */
function nounWords(word: string): readonly string[] | undefined {
  const other = otherNouns[word] ?? otherNouns[`${word}s`]
  return findNoun(word, commandTree()) ?? other?.split(' ') ?? findNoun(word, commandTree(), true)
}

/** Finds a noun by name or alias, below other nouns if `isDeep`: `server clock` for "clock". */
function findNoun(word: string, nodes: Readonly<Record<string, Node>>, isDeep = false): readonly string[] | undefined {
  for (const [name, node] of Object.entries(nodes)) {
    if (node.load) continue
    if (name === word || node.aliases?.includes(word)) return [name]
    const below = isDeep ? findNoun(word, node.verbs, true) : undefined
    if (below) return [name, ...below]
  }
  return undefined
}

const startsWith = (path: readonly string[], start: readonly string[]): boolean =>
  start.every((word, n) => path[n] === word)

/** Returns the commands below some words that a verb names: by name or alias, otherwise by another word for it. */
function verbsBelow(all: readonly Leaf[], above: readonly string[], verb: string): readonly Leaf[] {
  const below = all.filter(({ path }) => startsWith(path, above) && path.length > above.length)
  const named = below.filter(({ names }) => names.slice(above.length).some((it) => it.includes(verb)))
  const direct = named.filter(({ path }) => path.length === above.length + 1)
  if (named.length > 0) return direct.length > 0 ? direct : named
  for (const other of otherVerbs[verb] ?? []) {
    const found = below.filter(({ path }) => path.at(-1) === other && path.length === above.length + 1)
    if (found.length > 0) return found
  }
  return []
}

/**
 * Returns the commands that someone may mean for words that do not name a command: other words for a noun or verb, verb
 * and noun in the other order, a verb without its noun. Each is the words after "parley", with what followed them.
 * `path` has the words before `typed` that are known.
 */
export function suggestCommands(path: readonly string[], typed: readonly string[]): readonly string[] {
  const all = leaves()
  const [word = ''] = typed.map((it) => it.toLowerCase())
  const phrase = phrases[[...path, word].join(' ')]
  if (path.length > 0) return phrase ?? otherVerbBelow(all, path, word, typed.slice(1))
  const flagAt = typed.findIndex((it) => it.startsWith('-'))
  const words = (flagAt < 0 ? typed : typed.slice(0, flagAt)).map((it) => it.toLowerCase())
  const found = words.length > 1 ? (phrases[words.slice(0, 2).join(' ')] ?? inOrder(all, words, typed)) : []
  return found.length > 0 ? found.slice(0, maxSuggested) : (phrase ?? suggestForWord(all, word, typed))
}

/** Returns the commands of a known noun for another word for a verb, or the only command of this verb elsewhere. */
function otherVerbBelow(
  all: readonly Leaf[],
  path: readonly string[],
  verb: string,
  rest: readonly string[],
): readonly string[] {
  const found = verbsBelow(all, path, verb)
  if (found.length > 0) return found.slice(0, maxSuggested).map((it) => [...it.path, ...rest].join(' '))
  const elsewhere = all.filter((it) => it.path.at(-1) === verb)
  return elsewhere.length === 1 ? elsewhere.map((it) => it.path.join(' ')) : []
}

/** Returns the commands for a single word: a noun under another name, or a verb without its noun. */
function suggestForWord(all: readonly Leaf[], word: string, typed: readonly string[]): readonly string[] {
  const noun = nounWords(word)
  if (noun && noun.join(' ') !== word) {
    const isCommand = all.some(({ path }) => path.length === noun.length && startsWith(path, noun))
    const listed = all.filter(({ path }) => startsWith(path, noun) && path.length === noun.length + 1)
    const lists = listed.some(({ path }) => path.at(-1) === 'list')
    return isCommand ? [noun.join(' ')] : lists ? [[...noun, 'list'].join(' ')] : linesOf(listed, typed)
  }
  if (noun) return []
  const named = all.filter(({ names }) => names.at(-1)?.includes(word))
  if (named.length > 0) return linesOf(named, typed)
  for (const other of otherVerbs[word] ?? []) {
    const same = all.filter(({ path }) => path.at(-1) === other)
    if (same.length > 0) return linesOf(same, typed)
  }
  return []
}

/** Returns the lines of commands for one typed verb: the only one with the words that followed, or a pattern for many. */
function linesOf(found: readonly Leaf[], typed: readonly string[]): readonly string[] {
  const lines = found.map(({ path }) => path.join(' '))
  if (lines.length === 1) return [[...lines, ...typed.slice(1)].join(' ')]
  const verbs = new Set(found.map(({ path }) => path.at(-1)))
  return lines.length > maxSuggested && verbs.size === 1 ? [`<noun> ${[...verbs][0]}`] : lines.slice(0, maxSuggested)
}

/** Returns commands for a noun and a verb, in either order, with the words that follow. */
function inOrder(all: readonly Leaf[], words: readonly string[], typed: readonly string[]): readonly string[] {
  const [first = '', second = ''] = words
  for (const [noun, verb] of [
    [nounWords(first), second],
    [nounWords(second), first],
  ] as const) {
    if (!noun) continue
    const found = verbsBelow(all, noun, verb)
    if (found.length > 0) return found.map(({ path }) => [...path, ...typed.slice(2)].join(' '))
    const isList = verb === 'list' || verb === 'ls' || verb === 'get'
    if (isList && all.some(({ path }) => path.length === noun.length && startsWith(path, noun))) return [noun.join(' ')]
  }
  return []
}

/** Returns the sentence that suggests commands, with a space before it; empty if there is none. */
export function suggestionSentence(lines: readonly string[]): string {
  const [only] = lines
  if (only === undefined) return ''
  const texts = lines.map((it) => `"parley ${it}"`)
  return lines.length === 1
    ? ` Did you mean ${texts[0]}?`
    : ` Did you mean ${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}?`
}

/** Returns the known word that is spelled almost like a word; undefined if none is. */
export const misspelled = (word: string, siblings: Readonly<Record<string, Node>>): string | undefined =>
  closestMatch(
    word,
    Object.entries(siblings).flatMap(([name, node]) => [name, ...(node.aliases ?? [])]),
  )
