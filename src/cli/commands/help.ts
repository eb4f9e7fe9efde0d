import { closestMatch } from '../commandline/closest-match.ts'
import { command } from '../commandline/command.ts'
import { usageError } from '../errors/usage-error.ts'
import { topicSummaries } from '../help/topic-summaries.ts'
import { helpWidth } from '../terminal/wrap-text.ts'

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
    if (argument === undefined) return (await import('../help/program-page.ts')).printProgramPage(context.system)
    const { topics } = await import('../help/topics.ts')
    const topic = formerTopics[argument] ?? argument
    if (Object.hasOwn(topics, topic))
      return stdout.write((topics[topic] as (width: number) => string)(helpWidth(stdout.columns)))
    const { findCommand } = await import('../commandline/find-command.ts')
    const { node, path, rest, siblings, ...found } = findCommand(argument.split(' '))
    const words = path.join(' ')
    const unknown = node?.load ? rest[0] : found.unknown
    if (!node || unknown !== undefined)
      throw unknownWord(words, unknown ?? argument, node?.load ? [] : Object.keys(siblings), Object.keys(topics))
    const { printHelpPage } = await import('../help/help-page.ts')
    await printHelpPage(context.system, words)
  },
})

function unknownWord(path: string, word: string, known: readonly string[], topics: readonly string[]): Error {
  const guess = closestMatch(word, path === '' ? [...known, ...topics] : known)
  const meant = guess ? ` Did you mean "${guess}"?` : ''
  return path === ''
    ? usageError(`Unknown command or topic "${word}".${meant}`, `Topics: ${topics.join(', ')}.`)
    : usageError(`Unknown command "${path} ${word}".${meant}`, `See: parley help ${path}.`)
}
