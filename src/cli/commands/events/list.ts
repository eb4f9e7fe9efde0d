import { events, type PlatformEvent } from '../../../contract/control/events.ts'
import { type CommandInput, command } from '../../commandline/command.ts'
import { pollStream } from '../../connection/poll-stream.ts'
import type { Context } from '../../context.ts'
import { followedExit } from '../../errors/interrupted-exit.ts'
import { limitFlags, parseLimit } from '../../input/count-flag.ts'
import { oneByOne } from '../../output/one-by-one.ts'
import { printList } from '../../output/print-list.ts'
import { view } from './view.ts'

/** Maximum and default number of events in one response. */
const page = 1000
const usual = 100

export const list = command({
  endpoint: events.list,
  filledFields: ['after', 'limit'],
  flags: [
    ...limitFlags('Maximum number of events, the newest (default: 100)'),
    {
      flags: '--follow',
      describe: 'Print events as they happen until Ctrl-C; with --limit, stop after that many new events',
    },
  ],
  isList: true,
  examples: ['', '--kind conversation.ended --json', '--follow --limit 1 -o ndjson'],
  notes:
    'Lists the newest 100 events in the order in which they happened. Use --limit or --all for more. Events are saved for 30 days.',
  view,
  async run(context, { input, flags }) {
    const { out } = context
    const limit = parseLimit(flags)
    if (!flags.follow) return listNewest(context, input, limit)
    const looked = pollStream(context, limit, async (after) => {
      const { data } = await context.call(events.list, {
        ...input,
        ...(after === undefined ? limit !== undefined && { limit: 1 } : { after }),
      })
      // With a limit, only new events count.
      return { items: after === undefined && limit !== undefined ? [] : data, last: data.at(-1)?.id ?? after ?? 0 }
    })
    if (out.settings.form === 'table' && !out.settings.fields) {
      for await (const it of looked) await out.line(`${it.created_at}  ${it.kind}  ${it.subject}`)
    } else await out.pages(oneByOne(looked), { view } as never)
    return followedExit(context.system.signal)
  },
})

/** Prints the newest events up to the limit, and a note if there may be more. */
async function listNewest(context: Context, input: CommandInput, limit: number | undefined): Promise<void> {
  const { globals, out, notes } = context
  const wanted = globals.all ? undefined : (limit ?? usual)
  if (globals.envelope || globals.printCurl)
    return printList(context, events.list, { ...input, ...(wanted !== undefined && { limit: Math.min(wanted, page) }) })
  if (wanted !== undefined && wanted <= page) {
    const { data } = await context.call(events.list, { ...input, limit: wanted })
    await out.list(data, { view })
    if (data.length === wanted && limit === undefined)
      await notes.note(`Showing the newest ${wanted}. More: add --all, or --limit <n>.`)
    return
  }
  const found: PlatformEvent[] = []
  for (let after = 0; ; after = found.at(-1)?.id ?? 0) {
    const { data } = await context.call(events.list, { ...input, after, limit: page })
    found.push(...data)
    if (data.length < page) break
    if (wanted !== undefined && found.length > wanted) found.splice(0, found.length - wanted)
  }
  await out.list(wanted === undefined ? found : found.slice(-wanted), { view })
}
