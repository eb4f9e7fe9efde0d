import type { ExitName } from '../contract/exits.ts'
import type { World } from '../world.ts'
import { asksJson } from './asks-json.ts'
import { insteadOfFlag, isGlobalFlag, shownGlobals } from './globals.ts'
import { closest } from './output/closest.ts'
import { helpWidth, rows } from './text.ts'
import { type Node, type Noun, tree } from './tree.ts'
import type { Found } from './words.ts'

const asksHelp = (rest: readonly string[]): boolean => rest.includes('--help') || rest.includes('-h')

/** What is said when the words lead to no command: the short help, a noun's verbs, or what was probably meant. */
export async function guide(world: World, found: Found): Promise<ExitName> {
  const { stdout, stderr } = world.streams
  const width = helpWidth(stdout.columns)
  if (found.unknown !== undefined) return unknownWord(world, found, found.unknown)
  const unknownFlag = found.rest.find((it) => it.startsWith('-') && !isGlobalFlag(it))
  if (unknownFlag !== undefined) return unknownGlobal(world, found, unknownFlag)
  if (!found.node) {
    const hasFlag = found.rest.some((it) => it.startsWith('-'))
    if (asksHelp(found.rest)) await stdout.write(programHelp(width))
    else if (hasFlag) return tell(world, found.rest, `There is no command in "parley ${found.rest.join(' ')}".`, 'See: parley --help.')
    else await stdout.write(shortHelp)
    return 'done'
  }
  const text = await nounHelp(found.path.join(' '), found.node as Noun, width)
  if (asksHelp(found.rest)) {
    await stdout.write(text)
    return 'done'
  }
  if (asksJson(found.rest, world.env))
    return tell(world, found.rest, `"parley ${found.path.join(' ')}" needs a verb.`, `See: parley ${found.path.join(' ')} --help.`)
  await stderr.write(text)
  return 'usage'
}

/** A flag before the command that is not a global one. */
function unknownGlobal(world: World, { rest, path }: Found, flag: string): Promise<ExitName> {
  const name = flag.replace(/=.*/, '')
  const guess = closest(
    name,
    shownGlobals.flatMap((it) => (it.alone ? [] : (it.flags.match(/--[\w-]+/g) ?? []))),
  )
  const hint = insteadOfFlag[name] ?? 'Put the flags of a command after it: parley <noun> <verb> [id] [flags]. Flags of every command: parley help flags.'
  const where = ['parley', ...path].join(' ')
  return tell(world, rest, `Unknown flag "${name}" in "${where}".${guess && !insteadOfFlag[name] ? ` Did you mean ${guess}?` : ''}`, hint)
}

async function unknownWord(world: World, found: Found, word: string): Promise<ExitName> {
  if (found.flag) return unknownGlobal(world, found, found.flag)
  const known = Object.entries(found.siblings).flatMap(([name, it]) => [name, ...(it.aliases ?? [])])
  const guess = closest(word, known)
  const before = ['parley', ...found.path].join(' ')
  const meant = guess === undefined ? elsewhere(word, found.path) : `${before} ${guess}`
  return tell(world, found.rest, `There is no "${word}" in "${before}".${meant ? ` Did you mean "${meant}"?` : ''}`, `See: ${before} --help.`)
}

/** The one command that is called so under another noun. */
function elsewhere(word: string, path: readonly string[]): string | undefined {
  if (path.length !== 1) return undefined
  const found = Object.entries(tree).filter(([, node]) => node.verbs !== undefined && Object.hasOwn(node.verbs, word))
  return found.length === 1 ? `parley ${found[0]?.[0]} ${word}` : undefined
}

async function tell(world: World, rest: readonly string[], message: string, hint: string): Promise<ExitName> {
  const { createNotes } = await import('./output/notes.ts')
  await createNotes(world.streams.stderr, { json: asksJson(rest, world.env), quiet: false }).error({ code: 'usage', message, hint })
  return 'usage'
}

const shortHelp = `Parley administers a conversational assistant platform, and has one built in.

  parley demo              a tour on a throw-away platform
  parley numbers search    something to begin with, on the platform inside
  parley login             sign in to a platform elsewhere
  parley doctor            see whether everything is in order
  parley --help            every command
`

/** Summaries of nouns stand in the tree; those of commands stand with the commands and would have to be loaded. */
const programSummaries: Readonly<Record<string, string>> = {
  login: 'Sign in to a platform elsewhere',
  doctor: 'Whether everything is in order',
  whoami: 'Whose key is used, on which platform',
  api: 'Any endpoint of the contract by its name',
  schema: 'JSON Schema of what an endpoint takes or answers',
  commands: 'Every command described for programs: inputs, risk, output, exit codes',
  pull: 'Assistants, tools and automations into a folder of YAML files',
  diff: 'How that folder and the platform differ',
  push: 'Make the platform as that folder is',
  demo: 'A tour on a throw-away platform',
  completion: 'Completion scripts for shells',
  help: 'Help on commands and topics',
}

/** Help of the program: the nouns, and where to go on. */
export function programHelp(width: number): string {
  const commands = Object.entries(tree).map(([name, it]) => [name, it.load ? (programSummaries[name] ?? '') : it.summary] as const)
  return `Administer a conversational assistant platform.

Usage: parley <noun> <verb> [id] [flags]

Commands:
${rows(commands, width)}

More: parley <noun> --help, parley help flags, parley help topics
`
}

/** Help of a noun: its verbs with their summaries, which means loading them. */
export async function nounHelp(words: string, noun: Noun, width: number): Promise<string> {
  const verbs = await Promise.all(Object.entries(noun.verbs).map(async ([name, it]) => [name, await summaryOf(it)] as const))
  return `${noun.summary}

Usage: parley ${words} <verb> [flags]

Verbs:
${rows(verbs, width)}

More: parley ${words} <verb> --help
`
}

/** One sentence about a command or a noun. */
export async function summaryOf(node: Node): Promise<string> {
  if (!node.load) return node.summary
  const it = await node.load()
  return it.summary ?? it.endpoint?.summary ?? ''
}
