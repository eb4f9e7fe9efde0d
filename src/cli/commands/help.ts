import { command } from '../command.ts'
import { closest } from '../output/closest.ts'
import { helpWidth } from '../text.ts'
import { about } from '../topics/about.ts'
import { usage } from '../usage.ts'

export const help = command({
  summary: 'Show help on a command or a topic',
  argument: {
    name: 'topic',
    describe: `A noun, a noun and its verb, or one of topics, ${Object.keys(about).join(', ')}`,
    optional: true,
    several: true,
  },
  examples: ['numbers', 'numbers buy', 'exit-codes', 'errors', 'flags'],
  async run(context, { argument }) {
    const { stdout } = context.world.streams
    const { showPage } = await import('../help-page.ts')
    if (argument === undefined) return void (await showPage(context.world, ''))
    const { topics } = await import('../topics.ts')
    if (Object.hasOwn(topics, argument)) return stdout.write((topics[argument] as (width: number) => string)(helpWidth(stdout.columns)))
    const { findCommand } = await import('../words.ts')
    const { node, path, rest, siblings, ...found } = findCommand(argument.split(' '))
    const words = path.join(' ')
    const unknown = node?.load ? rest[0] : found.unknown
    if (!node || unknown !== undefined) throw unknownWord(words, unknown ?? argument, node?.load ? [] : Object.keys(siblings), Object.keys(topics))
    await showPage(context.world, words)
  },
})

function unknownWord(path: string, word: string, known: readonly string[], topics: readonly string[]): Error {
  const guess = closest(word, path === '' ? [...known, ...topics] : known)
  const meant = guess ? ` Did you mean "${guess}"?` : ''
  return path === ''
    ? usage(`Unknown command or topic "${word}".${meant}`, `Topics: ${topics.join(', ')}.`)
    : usage(`Unknown command "${path} ${word}".${meant}`, `See: parley help ${path}.`)
}
