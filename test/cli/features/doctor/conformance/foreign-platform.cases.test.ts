import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import { describe, expect, test } from 'vitest'
import type { ConformanceResult } from '../../../../../src/cli/features/doctor/conformance/conformance-report.ts'
import { TransportError } from '../../../../../src/client/transport/transport.ts'
import type { PlainRequest } from '../../../../../src/contract/endpoint/http-message.ts'
import { everyNth, runsAll } from '../../../../support/case-count.ts'
import { afterFile } from '../../../../support/cleanup.ts'
import { type Operator, operator } from '../../../../support/operator.ts'
import type { Planted } from './drifting-platform.ts'
import { visibleToReads, visibleToWrites } from './foreign-drifts.ts'
import { foreign } from './foreign-platform.ts'
import { localKey } from './run-conformance.ts'

const differing = (rows: readonly ConformanceResult[]): readonly ConformanceResult[] =>
  rows.filter((it) => it.status === 'drift' || it.status === 'tolerated')

describe('another platform than a Parley server', () => {
  test('is only read, and every write is not checked with the reason', async () => {
    const ran = await operator({ supports: 'neutral' }).run('doctor --conformance --json', foreign())
    const rows: readonly ConformanceResult[] = JSON.parse(ran.stdout)
    expect(differing(rows)).toEqual([])
    expect(ran.exitCode, ran.stderr).toBe(0)
    expect(ran.requests.filter((it) => !it.startsWith('GET '))).toEqual([])
    expect(rows.find((it) => it.endpoint === 'tools.create')).toMatchObject({
      status: 'not_checked',
      note: expect.stringContaining('--writes'),
    })
  })

  test('is written to with --writes, without what costs money, and keeps nothing of the check', async () => {
    const by = operator({ supports: 'neutral', clock: 'real', reachesLoopback: true })
    const lists = [
      'tools list',
      'folders list',
      'campaigns list',
      'assistants list',
      'numbers list',
      'automate list',
      'calls list --all',
    ]
    // Renewals that are due change numbers and the balance.
    await by.json('folders create --name Before')
    const before = await Promise.all(lists.map((it) => by.json(it)))
    const balance = (await by.json('whoami')).total_balance
    const ran = await by.run('doctor --conformance --json --writes', foreign([], by))
    const rows: readonly ConformanceResult[] = JSON.parse(ran.stdout)
    expect(differing(rows)).toEqual([])
    expect(ran.exitCode, ran.stderr).toBe(0)
    expect(rows.find((it) => it.endpoint === 'numbers.buy' && it.status === 'not_checked')?.note).toContain('--budget')
    const noteOf = (endpoint: string) => rows.find((it) => it.endpoint === endpoint && it.case === 'deliveries')?.note
    expect(noteOf('assistants.enablePostCallWebhook')).toMatch(/only after a call, and calls cost money.*--budget/)
    expect(noteOf('messaging.send')).toContain('set in the app of the platform')
    expect(await Promise.all(lists.map((it) => by.json(it)))).toEqual(before)
    expect((await by.json('whoami')).total_balance).toBe(balance)
  })

  test('is checked completely with --writes and --budget, and the total is shown', async () => {
    const by = operator({ supports: 'neutral', clock: 'real', reachesLoopback: true })
    const ran = await by.run('doctor --conformance --json --writes --budget 20', foreign([], by))
    const rows: readonly ConformanceResult[] = JSON.parse(ran.stdout)
    expect(differing(rows)).toEqual([])
    expect(ran.stderr).toMatch(/Maximum cost of the writes: \d+\.\d+ USD of --budget 20\.00 USD/)
    expect(rows).toContainEqual(
      expect.objectContaining({ endpoint: 'messaging.send', case: 'rate_limit', status: 'same' }),
    )
    for (const endpoint of [
      'assistants.enableConversationEndedWebhook',
      'assistants.disableConversationEndedWebhook',
      'assistants.enablePostCallWebhook',
    ])
      expect(rows).toContainEqual(expect.objectContaining({ endpoint, case: 'deliveries', status: 'same' }))
  })
})

/** Returns a free port of this machine. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/**
 * Starts a public address that forwards what it receives below /tunnel to a port of this machine, as a tunnel does; with
 * `isBroken` it answers itself. Returns its URL and the paths that it received.
 */
async function startTunnel(port: number, isBroken = false, host = '127.0.0.1') {
  const paths: string[] = []
  const tunnel = createServer(async (incoming, response) => {
    paths.push(incoming.url ?? '')
    if (isBroken) return void response.writeHead(502).end()
    const headers = { ...incoming.headers, host: 'hooks.example.com', 'x-forwarded-proto': 'https' }
    const path = incoming.url?.replace(/^\/tunnel/, '')
    const passed = request({ host: '127.0.0.1', port, path, method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.writeHead(502).end())
    incoming.pipe(passed)
  }).listen(0, host)
  await once(tunnel, 'listening')
  afterFile(() => {
    tunnel.closeAllConnections()
    tunnel.close()
  })
  return { url: `http://${host}:${(tunnel.address() as AddressInfo).port}/tunnel`, paths }
}

describe('a deployment that reaches this machine only through a tunnel', () => {
  const remote = () => operator({ supports: 'neutral', clock: 'real', reachesLoopback: true })
  const deliveriesOf = (stdout: string) =>
    (JSON.parse(stdout) as readonly ConformanceResult[]).filter((it) => /deliveries|signature/.test(it.case))

  test('delivers its webhooks through --receiver-url, and each delivery is checked', async () => {
    const by = remote()
    const port = await freePort()
    const tunnel = await startTunnel(port)
    const ran = await by.run(
      `doctor --conformance --json --writes --budget 20 --receiver-url ${tunnel.url}/ --receiver-port ${port}`,
      foreign([], by),
    )
    expect(ran.exitCode, ran.stderr).toBe(0)
    for (const endpoint of [
      'assistants.enableConversationEndedWebhook',
      'assistants.disableConversationEndedWebhook',
      'assistants.enablePostCallWebhook',
    ])
      expect(deliveriesOf(ran.stdout)).toContainEqual(
        expect.objectContaining({ endpoint, case: 'deliveries', status: 'same' }),
      )
    for (const path of ['ended', 'called'])
      expect(tunnel.paths.filter((it) => it.startsWith('/tunnel/') && it.endsWith(`/${path}`))).not.toEqual([])
  })

  test.runIf(runsAll)('is not said to differ when the tunnel does not reach the receiver', async () => {
    const by = remote()
    const port = await freePort()
    // Another address than loopback, if this machine has one: http is accepted, because no key is sent.
    const addresses = Object.values(networkInterfaces()).flatMap((it) => it ?? [])
    const host = addresses.find((it) => it.family === 'IPv4' && !it.internal)?.address
    const tunnel = await startTunnel(port, true, host)
    const ran = await by.run(
      `doctor --conformance --json --writes --receiver-url ${tunnel.url} --receiver-port ${port}`,
      foreign([], by),
    )
    expect(ran.exitCode, ran.stderr).toBe(0)
    expect(deliveriesOf(ran.stdout).find((it) => it.endpoint.includes('enableConversationEnded'))).toMatchObject({
      case: 'deliveries',
      status: 'not_checked',
      note: expect.stringContaining(`does not forward to port ${port}`),
    })
  })
})

const found = (rows: readonly ConformanceResult[], planted: readonly Planted[]): string[] =>
  planted.map(({ endpoint, name, shownBy = [] }) => {
    const seen = rows.filter((it) => [endpoint, ...shownBy].includes(it.endpoint)).map((it) => it.status)
    return `${endpoint}: ${name}: ${(['drift', 'tolerated', 'same'] as const).find((it) => seen.includes(it))}`
  })
const expected = (planted: readonly Planted[]): string[] =>
  planted.map(({ endpoint, name, tolerated }) => `${endpoint}: ${name}: ${tolerated ? 'tolerated' : 'drift'}`)

describe('drifts of another platform', () => {
  test.each(everyNth(4, Object.entries(visibleToReads)))('are found by reads alone: %s', async (_, planted) => {
    const ran = await operator({ supports: 'neutral' }).run('doctor --conformance --json', foreign(planted))
    expect(ran, ran.stderr).toMatchObject({ exitCode: 20 })
    expect(found(JSON.parse(ran.stdout), planted)).toEqual(expected(planted))
  })

  test.each(everyNth(2, Object.entries(visibleToWrites)))('are found by writes: %s', async (_, planted) => {
    const by = operator({ supports: 'neutral', clock: 'real', reachesLoopback: true })
    const ran = await by.run('doctor --conformance --json --writes --budget 20', foreign(planted, by))
    expect(ran, ran.stderr).toMatchObject({ exitCode: 20 })
    expect(found(JSON.parse(ran.stdout), planted)).toEqual(expected(planted))
  })
})

test('an endpoint that closes the connection is one difference, and the others are checked', async () => {
  const { through } = foreign()
  const ran = await operator({ supports: 'neutral' }).run('doctor --conformance --json --retries 0', {
    through: (handle, request) => {
      if (/\/api\/user\/tools($|\?)/.test(request.url)) throw new TransportError('reset', 'closed', true)
      return through(handle, request)
    },
  })
  const rows: readonly ConformanceResult[] = JSON.parse(ran.stdout)
  expect(differing(rows).map((it) => [it.endpoint, it.case])).toEqual([['tools.list', 'answer']])
  expect(rows.filter((it) => it.status === 'same').length).toBeGreaterThan(50)
})

test('Ctrl-C ends the check after the records that it created were deleted', async () => {
  const by = operator({ supports: 'neutral', clock: 'real', reachesLoopback: true })
  const lists = ['tools list', 'folders list', 'campaigns list', 'assistants list', 'automate list']
  const before = await Promise.all(lists.map((it) => by.json(it)))
  const interrupt = new AbortController()
  const { through } = foreign()
  const ran = await by.run('doctor --conformance --writes', {
    interrupt,
    through: async (handle, request) => {
      const response = await through(handle, request)
      // The answer to the last of these requests does not arrive.
      if (request.method === 'POST' && request.url.startsWith('/api/user/campaign')) interrupt.abort(130)
      return response
    },
  })
  expect(ran.exitCode).toBe(130)
  expect(ran.requests.filter((it) => it.startsWith('POST /api/user/tools'))).not.toEqual([])
  expect(await Promise.all(lists.map((it) => by.json(it)))).toEqual(before)
})

test('Ctrl-C on the local platform deletes the test account', async () => {
  const by = operator({ supports: 'neutral' })
  const before = await by.json('server accounts list')
  const interrupt = new AbortController()
  const ran = await by.run('doctor --conformance', {
    interrupt,
    through: async (handle, request) => {
      if (request.method === 'POST' && request.url.startsWith('/api/user/tools')) interrupt.abort(130)
      return handle(request)
    },
  })
  expect(ran.exitCode).toBe(130)
  expect(await by.json('server accounts list')).toEqual(before)
})

/** The closed connection of each request that `isLost` selects: the platform has carried it out. */
const losing = (by: Operator, isLost: (request: PlainRequest) => boolean): ReturnType<typeof foreign> => {
  const { through } = foreign([], by)
  return {
    async through(handle, request) {
      const response = await through(handle, request)
      if (isLost(request)) throw new TransportError('reset', 'closed', true)
      return response
    },
  }
}

test('records whose creation got no response are found by their names and deleted', async () => {
  const by = operator({ supports: 'neutral', clock: 'real', reachesLoopback: true })
  await by.json('folders create --name Before')
  const lists = ['tools', 'folders', 'labels', 'campaigns', 'assistants', 'knowledge', 'automate', 'keys']
  const idsOf = (): Promise<unknown> =>
    Promise.all(lists.map(async (it) => (await by.json(`${it} list`)).map((row: { id: unknown }) => row.id)))
  const numbers: readonly { id: number }[] = await by.json('numbers list')
  const before = await idsOf()
  const isCreation = ({ method, url }: PlainRequest): boolean =>
    method === 'POST' && !/\/(conversations|messages|messaging|calls?|make_call|stop|send|update-status)/.test(url)
  const ran = await by.run('doctor --conformance --json --retries 0 --writes --budget 20', losing(by, isCreation))
  expect(ran.exitCode, ran.stderr).toBe(20)
  expect(ran.requests.filter((it) => it.startsWith('POST ')).length).toBeGreaterThan(5)
  expect(await idsOf()).toEqual(before)
  // A released number is listed until the end of its month.
  const bought = (await by.json('numbers list')).filter((it: { id: number }) => !numbers.some(({ id }) => id === it.id))
  expect(bought).toEqual([expect.objectContaining({ type: 'normal', renews_at: null })])
})

test.runIf(runsAll)(
  'a connection that closes during the check of the rate limit is one difference, and the rest is checked',
  async () => {
    const by = operator({ supports: 'neutral', clock: 'real', reachesLoopback: true })
    let sent = 0
    const isLost = ({ method, url }: PlainRequest): boolean =>
      method === 'POST' && /\/messages\/send-template|messaging\/send$/.test(url) && ++sent > 6
    const ran = await by.run('doctor --conformance --json --retries 0 --writes --budget 20', losing(by, isLost))
    expect(ran.exitCode, ran.stderr).toBe(20)
    const rows: readonly ConformanceResult[] = JSON.parse(ran.stdout)
    expect(differing(rows).map((it) => [it.endpoint, it.case])).toEqual([['messaging.send', 'answer']])
    expect(rows.find((it) => it.endpoint === 'messaging.send' && it.case === 'rate_limit')).toMatchObject({
      status: 'not_checked',
    })
    expect(rows).toContainEqual(expect.objectContaining({ endpoint: 'tools.delete', case: 'answer', status: 'same' }))
  },
)

test.each(['--protected', '--read-only'])('--writes is refused with a profile that is %s', async (flag) => {
  const by = operator({ supports: 'neutral' })
  await by.run(`profile set careful --url embedded: ${flag} --api-key-stdin`, { stdin: localKey })
  const ran = await by.run('doctor --conformance --writes --budget 5 --profile careful', foreign())
  expect(ran).toMatchObject({ exitCode: 2, stdout: '', requests: [] })
  expect(ran.stderr).toContain('--writes is refused: profile "careful" is')
})
