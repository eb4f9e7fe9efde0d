import { shellQuote } from '../../../client/requests/shell-quote.ts'
import { commandNames, findChild } from '../commandline/command-names.ts'
import type { GlobalOptions } from '../commandline/global-flags.ts'

/** Commands that use no platform, only the local one, or name their profiles themselves. Printed lines of others get the flags. */
const unaddressed: ReadonlySet<string> = new Set([
  'commands',
  'completion',
  'demo',
  'help',
  'login',
  'profile',
  'promote',
  'schema',
  'server',
  'skill',
  'ui',
])

/** Returns the flags of a command line that select its platform, to repeat them in other command lines. */
export const platformFlags = ({ profile, baseUrl, insecure }: GlobalOptions): string =>
  [
    ...(profile === undefined ? [] : [`--profile ${shellQuote(profile)}`]),
    ...(baseUrl === undefined ? [] : [`--base-url ${shellQuote(baseUrl)}`]),
    ...(insecure && (profile !== undefined || baseUrl !== undefined) ? ['--insecure'] : []),
  ].join(' ')

/** Returns the platform flags among unparsed words, for a command line that may be invalid. */
export function platformFlagsOf(words: readonly string[]): string {
  const flagValue = (names: readonly string[]): string | undefined => {
    const n = words.findIndex((it) => names.some((name) => it === name || it.startsWith(`${name}=`)))
    const word = words[n]
    if (word === undefined) return undefined
    return word.includes('=') ? word.slice(word.indexOf('=') + 1) : words[n + 1]
  }
  const profile = flagValue(['--profile', '-p'])
  const baseUrl = flagValue(['--base-url'])
  return platformFlags({
    ...(profile !== undefined && { profile }),
    ...(baseUrl !== undefined && { baseUrl }),
    insecure: words.includes('--insecure'),
  })
}

/**
 * A command line in a text: the words of the command, then arguments that cannot be words of the sentence: placeholders,
 * quoted texts and words with a digit.
 */
const commandLine =
  /\bparley((?: [a-z][a-z-]*(?![\w-]))+)((?: (?:<[^<>]+>|'[^']*'|"[^"]*"|\+?[\w-]*\d[\w-]*)(?=[.,:;)"'`]*(?:\s|$)))*)/g
const ownFlags = / (?:--profile|--base-url|--help|-p)(?![\w-])/

/** Returns how many words name a command of the tree; 0 if they do not name one that uses the selected platform. */
function commandLength(words: readonly string[]): number {
  let nodes = commandNames()
  for (const [n, word] of words.entries()) {
    const child = unaddressed.has(words[0] as string) ? undefined : findChild(nodes, word)
    if (child === undefined) return 0
    if (child[1].load) return n + 1
    nodes = child[1].verbs ?? {}
  }
  return 0
}

/**
 * Adds the platform flags to every command line in a text, so that a copied line acts on the same platform. Command lines
 * that select a platform themselves are unchanged.
 */
export function addressCommands(text: string, flags: string): string {
  if (flags === '' || !text.includes('parley ')) return text
  return text.replaceAll(commandLine, (line, name: string, values: string, at: number) => {
    const words = name.trim().split(' ')
    const length = commandLength(words)
    const following = text.slice(at + line.length).split(/[.,;)]\s|\n|\bparley /, 1)[0] as string
    if (length === 0 || ownFlags.test(following)) return line
    const others = words.slice(length).map((it) => ` ${it}`)
    return others.length > 0
      ? ['parley ', words.slice(0, length).join(' '), ` ${flags}`, ...others, values].join('')
      : `${line} ${flags}`
  })
}
