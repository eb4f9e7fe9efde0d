import { figuresOf, inTurns } from './alternating-rounds.ts'
import { type Answer, bareServer } from './bare-server.ts'
import { durableFloor, startDurableFloor } from './durable-server.ts'
import { type Figure, least, median, ratio } from './measurements.ts'
import { freePort, keyOf, makeHome, program, startServer, timed } from './processes.ts'

const section = 'server'

interface Asked {
  readonly what: string
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly budget?: Figure['budget']
  /** Whether the response promises that the request is stored. Its floor stores it as durably. */
  readonly isDurable?: boolean
}

const change = JSON.stringify({ description: 'Looks up an order.' })

const asked: readonly Asked[] = [
  { what: 'GET one tool', method: 'GET', path: '/api/user/tools/1', budget: least(0.65) },
  { what: 'GET keys', method: 'GET', path: '/api/user/api-keys', budget: least(0.4) },
  {
    what: 'GET numbers for sale',
    method: 'GET',
    path: '/api/user/phone-numbers/search?country_code=US',
    budget: least(0.35),
  },
  {
    what: 'PUT one tool',
    method: 'PUT',
    path: '/api/user/tools/1',
    body: change,
    budget: least(0.2),
    isDurable: true,
  },
]

/**
 * Measures requests per second of the platform against a bare node:http server with the same response, in turns; and
 * the CPU time per request. The floor of a write also stores each request.
 */
export async function server(rounds: number, roundMs: number): Promise<readonly Figure[]> {
  const home = makeHome()
  const figures: Figure[] = []
  try {
    await timed([program, 'keys', 'list'], home.env)
    const headers = { authorization: `Bearer ${keyOf(home)}` }
    const port = await freePort()
    const options = { env: home.env, folder: home.folder, path: '/api/user/api-keys', headers }
    const platform = await startServer([program, 'server', 'start', '--port', String(port)], { ...options, port })
    try {
      for (const request of asked) {
        const answer = await answerOf(request, port, headers)
        const barePort = await freePort()
        const env = { ...home.env, BARE: JSON.stringify({ ...answer, port: barePort }) }
        const bare = await startServer(['-e', bareServer], { ...options, env, port: barePort })
        const durable = request.isDurable ? await startDurableFloor(home, answer) : undefined
        try {
          const sent = { ...request, headers }
          const subjects = [platform, bare, ...(durable ? [durable] : [])].map((server) => ({ server, sent }))
          const [ours, exchange, storing] = await inTurns(subjects, rounds, roundMs)
          if (!ours || !exchange) throw new Error('No rounds were run.')
          const floor = storing ? durableFloor : 'bare node:http'
          figures.push(...figuresOf(section, request.what, floor, [ours, storing ?? exchange], request.budget))
          if (storing)
            figures.push(
              { section, what: '  / bare node:http', ...ratio(ours.perSecond, exchange.perSecond) },
              {
                section,
                what: '  CPU time of a request, bare node:http',
                value: median(exchange.cpuUs),
                unit: 'us',
              },
            )
        } finally {
          await durable?.stop()
          await bare.stop()
        }
      }
    } finally {
      await platform.stop()
    }
    return figures
  } finally {
    home.remove()
  }
}

async function answerOf(
  { method, path, body }: Asked,
  port: number,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body !== undefined && { body }),
  })
  const saved = ['content-type', 'x-request-id', 'content-length', 'parley-assumed'].flatMap((name) => {
    const value = response.headers.get(name)
    return value === null ? [] : [[name, value]]
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
  return { status: response.status, headers: Object.fromEntries(saved) as Record<string, string>, body: text }
}
