import { closestMatch } from '../../program/commandline/closest-match.ts'
import { command } from '../../program/commandline/command.ts'
import { findCommand } from '../../program/commandline/find-command.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { helpWidth } from '../../program/terminal/wrap-text.ts'
import { printHelpPage } from './help-page.ts'
import { printProgramPage } from './program-page.ts'
import { suggestCommands } from './suggest-commands.ts'
import { topicSummaries } from './topic-summaries.ts'
import { topics } from './topics.ts'

/** Former names of topics, which are still accepted. */
const formerTopics: Readonly<Record<string, string>> = { 'embedded-platform': 'local-platform' }

export const help = command({
  summary: 'Show help for a command or topic',
  argument: {
    name: 'topic',
    describe: `Noun, noun and verb, or one of topics, ${Object.keys(topicSummaries).join(', ')}`,
    optional: true,
    isVariadic: true,
  },
  examples: ['numbers', 'numbers buy', 'exit-codes', 'errors', 'flags'],
  async run(context, { argument }) {
    const { stdout } = context.system.streams
    if (argument === undefined) return printProgramPage(context.system)
    const topic = formerTopics[argument] ?? argument
    if (Object.hasOwn(topics, topic))
      return stdout.write(await (topics[topic] as (typeof topics)[string])(helpWidth(stdout.columns)))
    const { node, path, rest, siblings, ...found } = findCommand(argument.split(' '))
    const words = path.join(' ')
    const unknown = node?.load ? rest[0] : found.unknown
    if (!node || unknown !== undefined) {
      const known = node?.load ? [] : Object.keys(siblings)
      if (words === '' && (await printFound(context, argument))) return
      throw unknownWord(words, unknown ?? argument, known, Object.keys(topics))
    }
    await printHelpPage(context.system, words)
  },
})

/** Prints the page of the command that a word names, or a list of several. Returns false if there is none. */
async function printFound({ system }: Context, word: string): Promise<boolean> {
  const { describeCommands } = await import('../command-reference/command-descriptions.ts')
  const all = await describeCommands([])
  const named = suggestCommands([], word.split(' '))
  const lines = named.length > 0 ? named : all.filter((it) => mentions(it.summary, word)).map((it) => it.command)
  const found = lines.flatMap((line) => all.filter((it) => line === it.command || line.startsWith(`${it.command} -`)))
  const [only] = found
  if (only === undefined) return false
  if (found.length === 1) {
    await printHelpPage(system, only.command)
    return true
  }
  const width = Math.max(...found.map((it) => it.command.length))
  const rows = found.map((it) => `  parley ${it.command.padEnd(width)}  ${it.summary}\n`).join('')
  await system.streams.stdout.write(`Commands for "${word}":\n${rows}\nHelp of one: parley help ${only.command}\n`)
  return true
}

/** Returns whether a summary has a word, or one that begins with it. */
const mentions = (summary: string, word: string): boolean =>
  word.length > 2 &&
  summary
    .toLowerCase()
    .split(/\W+/)
    .some((it) => it.startsWith(word.toLowerCase()))

function unknownWord(path: string, word: string, known: readonly string[], topics: readonly string[]): Error {
  const guess = closestMatch(word, path === '' ? [...known, ...topics] : known)
  const meant = guess ? ` Did you mean "${guess}"?` : ''
  return path === ''
    ? usageError(`Unknown command or topic "${word}".${meant}`, `Topics: ${topics.join(', ')}.`)
    : usageError(`Unknown command "${path} ${word}".${meant}`, `See: parley help ${path}.`)
}
