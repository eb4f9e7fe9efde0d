import { events } from '../../../contract/events.ts'
import { command } from '../../command.ts'
import { following } from '../../following.ts'
import { count, printList } from '../../requests.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: events.list,
  fills: ['after'],
  flags: [{ flags: '--follow', describe: 'Go on printing what happens, until Ctrl-C or --limit' }],
  examples: ['', '--kind conversation.ended --json', '--follow --limit 1 -o ndjson'],
  notes: 'Events are kept for 30 days.',
  view,
  async run(context, { input, flags }) {
    if (!flags.follow) return printList(context, events.list, input)
    const { globals, out } = context
    const looked = following(context, count(globals.limit, '--limit'), async (after) => {
      const { data } = await context.call(events.list, { ...input, ...(after !== undefined && { after }) })
      return { items: data, last: data.at(-1)?.id ?? after ?? 0 }
    })
    if (out.settings.form === 'table' && !out.settings.fields) {
      for await (const it of looked) await out.line(`${it.created_at}  ${it.kind}  ${it.subject}`)
    } else await out.pages(oneByOne(looked), { view } as never)
    return 'done'
  },
})

async function* oneByOne<T>(items: AsyncIterable<T>): AsyncIterable<readonly T[]> {
  for await (const it of items) yield [it]
}
