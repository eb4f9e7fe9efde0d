import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { code, http, respond } from '../support/flow-definitions.ts'
import { startPostgres } from '../support/servers/postgres-process.ts'
import { databaseUrl, order } from '../support/servers/postgres-server.ts'
import { inOwnProcess, onTheWire } from './alternating-rounds.ts'
import { create } from './automations.ts'
import { type Figure, limit, median, quantile } from './measurements.ts'
import { freePort, type Home, keyOf, makeHome, program, type Running, startServer, timed } from './processes.ts'

const section = 'fairness'
/** Calls of the webhook whose receiver hangs, and connections of the account that sends many requests. */
const hangingCalls = 500
const busyConnections = 200
/** Calls of the other account, and milliseconds between them. */
const quietCalls = 60
/** Calls of the webhook whose code never ends, so that some always run and others wait: each runs for five seconds. */
const burningCalls = 40
const pauseMs = 50
/** Milliseconds for which an account does all it can. */
const allMs = 20_000
/** The steps of the automations send requests. */
const confirmed = { confirm_side_effects: true }
/** The default of servers that others reach. On loopback there is none without the flag. */
const rateLimit = '6000/60'

type Headers = Readonly<Record<string, string>>

/**
 * Measures how much one account slows down another: with a receiver that hangs and calls of its webhook, with code that
 * never ends, with many connections, and with all of it at once; the last two also on PostgreSQL. Both accounts use one server.
 */
export async function fairness(rounds: number, roundMs: number): Promise<readonly Figure[]> {
  const home = makeHome()
  try {
    await timed([program, 'keys', 'list'], home.env)
    const busy = { authorization: `Bearer ${keyOf(home)}` }
    const figures: Figure[] = []
    for (const [measure, flags] of [
      [hangingReceiver, []],
      [burningCode, []],
      [(...given) => manyConnections(...given, 'rate limit', rounds, roundMs), ['--rate-limit', rateLimit]],
      [(...given) => manyConnections(...given, 'no rate limit', rounds, roundMs), []],
      [(...given) => everythingAtOnce(...given, 'SQLite'), []],
    ] as [(port: number, busy: Headers, quiet: Headers) => Promise<Figure[]>, string[]][]) {
      const server = await start(home, busy, flags)
      try {
        figures.push(...(await measure(server.port, busy, await otherAccount(home, server.port))))
      } finally {
        await server.stop()
      }
    }
    figures.push(...(await onPostgres(home, rounds, roundMs)))
    return figures
  } finally {
    home.remove()
  }
}

async function start(home: Home, headers: Headers, flags: readonly string[]): Promise<Running> {
  const port = await freePort()
  const args = [program, 'server', 'start', '--port', String(port), ...flags]
  return startServer(args, { env: home.env, folder: home.folder, path: '/api/user/api-keys', headers, port })
}

/** Measures many connections of an account to a server over PostgreSQL. */
async function onPostgres({ env, folder }: Home, rounds: number, roundMs: number): Promise<Figure[]> {
  const postgres = await startPostgres({ isDurable: true })
  try {
    await order(postgres.url, 'create database parley_fairness')
    const own = {
      ...env,
      PARLEY_DATA_DIR: join(folder, 'postgres'),
      PARLEY_DATABASE: databaseUrl(postgres.url, 'parley_fairness'),
    }
    const port = await freePort()
    const args = [program, 'server', 'start', '--port', String(port)]
    const server = await startServer(args, { env: own, folder, port, path: '/readyz', headers: {} })
    const newKey = async (name: string): Promise<Headers> => {
      const args = [program, 'server', 'accounts', 'create', '--name', name, '--json']
      const { stdout } = await promisify(execFile)(process.execPath, args, { env: own })
      return { authorization: `Bearer ${(JSON.parse(stdout) as { key: string }).key}` }
    }
    try {
      const [busy, quiet] = [await newKey('Busy'), await newKey('Quiet')]
      return [
        ...(await manyConnections(port, busy, quiet, 'PostgreSQL', rounds, roundMs)),
        ...(await everythingAtOnce(port, busy, quiet, 'PostgreSQL')),
      ]
    } finally {
      await server.stop()
    }
  } finally {
    await postgres.stop()
  }
}

/** Creates an account and returns the headers of its requests. */
async function otherAccount({ env }: Home, port: number): Promise<Headers> {
  const file = join(env.PARLEY_DATA_DIR ?? '', 'credentials.json')
  const { control } = JSON.parse(readFileSync(file, 'utf8')) as { control: string }
  const response = await fetch(`http://127.0.0.1:${port}/control/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'parley-control': control },
    body: JSON.stringify({ name: `Other ${port}`, balance: 10 }),
  })
  const text = await response.text()
  if (response.status !== 201) throw new Error(`The account was answered ${response.status}: ${text}`)
  return { authorization: `Bearer ${(JSON.parse(text) as { token: string }).token}` }
}

/** Starts a server on loopback that answers if `hears` returns true, and hangs otherwise. */
async function receiver(hears: (body: string) => boolean): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((received, response) => {
    let body = ''
    received.on('data', (chunk: Buffer) => {
      body += String(chunk)
    })
    received.on('end', () => {
      if (hears(body)) response.end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server }
}

/** Measures the time from a call of a webhook until its step arrives, while the receiver of another account hangs. */
async function hangingReceiver(port: number, busy: Headers, quiet: Headers): Promise<Figure[]> {
  const arrivals = new Map<string, number>()
  let hangs = false
  const hanging = await receiver(() => !hangs)
  const answering = await receiver((body) => Boolean(arrivals.set(body, performance.now())))
  try {
    const busyPath = await create(port, busy, 'Hanging', [http('POST', hanging.url)], confirmed)
    const send = http('POST', answering.url, { body_type: 'json', body: { n: "{{trigger['body']['n']}}" } })
    const quietPath = await create(port, quiet, 'Quiet', [send], confirmed)
    hangs = true
    const agent = new Agent({ keepAlive: true })
    let serial = 0
    let refused = 0
    const calls = async (): Promise<number[]> => {
      const delays: number[] = []
      for (let n = 0; n < quietCalls; n++) {
        const key = `call ${++serial}`
        const since = performance.now()
        const status = await ask(port, 'POST', quietPath, {}, agent, JSON.stringify({ n: key }))
        if (status < 200 || status > 299) refused++
        const found = (): number | undefined => [...arrivals].find(([body]) => body.includes(`"${key}"`))?.[1]
        while (found() === undefined && performance.now() - since < 10_000) await sleep(1)
        delays.push((found() ?? since + 10_000) - since)
        await sleep(pauseMs)
      }
      return delays
    }
    // A warm-up, then a measurement without load.
    await calls()
    const alone = await calls()
    const burst = inOwnProcess({
      port,
      connections: 50,
      ms: 30_000,
      limit: hangingCalls,
      request: onTheWire({ what: 'hanging', method: 'POST', path: busyPath, headers: {}, body: '{}' }),
    })
    const underLoad = await calls()
    const { requests } = await burst
    if (requests !== hangingCalls) throw new Error(`Only ${requests} calls of the hanging webhook were answered.`)
    agent.destroy()
    return [
      { section, what: 'start of a step, alone', value: median(alone), unit: 'ms' },
      {
        section,
        what: `start of a step, beside ${hangingCalls} that hang`,
        value: median(underLoad),
        unit: 'ms',
        spread: [quantile(underLoad, 0.25), quantile(underLoad, 0.75)],
        budget: limit(250),
      },
      { section, what: '  slowest', value: Math.max(...underLoad), unit: 'ms', budget: limit(1000) },
      { section, what: '  refused calls', value: refused, unit: 'x', budget: limit(0) },
    ]
  } finally {
    for (const { server } of [hanging, answering]) {
      server.closeAllConnections()
      server.close()
    }
  }
}

/** Measures the answers of a webhook with a step of code, alone and while code of another account runs until its limit. */
async function burningCode(port: number, busy: Headers, quiet: Headers): Promise<Figure[]> {
  const burningPath = await create(port, busy, 'Burning', [
    code('(() => { while (inputs.burns === true); })()', { burns: "{{trigger['body']['burns']}}" }),
  ])
  const greet = [code('({ text: "Hello " + inputs.name })', { name: "{{trigger['body']['name']}}" }), respond({})]
  const quietPath = await create(port, quiet, 'Quiet', greet)
  const agent = new Agent({ keepAlive: true })
  const answers = async (): Promise<number[]> => {
    const times: number[] = []
    for (let n = 0; n < quietCalls; n++) {
      const since = performance.now()
      const status = await ask(port, 'POST', `${quietPath}/sync`, {}, agent, '{"name":"Ada"}')
      if (status !== 200) throw new Error(`The webhook of the other account was answered ${status}.`)
      times.push(performance.now() - since)
      await sleep(pauseMs)
    }
    return times
  }
  await answers()
  const alone = await answers()
  for (let n = 0; n < burningCalls; n++) await ask(port, 'POST', burningPath, {}, agent, '{"burns":true}')
  const underLoad = await answers()
  agent.destroy()
  return [
    { section, what: 'webhook with code, alone', value: median(alone), unit: 'ms' },
    {
      section,
      what: `webhook with code, beside ${burningCalls} runs whose code never ends`,
      value: median(underLoad) / median(alone),
      unit: 'x',
      spread: [quantile(underLoad, 0.25) / median(alone), quantile(underLoad, 0.75) / median(alone)],
      budget: limit(3),
    },
    { section, what: '  slowest', value: Math.max(...underLoad), unit: 'ms' },
  ]
}

/** Measures the answers to one connection of an account, alone and beside many connections of another, in turns. */
async function manyConnections(
  port: number,
  busy: Headers,
  quiet: Headers,
  limits: string,
  rounds: number,
  roundMs: number,
): Promise<Figure[]> {
  const path = '/api/user/tools?page=1'
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const answers = async (): Promise<number[]> => {
    const times: number[] = []
    for (const end = performance.now() + roundMs; performance.now() < end; ) {
      const since = performance.now()
      const status = await ask(port, 'GET', path, quiet, agent)
      if (status === 200) times.push(performance.now() - since)
      else throw new Error(`The other account was answered ${status}.`)
      // Below the rate limit of an account.
      await sleep(20)
    }
    return times
  }
  await answers()
  const [alone, underLoad]: [number[], number[]] = [[], []]
  let served = 0
  for (let round = 0; round < rounds; round++) {
    alone.push(...(await answers()))
    const load = inOwnProcess({
      port,
      connections: busyConnections,
      ms: roundMs + 500,
      request: onTheWire({ what: 'busy', method: 'GET', path, headers: busy }),
    })
    await sleep(500)
    underLoad.push(...(await answers()))
    served += (await load).requests
  }
  agent.destroy()
  return [
    { section, what: `GET tools, alone, ${limits}`, value: median(alone), unit: 'ms' },
    {
      section,
      what: `GET tools, beside ${busyConnections} connections, ${limits}`,
      value: median(underLoad) / median(alone),
      unit: 'x',
      spread: [quantile(underLoad, 0.25) / median(alone), quantile(underLoad, 0.75) / median(alone)],
      budget: limit(3),
    },
    {
      section,
      what: `  answers to the others, ${limits}`,
      value: served / ((rounds * (roundMs + 500)) / 1000),
      unit: '/s',
    },
  ]
}

/**
 * Measures reads, writes and a webhook with code of an account, alone and beside another one that does all it can at once: its
 * receiver hangs, its code never ends, and of its many connections one half reads and the other half writes.
 */
async function everythingAtOnce(port: number, busy: Headers, quiet: Headers, database: string): Promise<Figure[]> {
  let hangs = false
  const hanging = await receiver(() => !hangs)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    const [ownTool, theirTool] = [await createTool(port, quiet), await createTool(port, busy)]
    const greet = [code('({ text: "Hello " + inputs.name })', { name: "{{trigger['body']['name']}}" }), respond({})]
    const quietPath = await create(port, quiet, 'Greeting', greet)
    const hangingPath = await create(port, busy, 'All hang', [http('POST', hanging.url)], confirmed)
    const burningPath = await create(port, busy, 'All burn', [
      code('(() => { while (inputs.burns === true); })()', { burns: "{{trigger['body']['burns']}}" }),
    ])
    hangs = true
    const works: Readonly<Record<string, () => Promise<number>>> = {
      'GET tools': () => ask(port, 'GET', '/api/user/tools?page=1', quiet, agent),
      'PUT one tool': () => ask(port, 'PUT', ownTool, quiet, agent, '{"description":"Looks up an order."}'),
      'webhook with code': () => ask(port, 'POST', `${quietPath}/sync`, {}, agent, '{"name":"Ada"}'),
    }
    /** Does each work in turn until `isOver`. Returns the milliseconds of each. */
    const answers = async (isOver: (calls: number) => boolean): Promise<Record<string, number[]>> => {
      const times: Record<string, number[]> = Object.fromEntries(Object.keys(works).map((what) => [what, []]))
      for (let n = 0; !isOver(n); n++)
        for (const [what, work] of Object.entries(works)) {
          const since = performance.now()
          const status = await work()
          if (status !== 200) throw new Error(`${what} of the other account was answered ${status}.`)
          times[what]?.push(performance.now() - since)
          await sleep(pauseMs / 2)
        }
      return times
    }
    const enough = (calls: number): boolean => calls >= quietCalls
    await answers(enough)
    const alone = await answers(enough)
    const { requests: calls } = await inOwnProcess({
      ...{ port, connections: busyConnections / 4, ms: 2 * allMs, limit: hangingCalls },
      request: onTheWire({ what: 'hanging', method: 'POST', path: hangingPath, headers: {}, body: '{}' }),
    })
    if (calls !== hangingCalls) throw new Error(`Only ${calls} calls of the hanging webhook were answered.`)
    for (let n = 0; n < burningCalls; n++) await ask(port, 'POST', burningPath, {}, agent, '{"burns":true}')
    const connected = inOwnProcess({
      ...{ port, connections: busyConnections, ms: allMs },
      request: [
        { what: 'busy', method: 'GET', path: '/api/user/tools?page=1', headers: busy },
        { what: 'busy', method: 'PUT', path: theirTool, headers: busy, body: '{"description":"Looks up another."}' },
      ].map(onTheWire),
    })
    let isOver = false
    void connected.then(() => {
      isOver = true
    })
    await sleep(1000)
    const underLoad = await answers(() => isOver)
    const { requests } = await connected
    return Object.keys(works)
      .flatMap((what): Figure[] => {
        const [before, during] = [alone[what] ?? [], underLoad[what] ?? []]
        const factor = (at: number): number => quantile(during, at) / median(before)
        return [
          { section, what: `${what}, alone, ${database}`, value: median(before), unit: 'ms' },
          {
            section,
            what: `${what}, beside all of it at once, ${database}`,
            value: factor(0.5),
            unit: 'x',
            spread: [factor(0.25), factor(0.75)],
            budget: limit(3),
          },
        ]
      })
      .concat({ section, what: `  answers to the others, ${database}`, value: requests / (allMs / 1000), unit: '/s' })
  } finally {
    agent.destroy()
    hanging.server.closeAllConnections()
    hanging.server.close()
  }
}

/** Creates a tool of an account and returns its path. */
async function createTool(port: number, headers: Headers): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/api/user/tools`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ name: 'look_up', description: 'Looks up an order.', method: 'GET' },
      endpoint: 'https://crm.example/orders',
    }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`The tool was answered ${response.status}: ${text}`)
  const made = JSON.parse(text) as { id?: number; data?: { id: number } }
  return `/api/user/tools/${made.id ?? made.data?.id}`
}

/** Sends a request and returns the status of the answer. */
function ask(port: number, method: string, path: string, headers: Headers, agent: Agent, body = ''): Promise<number> {
  return new Promise((resolve, reject) => {
    const length = Buffer.byteLength(body)
    const sent = request(
      {
        ...{ host: '127.0.0.1', port, method, path, agent },
        headers: { ...headers, ...(length > 0 && { 'content-type': 'application/json', 'content-length': length }) },
      },
      (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode ?? 0))
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}
