import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Worker, workersIn } from '../support/processes/start.ts'

/** Server in a separate process, with short functions for requests. */
export interface Served {
  readonly worker: Worker
  readonly url: string
  readonly dataDir: string
  /**
   * Sends a request, with the control token for /control, otherwise with the key of the folder. Rejects if the server
   * dies.
   */
  ask(
    method: string,
    path: string,
    body?: object,
    // biome-ignore lint/suspicious/noExplicitAny: tests read the response and fail if it is not as expected.
  ): Promise<{ readonly status: number; readonly body: any; readonly ms: number }>
}

/**
 * Returns a function that starts servers on a data folder below `folder`, with webhooks to this machine allowed.
 * `alone`: no other server may run on it.
 */
export async function serversIn(folder: string): Promise<(alone?: boolean) => Promise<Served>> {
  const [dataDir, program] = [join(folder, 'data'), join(folder, 'program')]
  for (const folder of [dataDir, program]) mkdirSync(folder, { recursive: true })
  const start = await workersIn(program)
  return async (alone = true) => {
    const worker = start()
    const agent = new Agent({ keepAlive: true })
    const { url, key } = await worker.tell({ do: 'serve', settings: { dataDir, privateAddresses: true } })
    if (!alone) rmSync(join(dataDir, 'server.json'))
    const { control } = JSON.parse(readFileSync(join(dataDir, 'credentials.json'), 'utf8')) as { control: string }
    const ask: Served['ask'] = (method, path, body) =>
      new Promise((resolve, reject) => {
        const began = performance.now()
        const opens = path.startsWith('/control') ? { 'parley-control': control } : { authorization: `Bearer ${key}` }
        const headers = { ...opens, ...(body && { 'content-type': 'application/json' }) }
        const sent = request(url + path, { agent, method, headers }, (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => (text += chunk))
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, body: JSON.parse(text), ms: performance.now() - began }),
          )
          response.on('error', reject)
        })
        sent.on('error', reject)
        sent.end(body && JSON.stringify(body))
      })
    return { worker, url, dataDir, ask }
  }
}

/**
 * Starts a webhook receiver that records message ids by the number in the payload. `status` may be changed; 0 means no
 * response. `open` counts requests without a response.
 */
export async function listening(status = 200) {
  const shown = new Map<number, string[]>()
  const state = { status, received: 0, open: 0 }
  const server = createServer((incoming, response) => {
    let text = ''
    state.open++
    response.on('close', () => state.open--)
    incoming.setEncoding('utf8')
    incoming.on('data', (chunk: string) => (text += chunk))
    incoming.on('end', () => {
      state.received++
      const n = Number(/"n":(\d+)/.exec(text)?.[1])
      shown.set(n, [...(shown.get(n) ?? []), String(incoming.headers['webhook-id'])])
      if (state.status !== 0) response.writeHead(state.status).end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    shown,
    state,
    close(): void {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Runs `work` for 0 to `count`, a number of them concurrently. */
export async function inParallel(
  count: number,
  together: number,
  work: (n: number) => Promise<unknown>,
): Promise<void> {
  let next = 0
  const one = async (): Promise<void> => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: together }, one))
}

/** Enables the webhook of an assistant (default: the first one). */
export const hear = (server: Served, url: string, assistant = 1) =>
  server.ask('POST', '/api/user/assistants/enable-conversation-ended-webhook', {
    assistant_id: assistant,
    webhook_url: url,
  })

/** Creates an event for the webhook of an assistant, once per number. */
export const tell = (server: Served, n: number, assistant = 1) =>
  server.ask('POST', '/control/events', {
    account: 1,
    kind: 'conversation_ended',
    assistant_id: assistant,
    key: `n${n}`,
    payload: { n, conversation_id: `conversation-${n}` },
  })
