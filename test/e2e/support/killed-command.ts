import { watch } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { capabilitiesHeader } from '../../../src/contract/endpoint/capabilities.ts'
import type { SeededRandom } from '../../soak/cluster/seeded-random.ts'
import { extensionOf } from '../../support/altered-responses.ts'
import { afterFile } from '../../support/cleanup.ts'
import { type Finished, type Running, type RunOptions, start } from './built-program.ts'

/** A moment of a command: at its n-th request, before or after the platform was asked, or at the n-th change of a file. */
export interface Moment {
  readonly at: 'request' | 'answer' | 'file'
  readonly n: number
  /** Turns of the event loop of the test after it. */
  readonly turns: number
}

/** How many moments of each kind a command has. */
export type Moments = Record<Moment['at'], number>

/** Returns a moment of a command: one of those that it has, or with a guess of their number one that may be after its end. */
export function drawMoment(random: SeededRandom, among: number | Moments): Moment {
  const at = random.pick(['request', 'answer', 'answer', 'file'] as const)
  return {
    at,
    n: random.between(1, typeof among === 'number' ? among : among[at]),
    turns: random.pick([0, 0, 20, 100, 400, 1000]),
  }
}

/** Something between a command and a server, which kills the command at a moment. */
export interface KillingRelay {
  readonly url: string
  /** Requests that reached it. */
  readonly requests: string[]
  /** Runs a command and kills it with SIGKILL at the moment. Returns whether it was killed before its end, and the moments it had. */
  killed(
    line: string,
    options: RunOptions,
    moment: Moment | undefined,
  ): Promise<Finished & { readonly isKilled: boolean; readonly moments: Moments }>
}

/** Starts a relay before a server until the test file ends. Without `isParleyServer`, the platform has only what the specification states. */
export async function killingRelay(
  server: () => string,
  { isParleyServer }: { readonly isParleyServer: boolean },
): Promise<KillingRelay> {
  const requests: string[] = []
  let pass = async (_at: Moment['at']): Promise<void> => {}
  const relay = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = 'GET', url = '/' } = request
    requests.push(`${method} ${url}`)
    await pass('request')
    if (!isParleyServer && extensionOf(method, url) !== undefined)
      return void response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"Not Found"}')
    const { host: _, connection: _also, 'accept-encoding': __, ...headers } = request.headers as Record<string, string>
    const body = Buffer.concat(chunks)
    const answer = await fetch(server() + url, { method, headers, ...(body.length > 0 && { body }) })
    const text = await answer.text()
    const named = [...answer.headers].filter(
      ([name]) =>
        !['connection', 'content-encoding', 'content-length', 'keep-alive', 'transfer-encoding'].includes(name) &&
        (isParleyServer || name !== capabilitiesHeader),
    )
    await pass('answer')
    response.writeHead(answer.status, { ...Object.fromEntries(named), 'content-length': Buffer.byteLength(text) })
    response.end(text)
  }
  const proxy = createServer((request, response) => {
    relay(request, response).catch(() => request.socket.destroy())
  })
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  afterFile(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    requests,
    async killed(line, options, moment) {
      const moments = { request: 0, answer: 0, file: 0 }
      let isKilled = false
      const running: Running = start(line, options)
      const kill = async (turns: number): Promise<void> => {
        for (let n = 0; n < turns; n++) await setImmediate()
        isKilled = true
        running.kill('SIGKILL')
        await running.ended
      }
      pass = async (at) => {
        if (++moments[at] !== moment?.n || at !== moment.at) return
        const killing = kill(moment.turns)
        // The command gets the answer before its end, so that it dies while it writes files.
        if (at !== 'answer' || moment.turns === 0) await killing
      }
      const folder = options.at?.dir
      const watcher =
        folder === undefined || (moment !== undefined && moment.at !== 'file')
          ? undefined
          : watch(folder, { recursive: true }, () => void pass('file'))
      const ended = await running.ended
      watcher?.close()
      pass = async () => {}
      return { ...ended, isKilled: isKilled && ended.signal === 'SIGKILL', moments }
    },
  }
}
