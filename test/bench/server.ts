import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Answer, bareServer } from './bare.ts'
import { type Figure, least, median, quantile, ratio } from './figures.ts'
import type { Load, Loaded } from './load.ts'
import { freePort, keyOf, makeHome, program, type Running, startServer, timed } from './processes.ts'

const section = 'server'
const connections = 16

interface Asked {
  readonly what: string
  readonly method: string
  readonly path: string
  readonly body?: string
  readonly budget?: Figure['budget']
}

const change = JSON.stringify({ description: 'Looks up an order.' })

const asked: readonly Asked[] = [
  { what: 'GET one tool', method: 'GET', path: '/api/user/tools/1', budget: least(0.55) },
  { what: 'GET keys', method: 'GET', path: '/api/user/api-keys' },
  { what: 'GET numbers for sale', method: 'GET', path: '/api/user/phone-numbers/search?country_code=US' },
  { what: 'PUT one tool, durable', method: 'PUT', path: '/api/user/tools/1', body: change },
]

/** Requests a second of the platform against a bare node:http server that gives the same answer, in turns; CPU time of a request of each. */
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
      for (const it of asked) {
        const answer = await answerOf(it, port, headers)
        const barePort = await freePort()
        const env = { ...home.env, BARE: JSON.stringify({ ...answer, port: barePort }) }
        const bare = await startServer(['-e', bareServer], { ...options, env, port: barePort })
        try {
          figures.push(...(await compare(it, platform, bare, headers, rounds, roundMs)))
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

async function answerOf({ method, path, body }: Asked, port: number, headers: Readonly<Record<string, string>>): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body !== undefined && { body }),
  })
  const kept = ['content-type', 'x-request-id', 'content-length', 'parley-assumed'].flatMap((name) => {
    const value = response.headers.get(name)
    return value === null ? [] : [[name, value]]
  })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
  return { status: response.status, headers: Object.fromEntries(kept) as Record<string, string>, body: text }
}

interface Round {
  readonly perSecond: number
  readonly cpuUs: number
}

async function compare(
  it: Asked,
  platform: Running,
  bare: Running,
  headers: Readonly<Record<string, string>>,
  rounds: number,
  roundMs: number,
): Promise<Figure[]> {
  const body = it.body ?? ''
  const lines = [`${it.method} ${it.path} HTTP/1.1`, 'host: 127.0.0.1', ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
  if (body !== '') lines.push('content-type: application/json', `content-length: ${Buffer.byteLength(body)}`)
  const request = `${lines.join('\r\n')}\r\n\r\n${body}`
  const measure = async (server: Running, ms: number): Promise<Round> => {
    const before = await server.usage()
    const done = await inOwnProcess({ port: server.port, connections, ms, request })
    const after = await server.usage()
    if (done.bad > 0 || done.requests === 0) throw new Error(`${it.what}: ${done.bad} of ${done.requests} answers were not 200`)
    return { perSecond: (done.requests / done.ms) * 1000, cpuUs: ((after.cpuMs - before.cpuMs) * 1000) / done.requests }
  }
  const ours: Round[] = []
  const floor: Round[] = []
  // The first round of each only warms up.
  for (let round = -1; round < rounds; round++) {
    const [a, b] = [await measure(platform, roundMs), await measure(bare, roundMs)]
    if (round < 0) continue
    ours.push(a)
    floor.push(b)
  }
  const perSecond = ours.map((round) => round.perSecond)
  const cpu = ours.map((round) => round.cpuUs)
  return [
    {
      section,
      what: `${it.what} / bare node:http`,
      ...ratio(
        perSecond,
        floor.map((round) => round.perSecond),
      ),
      ...(it.budget && { budget: it.budget }),
    },
    { section, what: '  requests a second', value: median(perSecond), unit: '/s', spread: [quantile(perSecond, 0.25), quantile(perSecond, 0.75)] },
    { section, what: '  CPU time of a request', value: median(cpu), unit: 'us', spread: [quantile(cpu, 0.25), quantile(cpu, 0.75)] },
    { section, what: '  CPU time of a request, bare node:http', value: median(floor.map((round) => round.cpuUs)), unit: 'us' },
  ]
}

/** Runs a load in a process of its own: this same file, told to be the load. */
async function inOwnProcess(load: Load): Promise<Loaded> {
  const child = spawn(process.execPath, [process.argv[1] ?? '', '--load', JSON.stringify(load)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => {
    text += String(chunk)
  })
  await once(child, 'close')
  return JSON.parse(text) as Loaded
}
