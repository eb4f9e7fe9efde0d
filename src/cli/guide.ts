import type { ExitName } from '../contract/exits.ts'
import type { World } from '../world.ts'
import { asksJson } from './asks-json.ts'
import { insteadOfFlag, isGlobalFlag, shownGlobals } from './globals.ts'
import { pageText, showPage } from './help-page.ts'
import { closest } from './output/closest.ts'
import { tree } from './tree.ts'
import type { Found } from './words.ts'

const asksHelp = (rest: readonly string[]): boolean => rest.includes('--help') || rest.includes('-h')

/** What is said when the words lead to no command: the short help, a noun's verbs, or what was probably meant. */
export async function guide(world: World, found: Found): Promise<ExitName> {
  const { stdout, stderr } = world.streams
  if (found.unknown !== undefined) return unknownWord(world, found, found.unknown)
  const unknownFlag = found.rest.find((it) => it.startsWith('-') && !isGlobalFlag(it))
  if (unknownFlag !== undefined) return unknownGlobal(world, found, unknownFlag)
  if (!found.node) {
    const hasFlag = found.rest.some((it) => it.startsWith('-'))
    if (asksHelp(found.rest)) await showPage(world, '')
    else if (hasFlag) return tell(world, found.rest, `Missing command in "parley ${found.rest.join(' ')}".`, 'See: parley --help.')
    else await stdout.write(shortHelp)
    return 'done'
  }
  const words = found.path.join(' ')
  if (asksHelp(found.rest)) {
    await showPage(world, words)
    return 'done'
  }
  if (asksJson(found.rest, world.env)) return tell(world, found.rest, `"parley ${words}" needs a verb.`, `See: parley ${words} --help.`)
  await stderr.write(pageText(words, stdout.columns) ?? '')
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
  return tell(world, found.rest, `Unknown command "${[...found.path, word].join(' ')}".${meant ? ` Did you mean "${meant}"?` : ''}`, `See: ${before} --help.`)
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

const shortHelp = `Administer a conversational assistant platform. A complete local platform is built in.

Get started:
  parley demo              Take a tour on a temporary local platform
  parley numbers search    Search phone numbers on the local platform
  parley login             Sign in to a remote deployment
  parley doctor            Check configuration, connection and resources
  parley --help            List all commands
`
