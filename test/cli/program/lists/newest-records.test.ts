import { describe, expect, test } from 'vitest'
import type { PlainRequest, PlainResponse } from '../../../../src/contract/endpoint/http-message.ts'
import { operator } from '../../../support/operator.ts'

const answer = (data: readonly object[]): PlainResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ data }),
})

const delivery = (id: number): object => ({
  id,
  account_id: 1,
  message_id: `msg_${id}`,
  event: 'post_call',
  assistant_id: 1,
  sender_id: null,
  url: 'https://hooks.example',
  status: id === 1 ? 'failed' : 'delivered',
  attempts: 1,
  attempts_left: 0,
  next_attempt_at: null,
  last_status: 200,
  last_error: null,
  created_at: '2026-08-04T12:00:00.000000Z',
  finished_at: null,
})

const loggedRequest = (id: number): object => ({
  id,
  at: '2026-08-04T12:00:00.000Z',
  method: 'GET',
  path: id === 3 ? '/rare' : '/api/user/tools',
  status: 200,
  ms: 1,
  headers: {},
  body: null,
  answer: '',
})

/** A log of `total` records, of which one response has at most 1000. */
const logOf =
  (path: string, total: number, record: (id: number) => object) =>
  async (handle: (request: PlainRequest) => Promise<PlainResponse>, request: PlainRequest): Promise<PlainResponse> => {
    const url = new URL(request.url, 'http://localhost')
    if (url.pathname !== path) return handle(request)
    const limit = Number(url.searchParams.get('limit') ?? 50)
    const ids = Array.from({ length: total }, (_, at) => at + 1)
    const after = url.searchParams.get('after')
    const chosen = after === null ? ids.slice(-limit) : ids.filter((id) => id > Number(after)).slice(0, limit)
    return answer(chosen.map(record))
  }

describe('server requests', () => {
  const through = logOf('/control/requests', 2300, loggedRequest)

  test('searches all requests with --filter, and lists all with --all', async () => {
    const { json, run } = operator()
    expect(await json('server requests --filter path=/rare', { through })).toMatchObject([{ id: 3 }])
    const all = await json('server requests --all', { through })
    expect([all.length, all[0].id, all.at(-1).id]).toEqual([2300, 1, 2300])
    const curl = await run('server requests --all --curl', { through })
    expect(curl.stdout.trim().split('\n')).toHaveLength(2300)
  })

  test('lists the newest without them', async () => {
    expect(
      (await operator().json('server requests --limit 2', { through })).map((it: { id: number }) => it.id),
    ).toEqual([2299, 2300])
  })
})

describe('server deliveries list', () => {
  const cut = 'Only the newest 1000 deliveries were read. To reach older ones, narrow the list with'

  test.each(['--filter attempts>5', '--sort status', '--all'])(
    '%s says that it read only the newest',
    async (flags) => {
      const through = logOf('/control/deliveries', 2300, delivery)
      const { exitCode, stderr } = await operator().run(`server deliveries list ${flags}`, { through })
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringContaining(cut) })
    },
  )

  test.each([
    ['--filter attempts>5', 999],
    ['--limit 1000', 2300],
    ['', 2300],
  ])('%s of %d deliveries says nothing', async (flags, total) => {
    const through = logOf('/control/deliveries', total, delivery)
    const { exitCode, stderr } = await operator().run(`server deliveries list ${flags}`, { through })
    expect(exitCode).toBe(0)
    expect(stderr).not.toContain(cut)
  })
})
