import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../../src/platform/store/database/open-store.ts'
import { code, delay, hook, respond } from '../support/flow-definitions.ts'
import { burst, figuresOf, inTurns, type Sent } from './alternating-rounds.ts'
import { type Answer, bareServer } from './bare-server.ts'
import { durableFloor, startDurableFloor } from './durable-server.ts'
import { type Figure, least, limit, median, quantile, ratio } from './measurements.ts'
import { freePort, type Home, keyOf, makeHome, program, type Running, startServer, timed } from './processes.ts'

const section = 'automations'

/** Body of the webhook requests. */
export const sample = { name: 'Ada', amount: 12, tags: ['new', 'web'] }
const compare = (firstValue: string, operator: string, secondValue: string) => ({
  type: 'BRANCH',
  displayName: 'Compare',
  settings: { conditions: [[{ firstValue, operator, secondValue }]] },
})
const greet = respond({ text: "Hello {{trigger['body']['name']}}", total: "{{trigger['body']['amount']}}" })

/**
 * Webhook, two text templates over its input, a comparison of numbers, a response: four steps, each with its own
 * commit.
 */
export const plain = [
  compare("{{trigger['body']['name']}} {{trigger['body']['tags'][0]}}", 'TEXT_CONTAINS', 'ada'),
  compare("{{trigger['method']}}:{{trigger['body']['tags']}}", 'TEXT_START_WITH', 'POST'),
  compare("{{trigger['body']['amount']}}", 'NUMBER_IS_GREATER_THAN', '10'),
  greet,
]
/** The same steps with code in place of the first. */
const coded = [
  code('({ full: inputs.name + inputs.tags.length })', {
    name: "{{trigger['body']['name']}}",
    tags: "{{trigger['body']['tags']}}",
  }),
  ...plain.slice(1),
]

/** Seconds within which the waiting runs are started. */
const startedWithin = 6
/** Seconds for which runs wait: longer than it takes to start all of them. */
const parkedFor = 20

/**
 * Measures webhook responses against the floor of any server, with and without code; and the memory and lateness of
 * waiting runs.
 */
export async function automations(rounds: number, roundMs: number, parked: number): Promise<readonly Figure[]> {
  const home = makeHome()
  try {
    await timed([program, 'keys', 'list'], home.env)
    const port = await freePort()
    const headers = { authorization: `Bearer ${keyOf(home)}` }
    const options = { env: home.env, folder: home.folder, path: '/api/user/api-keys', headers }
    const platform = await startServer([program, 'server', 'start', '--port', String(port)], { ...options, port })
    const build = (name: string, steps: readonly object[]): Promise<string> => create(port, headers, name, steps)
    let figures: Figure[]
    try {
      figures = await throughput(
        home,
        platform,
        await build('Plain', plain),
        await build('Coded', coded),
        rounds,
        roundMs,
      )
      if (parked > 0)
        figures.push(
          ...(await waiting(
            platform,
            await build('Ended', plain),
            await build('Parked', [delay({ unit: 'seconds', delayFor: parkedFor }), greet]),
            parked,
          )),
        )
    } finally {
      await platform.stop()
    }
    return parked > 0 ? [...figures, ...(await lateness(home))] : figures
  } finally {
    home.remove()
  }
}

/** Creates an automation and returns the path of its webhook. */
export async function create(
  port: number,
  headers: Readonly<Record<string, string>>,
  name: string,
  steps: readonly object[],
  more: object = {},
): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/api/user/automate/flows`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ name, flow: { trigger: hook, steps }, sample, ...more }),
  })
  const text = await response.text()
  if (response.status !== 201) throw new Error(`The automation ${name} was answered ${response.status}: ${text}`)
  return new URL((JSON.parse(text) as { webhook_url: string }).webhook_url).pathname
}

const call = (what: string, path: string): Sent => ({
  what,
  method: 'POST',
  path,
  headers: {},
  body: JSON.stringify(sample),
})

async function throughput(
  home: Home,
  platform: Running,
  plainPath: string,
  codedPath: string,
  rounds: number,
  roundMs: number,
): Promise<Figure[]> {
  const answer = await answerOf(platform.port, `${plainPath}/sync`)
  const floor = await startDurableFloor(home, answer)
  const exchange = await startBareServer(home, answer).catch(async (error) => {
    await floor.stop()
    throw error
  })
  try {
    const [durable, bare, ours, withCode] = await inTurns(
      [
        { server: floor, sent: call('floor', '/') },
        { server: exchange, sent: call('bare node:http', '/') },
        { server: platform, sent: call('four steps', `${plainPath}/sync`) },
        { server: platform, sent: call('with code', `${codedPath}/sync`) },
      ],
      rounds,
      roundMs,
    )
    if (!durable || !bare || !ours || !withCode) throw new Error('No rounds were run.')
    return [
      ...figuresOf(section, 'webhook to answer, four steps', durableFloor, [ours, durable], least(0.25)),
      { section, what: '  / bare node:http', ...ratio(ours.perSecond, bare.perSecond) },
      { section, what: '  requests a second, bare node:http', value: median(bare.perSecond), unit: '/s' },
      { section, what: '  CPU time of a request, bare node:http', value: median(bare.cpuUs), unit: 'us' },
      {
        section,
        what: 'one of them code / four steps',
        ...ratio(withCode.perSecond, ours.perSecond),
        budget: least(0.5),
      },
      { section, what: '  requests a second', value: median(withCode.perSecond), unit: '/s' },
    ]
  } finally {
    await floor.stop()
    await exchange.stop()
  }
}

/** Returns the answer of the platform, which the floors repeat. */
async function answerOf(ours: number, path: string): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${ours}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(sample),
  })
  const body = await response.text()
  if (response.status !== 200) throw new Error(`The webhook answered ${response.status}: ${body}`)
  const saved = ['content-type', 'content-length'].flatMap((name) =>
    response.headers.has(name) ? [[name, String(response.headers.get(name))]] : [],
  )
  return { status: 200, headers: Object.fromEntries(saved), body }
}

async function startBareServer(home: Home, answer: Answer): Promise<Running> {
  const port = await freePort()
  const env = { ...home.env, BARE: JSON.stringify({ ...answer, port }) }
  return startServer(['-e', bareServer], { env, folder: home.folder, port, path: '/', headers: {} })
}

/**
 * Measures the memory of waiting runs, relative to the same number of finished runs, so that the memory of a busy
 * process is in both.
 */
async function waiting(platform: Running, ended: string, parked: string, count: number): Promise<Figure[]> {
  const settled = async (path: string): Promise<number> => {
    await burst(platform, call('parked', path), count, count / startedWithin)
    await sleep(3000)
    return (await platform.usage()).rssMb
  }
  const [before, after] = [await settled(ended), await settled(parked)]
  // Waits until all of them have continued and ended.
  await sleep((parkedFor + 2) * 1000)
  return [
    {
      section,
      what: `memory of ${count} runs that wait`,
      value: Math.max(0, after - before),
      unit: 'MB',
      budget: limit(20),
    },
  ]
}

/** Measures from the rows how late each waiting run continued. */
async function lateness(home: Home): Promise<Figure[]> {
  const store = await openStore({ file: join(home.env.PARLEY_DATA_DIR ?? '', 'platform.db') })
  try {
    const waits = await store.read
      .selectFrom('automation_wait')
      .innerJoin('automation_run', 'automation_run.number', 'automation_wait.run')
      .select(['until', 'resumed_at'])
      .where('until', 'is not', null)
      // The test run that pauses before the automation is published is never resumed.
      .where('testing', '=', 0)
      .execute()
    const late = waits.map(({ until, resumed_at }) =>
      resumed_at === null ? Number.POSITIVE_INFINITY : (resumed_at - Number(until)) / 1000,
    )
    const last = Math.max(...late)
    return [
      {
        section,
        what: '  mean time that they resumed late',
        value: late.reduce((sum, it) => sum + it, 0) / late.length,
        unit: 'ms',
        spread: [quantile(late, 0.5), quantile(late, 0.99)],
        budget: limit(100),
      },
      { section, what: '  the last of them', value: last, unit: 'ms', budget: limit(500) },
    ]
  } finally {
    await store.close()
  }
}
