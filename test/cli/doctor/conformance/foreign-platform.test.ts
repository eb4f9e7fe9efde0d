import { describe, expect, test } from 'vitest'
import type { ConformanceResult } from '../../../../src/cli/doctor/conformance/conformance-report.ts'
import { TransportError } from '../../../../src/client/transport/transport.ts'
import { operator } from '../../../support/operator.ts'
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
    const by = operator({ supports: 'neutral', clock: 'real' })
    const lists = ['tools list', 'folders list', 'campaigns list', 'assistants list', 'numbers list', 'automate list']
    const before = await Promise.all(lists.map((it) => by.json(it)))
    const balance = (await by.json('whoami')).total_balance
    const ran = await by.run('doctor --conformance --json --writes', foreign())
    const rows: readonly ConformanceResult[] = JSON.parse(ran.stdout)
    expect(differing(rows)).toEqual([])
    expect(ran.exitCode, ran.stderr).toBe(0)
    expect(rows.find((it) => it.endpoint === 'numbers.buy' && it.status === 'not_checked')?.note).toContain('--budget')
    expect(await Promise.all(lists.map((it) => by.json(it)))).toEqual(before)
    expect((await by.json('whoami')).total_balance).toBe(balance)
  })

  test('is checked completely with --writes and --budget, and the total is shown', async () => {
    const by = operator({ supports: 'neutral', clock: 'real' })
    const ran = await by.run('doctor --conformance --json --writes --budget 20', foreign())
    const rows: readonly ConformanceResult[] = JSON.parse(ran.stdout)
    expect(differing(rows)).toEqual([])
    expect(ran.stderr).toMatch(/Maximum cost of the writes: \d+\.\d+ USD of --budget 20\.00 USD/)
    expect(rows).toContainEqual(
      expect.objectContaining({ endpoint: 'messaging.send', case: 'rate_limit', status: 'same' }),
    )
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
  test.each(Object.entries(visibleToReads))('are found by reads alone: %s', async (_, planted) => {
    const ran = await operator({ supports: 'neutral' }).run('doctor --conformance --json', foreign(planted))
    expect(ran, ran.stderr).toMatchObject({ exitCode: 20 })
    expect(found(JSON.parse(ran.stdout), planted)).toEqual(expected(planted))
  })

  test.each(Object.entries(visibleToWrites))('are found by writes: %s', async (_, planted) => {
    const by = operator({ supports: 'neutral', clock: 'real' })
    const ran = await by.run('doctor --conformance --json --writes --budget 20', foreign(planted))
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
  const by = operator({ supports: 'neutral', clock: 'real' })
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

test.each(['--protected', '--read-only'])('--writes is refused with a profile that is %s', async (flag) => {
  const by = operator({ supports: 'neutral' })
  await by.run(`profile set careful --url embedded: ${flag} --api-key-stdin`, { stdin: localKey })
  const ran = await by.run('doctor --conformance --writes --budget 5 --profile careful', foreign())
  expect(ran).toMatchObject({ exitCode: 2, stdout: '', requests: [] })
  expect(ran.stderr).toContain('--writes is refused: profile "careful" is')
})
