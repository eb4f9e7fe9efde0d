import { command } from '../command.ts'
import { closest } from '../output/closest.ts'
import { helpWidth } from '../text.ts'
import { usage } from '../usage.ts'

export const help = command({
  summary: 'Show help on a command or a topic',
  argument: {
    name: 'topic',
    describe: 'A noun, a noun and its verb, or one of exit-codes, errors, flags, output, profiles, vocabulary, bulk, conformance, environment',
    optional: true,
    several: true,
  },
  examples: ['numbers', 'numbers buy', 'exit-codes', 'errors', 'flags'],
  async run(context, { argument }) {
    const { stdout } = context.world.streams
    const width = helpWidth(stdout.columns)
    const { nounHelp, programHelp } = await import('../guide.ts')
    if (argument === undefined) return stdout.write(programHelp(width))
    const { topics } = await import('../topics.ts')
    if (Object.hasOwn(topics, argument)) return stdout.write((topics[argument] as (width: number) => string)(width))
    const { findCommand } = await import('../words.ts')
    const { node, path, rest, siblings, ...found } = findCommand(argument.split(' '))
    const words = path.join(' ')
    const unknown = node?.load ? rest[0] : found.unknown
    if (!node || unknown !== undefined) throw unknownWord(words, unknown ?? argument, node?.load ? [] : Object.keys(siblings), Object.keys(topics))
    if (!node.load) return stdout.write(await nounHelp(words, node, width))
    const { commandHelp } = await import('../help.ts')
    await stdout.write(commandHelp(words, await node.load(), stdout.columns))
  },
})

function unknownWord(path: string, word: string, known: readonly string[], topics: readonly string[]): Error {
  const guess = closest(word, path === '' ? [...known, ...topics] : known)
  const meant = guess ? ` Did you mean "${guess}"?` : ''
  return path === ''
    ? usage(`There is no help on "${word}".${meant}`, `Topics: ${topics.join(', ')}.`)
    : usage(`There is no "${word}" in "parley ${path}".${meant}`, `See: parley help ${path}.`)
}
