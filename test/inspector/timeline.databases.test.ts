import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { databases } from '../support/databases.ts'
import { fresh, tablesOf } from '../support/platform/test-platforms.ts'

describe.each(databases)('on $name', (database) => {
  test('the timeline has entries of every kind, newest first, in pages without gaps', async () => {
    const api = await fresh(database, { seed: 7 })
    const ask = control(api)
    const all = await ask('/control/timeline?limit=1000')
    expect(new Set(all.data.map((it: Entry) => it.kind))).toEqual(
      new Set(
        ['event', 'message', 'call', 'ledger', 'run', 'delivery'].filter((kind) =>
          all.data.some((it: Entry) => it.kind === kind),
        ),
      ),
    )
    expect(all.data.length).toBeGreaterThan(20)
    const times = all.data.map((it: Entry) => Date.parse(it.at))
    expect(times).toEqual([...times].sort((a: number, b: number) => b - a))
    // Sample calls and their charges have the same time.
    expect(new Set(times).size).toBeLessThan(times.length)
    const paged: Entry[] = []
    for (let next: string | null = ''; next !== null; ) {
      const page: { data: Entry[]; next: string | null } = await ask(
        `/control/timeline?limit=7${next && `&before=${next}`}`,
      )
      paged.push(...page.data)
      next = page.next
    }
    expect(paged.map((it) => it.id)).toEqual(all.data.map((it: Entry) => it.id))
  })

  test('a page continues after the previous one when new entries were added', async () => {
    const api = await fresh(database, { seed: 7 })
    const ask = control(api)
    const whole = await ask('/control/timeline?limit=1000')
    const first = await ask('/control/timeline?limit=5')
    await ask('/control/simulate/call', { direction: 'inbound', assistant: 1, phone_number: '+14155550142' })
    const second = await ask(`/control/timeline?limit=5&before=${first.next}`)
    expect([...first.data, ...second.data].map((it) => it.id)).toEqual(
      whole.data.slice(0, 10).map((it: Entry) => it.id),
    )
  })

  test('the timeline is searched without regard to case, and % and _ are ordinary', async () => {
    const api = await fresh(database, { seed: 7 })
    const ask = control(api)
    const { data } = await ask('/control/timeline?kinds=message&limit=1')
    const word = (data[0].text as string).split(' ').find((it) => it.length > 4) as string
    const found = await ask(`/control/timeline?search=${encodeURIComponent(word.toUpperCase())}&kinds=message`)
    expect(found.data.map((it: Entry) => it.id)).toContain(data[0].id)
    expect((await ask('/control/timeline?search=%25_%25_zz')).data).toEqual([])
    expect((await ask('/control/timeline?kinds=nothing')).data).toEqual([])
    expect(
      (await ask('/control/timeline?kinds=call&status=completed')).data.every((it: Entry) => it.status === 'completed'),
    ).toBe(true)
    expect((await ask('/control/timeline?account=1&kinds=ledger')).data.every((it: Entry) => it.account === 1)).toBe(
      true,
    )
  })

  test('a search among many entries ends its page early, and is continued until it has found everything', async () => {
    const api = await fresh(database, { seed: 7 })
    const ask = control(api)
    const tables = await tablesOf(api.place)
    const count = 11_000
    await tables.write('everything', async (query) => {
      const [{ max } = { max: 0 }] = (
        await sql<{ max: number }>`select max(created_at) as max from outbox`.execute(query)
      ).rows
      const payloadOf = (n: number): string => JSON.stringify({ text: n % 4000 === 1 ? `needle ${n}` : 'hay' })
      for (let first = 1; first <= count; first += 1000)
        await query
          .insertInto('outbox')
          .values(
            Array.from({ length: 1000 }, (_, n) => ({
              account_id: 1,
              kind: 'call.ended',
              subject: '1',
              payload: payloadOf(first + n),
              created_at: Number(max ?? 0) + first + n,
              handled_at: 1,
            })),
          )
          .execute()
    })
    const pages: string[][] = []
    for (let next: string | null = ''; next !== null; ) {
      const page: { data: (Entry & { text: string })[]; next: string | null } = await ask(
        `/control/timeline?account=1&search=needle${next && `&before=${next}`}`,
      )
      pages.push(page.data.map((it) => it.text))
      next = page.next
    }
    expect(pages.flat()).toEqual([8001, 4001, 1].map((n) => `text: needle ${n}`))
    // 5 000 entries of a kind for each.
    expect(pages.length).toBe(3)
    const failed = await ask('/control/timeline?account=1&status=failed&kinds=event')
    expect(failed).toEqual({ data: [], next: null })
  })

  test('entries are words: who wrote, amounts with their unit, and the fields of events', async () => {
    const api = await fresh(database, { seed: 7 })
    const ask = control(api)
    await ask('/control/simulate/call', { direction: 'inbound', assistant: 1, phone_number: '+14155550142' })
    const of = async (kind: string) =>
      (await ask(`/control/timeline?kinds=${kind}&limit=100`)).data as (Entry & { title: string; text: string })[]
    expect(new Set((await of('message')).map((it) => it.title))).toEqual(new Set(['customer', 'assistant']))
    for (const entry of await of('ledger')) expect(entry.title).toMatch(/^[a-z ]+ -?\d+\.\d\d USD$/)
    expect((await of('call'))[0]?.title).toBe('inbound call')
    expect((await of('delivery'))[0]?.title).toBe('post call')
    const found = await api.ask('GET', '/api/user/phone-numbers/search')
    const { phone_number } = found.body.data[0]
    const bought = await api.ask('POST', '/api/user/phone-numbers/purchase', { body: { phone_number } })
    expect(bought.status).toBe(201)
    expect((await of('event'))[0]).toMatchObject({
      title: 'number.purchased',
      text: expect.stringContaining(`phone number: ${phone_number}`),
    })
    await api.ask('DELETE', `/api/user/phone-numbers/${bought.body.data.id}`)
    expect((await ask('/control/due')).data).toContainEqual(
      expect.objectContaining({ kind: 'release', text: `release of ${phone_number}` }),
    )
  })

  test('a wrong cursor is refused', async () => {
    const api = await fresh(database, { seed: 7 })
    expect((await api.platform.handle(request(api, '/control/timeline?before=x'))).status).toBe(422)
  })

  test('the jobs ahead are listed in order', async () => {
    const ask = control(await fresh(database, { seed: 7 }))
    const { data } = await ask('/control/due')
    expect(data.length).toBeGreaterThan(0)
    const times = data.map((it: { due_at: string }) => it.due_at)
    expect(times).toEqual([...times].sort())
    const first = await ask('/control/due?limit=1')
    expect({ data: first.data, next: first.next }).toEqual({ data: data.slice(0, 1), next: data[1]?.due_at ?? null })
  })

  test('the overview counts a day, and shows charges and the month', async () => {
    const ask = control(await fresh(database, { seed: 7 }))
    const overview = await ask('/control/overview?account=1')
    expect(Object.keys(overview.counts)).toEqual(['requests', 'messages', 'calls', 'runs', 'deliveries', 'failed'])
    for (const { total, hourly } of Object.values<{ total: number; hourly: number[] }>(overview.counts)) {
      expect(hourly).toHaveLength(24)
      expect(hourly.reduce((sum, it) => sum + it, 0)).toBe(total)
    }
    expect(overview.next_charges[0]).toMatchObject({
      amount: expect.any(Number),
      text: expect.stringMatching(/^\+\d+$/),
      subject: { noun: 'number', id: expect.stringMatching(/^\d+$/) },
    })
    expect(overview.attention).toEqual([])
    await ask('/control/faults', { endpoint: 'tools.list', status: 500 })
    await ask('/control/clock/freeze', {})
    expect((await ask('/control/overview')).attention.map((it: { code: string }) => it.code)).toEqual([
      'faults',
      'clock',
    ])
  })
})

interface Entry {
  readonly id: string
  readonly kind: string
  readonly at: string
  readonly account: number | null
  readonly status: string | null
  readonly text: string
}

type Api = Awaited<ReturnType<typeof fresh>>

const request = ({ platform }: Api, url: string, body?: object) => ({
  method: body ? 'POST' : 'GET',
  url,
  headers: { 'parley-control': platform.credentials().control, ...(body && { 'content-type': 'application/json' }) },
  ...(body && { body: JSON.stringify(body) }),
})

const control = (api: Api) => async (url: string, body?: object) => {
  const answer = await api.platform.handle(request(api, url, body))
  expect(answer.status, answer.body).toBeLessThan(300)
  return JSON.parse(answer.body)
}
