import { command } from '../command.ts'
import { closest } from '../output/closest.ts'
import { helpWidth } from '../text.ts'
import { usage } from '../usage.ts'

export const help = command({
  summary: 'Show help on a command or a topic',
  argument: { name: 'topic', describe: 'A noun, or one of exit-codes, flags, output, profiles, environment', optional: true },
  examples: ['numbers', 'exit-codes', 'flags'],
  async run(context, { argument }) {
    const { stdout } = context.world.streams
    const width = helpWidth(stdout.columns)
    const { nounHelp, programHelp } = await import('../guide.ts')
    if (argument === undefined) return stdout.write(programHelp(width))
    const { topics } = await import('../topics.ts')
    if (Object.hasOwn(topics, argument)) return stdout.write((topics[argument] as (width: number) => string)(width))
    const { childOf, tree } = await import('../tree.ts')
    const [name, node] = childOf(tree, argument) ?? []
    if (!node || name === undefined) {
      const guess = closest(argument, [...Object.keys(tree), ...Object.keys(topics)])
      throw usage(`There is no help on "${argument}".${guess ? ` Did you mean "${guess}"?` : ''}`, `Topics: ${Object.keys(topics).join(', ')}.`)
    }
    if (!node.load) return stdout.write(await nounHelp(name, node, width))
    const { commandHelp } = await import('../help.ts')
    await stdout.write(commandHelp(name, await node.load(), stdout.columns))
  },
})
