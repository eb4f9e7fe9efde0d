import { figuresOf, inTurns } from './alternating-rounds.ts'
import { type Answer, bareServer } from './bare-server.ts'
import { type Figure, least } from './measurements.ts'
import { freePort, keyOf, makeHome, program, startServer, timed } from './processes.ts'

const section = 'server'

interface Asked {
  readonly what: string
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly budget?: Figure['budget']
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
  { what: 'PUT one tool, durable', method: 'PUT', path: '/api/user/tools/1', body: change, budget: least(0.2) },
]

/**
 * Measures requests per second of the platform against a bare node:http server with the same response, in turns; and
 * the CPU time per request.
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
        try {
          const sent = { ...request, headers }
          const [ours, floor] = await inTurns(
            [
              { server: platform, sent },
              { server: bare, sent },
            ],
            rounds,
            roundMs,
          )
          if (ours && floor)
            figures.push(...figuresOf(section, request.what, 'bare node:http', [ours, floor], request.budget))
        } finally {
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
