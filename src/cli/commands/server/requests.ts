import { requests as contract, type LoggedRequest } from '../../../contract/control/requests.ts'
import { type CommandInput, command } from '../../commandline/command.ts'
import { pollStream } from '../../connection/poll-stream.ts'
import type { Context } from '../../context.ts'
import { followedExit } from '../../errors/interrupted-exit.ts'
import { limitFlags, parseLimit } from '../../input/count-flag.ts'
import type { View } from '../../output/form.ts'
import { oneByOne } from '../../output/one-by-one.ts'
import { printList } from '../../output/print-list.ts'
import { itemShape } from '../../output/tables/item-shape.ts'

const view: View<LoggedRequest> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 2, kind: 'number' },
    { key: 'at', title: 'When', priority: 3, kind: 'computer_time' },
    { key: 'method', title: 'Method', priority: 1 },
    { key: 'path', title: 'Path', priority: 1, flexible: true },
    { key: 'status', title: 'Status', priority: 1, kind: 'number' },
    { key: 'ms', title: 'ms', priority: 4, kind: 'number' },
  ],
  empty: 'No requests. Start a server to record them: parley server start.',
}

/** Maximum number of requests in one response. */
const maxRequests = 1000

/** Headers that a repeated request needs. */
const forwardedHeaders = /^(content-type|accept|idempotency-key)$/

export const requests = command({
  endpoint: contract.list,
  hasComputerTimes: true,
  filledFields: ['after', 'limit'],
  flags: [
    ...limitFlags('Maximum number of requests, the newest, 1-1000 (default: 50)'),
    { flags: '--follow', describe: 'Print new requests until Ctrl-C or --limit' },
    { flags: '--curl', describe: 'Print requests as curl commands, with the key as $PARLEY_API_KEY' },
  ],
  isList: true,
  examples: ['', '--status 4xx', '--path /messaging/ --method POST --curl --unmask', '--json'],
  notes:
    'Shows HTTP requests to the server of this data folder. Secrets are hidden and phone numbers shortened (--unmask shows numbers). Requests are stored for 30 days. To delete them: parley server purge. Their times are those of the computer that serves them, which moving the clock of the platform does not change.',
  view,
  async run(context, { input, flags }) {
    const { out } = context
    const { all, envelope, printCurl } = context.globals
    const readsAll = all === true && !flags.follow && !envelope && !printCurl
    const limit = all && !flags.follow ? maxRequests : parseLimit(flags, flags.follow ? undefined : maxRequests)
    const newest = { ...input, ...(limit !== undefined && { limit }) }
    if (!flags.follow && !flags.curl) {
      if (!readsAll) return printList(context, contract.list, newest)
      await out.pages(allRequests(context, input), itemShape(context.command) as never)
      return 'done'
    }
    const entries = flags.follow
      ? pollStream<LoggedRequest>(context, limit, async (after) => {
          const { data } = await context.call(contract.list, {
            ...input,
            ...(after !== undefined && { after }),
          } as never)
          return { items: data, last: data.at(-1)?.id ?? after ?? 0 }
        })
      : readsAll
        ? flatten(allRequests(context, input))
        : (await context.call(contract.list, newest as never)).data
    const print = flags.curl
      ? await asCurl(context)
      : ({ at, method, path, status, ms }: LoggedRequest): string => `${at}  ${method} ${path}  ${status}  ${ms} ms`
    if (flags.curl || (out.settings.form === 'table' && !out.settings.fields))
      for await (const it of entries) await out.line(print(it))
    else await out.pages(oneByOne(entries), { view } as never)
    return followedExit(context.system.signal)
  },
})

/** Yields all requests in the log, oldest first, in several responses. */
async function* allRequests(context: Context, input: CommandInput): AsyncGenerator<readonly LoggedRequest[]> {
  for (let after = 0; ; ) {
    const { data } = await context.call(contract.list, { ...input, after, limit: maxRequests } as never)
    if (data.length > 0) yield data
    if (data.length < maxRequests) return
    after = data.at(-1)?.id ?? after
  }
}

async function* flatten<T>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const items of pages) yield* items
}

async function asCurl(context: Context): Promise<(it: LoggedRequest) => string> {
  const { toCurl } = await import('../../../client/requests/curl-command.ts')
  const { baseUrl } = await context.settings()
  return ({ method, path, headers, body }) => {
    const shownHeaders = Object.fromEntries(Object.entries(headers).filter(([name]) => forwardedHeaders.test(name)))
    const auth = headers.authorization === undefined ? 'none' : 'key'
    return toCurl(baseUrl.value, { method, url: path, headers: shownHeaders, ...(body !== null && { body }) }, auth)
  }
}
