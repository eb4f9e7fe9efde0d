import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ChangeFeed } from '../contract/control/change-feed.ts'
import { stringifyJson } from '../node/json.ts'
import { realTime } from '../node/real-time.ts'

/** Milliseconds between two looks for changes, and between two signs of life. */
const pollMs = 100
const heartbeatMs = 15_000

/** The streams of changes to open pages. */
export interface ChangeStreams {
  /** Sends changes as server-sent events, from now on or from the event that the browser saw last. */
  open(request: IncomingMessage, response: ServerResponse, headers: Readonly<Record<string, string>>): Promise<void>
  close(): void
}

/** Creates the streams of changes. Changes are looked for once for all pages, and only while one is open. */
export function createChangeStreams(feed: ChangeFeed, log: (text: string) => void): ChangeStreams {
  const pages = new Set<ServerResponse>()
  let cursor = ''
  let timer: NodeJS.Timeout | undefined
  let lastSign = 0
  let isClosed = false

  const send = (
    page: ServerResponse,
    { changes, cursor: id, isGap }: Awaited<ReturnType<ChangeFeed['since']>>,
  ): void => {
    if (isGap) page.write(`id: ${id}\nevent: resync\ndata: {}\n\n`)
    for (const { cursor: own, ...change } of changes)
      page.write(`id: ${own}\nevent: change\ndata: ${stringifyJson(change)}\n\n`)
  }

  async function poll(): Promise<void> {
    try {
      const found = await feed.since(cursor)
      cursor = found.cursor
      for (const page of pages) send(page, found)
      if (realTime.now() - lastSign >= heartbeatMs) {
        lastSign = realTime.now()
        for (const page of pages) page.write(': still here\n\n')
      }
    } catch (error) {
      log(`inspector: ${(error as Error).message}`)
    }
    timer = undefined
    schedule()
  }

  function schedule(): void {
    if (pages.size > 0 && !isClosed) timer ??= realTime.setTimeout(() => void poll(), pollMs)
  }

  return {
    async open(request, response, headers) {
      const last = request.headers['last-event-id']
      const present = await feed.now()
      // Nothing was read while no page was open.
      if (pages.size === 0) cursor = present
      response.writeHead(200, { ...headers, 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' })
      response.write('retry: 1000\n: connected\n\n')
      if (typeof last === 'string' && last !== '') send(response, await feed.since(last))
      response.on('close', () => pages.delete(response))
      if (isClosed || response.destroyed) return void response.end()
      pages.add(response)
      schedule()
    },
    close() {
      isClosed = true
      realTime.clearTimeout(timer)
      for (const page of pages) page.end()
      pages.clear()
    },
  }
}
