import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { countWrongCounters, leadList } from '../../../../src/platform/store/counters/counted-lists.ts'
import type { Connection } from '../../../../src/platform/store/database/connection.ts'
import { databases } from '../../../support/databases.ts'
import type { Answered, TestAccount } from '../../../support/platform/platform-api.ts'
import { fresh, tablesOf } from '../../../support/platform/test-platforms.ts'

type Fields = Readonly<Record<string, unknown>>

/** Few numbers, so that rows repeat those of a batch and of a campaign; and invalid texts. */
const phones = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 100, max: 125 }).map((it) => `+14155550${it}`) },
  { weight: 1, arbitrary: fc.constantFrom('+1415', '4155550142', '+1 415 555 0142', '', 'Anna', '+999123456789') },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(14155550101, null, ['+14155550101'], {}) },
)
const variables = fc.oneof(
  { weight: 6, arbitrary: fc.dictionary(fc.constantFrom('first_name', 'day', 'n'), fc.jsonValue({ maxDepth: 2 })) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>('text', [], null, { note: 'x'.repeat(70_000) }, { 'a\0': '\0' }) },
)
const contacts = fc.oneof(
  fc.array(fc.record({ phone_number: phones, variables }, { requiredKeys: ['phone_number'] }), { maxLength: 3 }),
  fc.constantFrom<unknown>('none', [{}], null),
)
const row = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record(
      { phone_number: phones, variables, secondary_contacts: contacts, unknown_field: fc.constant(1) },
      { requiredKeys: [] },
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom<unknown>('row', 1, [], null) },
)

describe.each(databases)('many leads of one request on $name', (database) => {
  let api: Awaited<ReturnType<typeof fresh>>
  let tables: Connection
  let number: number
  let made = 0

  beforeAll(async () => {
    api = await fresh(database, { seed: 7, wall: () => Date.parse('2026-08-04T12:00:00Z') })
    tables = await tablesOf(api.place)
    number = (await api.buy('+15005550006')).body.data.id
  })

  /** Creates a campaign that calls, or one that writes, with a lead that both ways meet. */
  async function campaign(calls: boolean): Promise<number> {
    const target = calls ? { assistant_id: 1 } : { channel: 'sms', sms_from_phone_number_id: number, sms_body: 'Hello' }
    const { body } = await api.ask('POST', '/api/user/campaign', { body: { name: `Campaign ${++made}`, ...target } })
    const id: number = body.data.id
    await api.ask('POST', '/api/user/lead', { body: { campaign_id: id, phone_number: '+14155550100' } })
    return id
  }

  const batch = (body: Fields, by?: TestAccount | { key: string }, headers = {}): Promise<Answered> =>
    api.ask('POST', '/api/user/lead-batches', { ...by, body, headers })

  const keyWith = async (restrictions: Fields): Promise<string> =>
    (await api.ask('POST', '/api/user/api-keys', { body: { name: 'restricted', ...restrictions } })).body.api_key.token

  const leadsOf = async (id: number): Promise<Fields[]> =>
    (await api.ask('GET', `/api/user/leads?campaign_id=${id}&per_page=100`)).body.data

  /** Returns leads without what differs between two campaigns. */
  const comparable = (leads: readonly Fields[]): unknown[] =>
    leads.map(({ id: _, campaign_id: __, campaign: ___, secondary_contacts, ...lead }) => ({
      ...lead,
      secondary_contacts: (secondary_contacts as Fields[]).map(({ id: _, ...contact }) => contact),
    }))

  /** Returns how many rows the tables have that one lead does not add to, and the jobs. */
  async function others(): Promise<unknown> {
    const count = async (table: 'ledger' | 'outbox' | 'delivery'): Promise<number> =>
      Number(
        (
          await tables.read
            .selectFrom(table)
            .select((it) => it.fn.countAll().as('n'))
            .executeTakeFirst()
        )?.n,
      )
    const jobs = await tables.read.selectFrom('due').select(['kind']).orderBy('kind').execute()
    return { ledger: await count('ledger'), events: await count('outbox'), deliveries: await count('delivery'), jobs }
  }

  test('have the verdicts, rows, contacts and counts of one request for each', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { minLength: 1, maxLength: 30 }),
        fc.boolean(),
        fc.boolean(),
        async (rows, calls, allow_dupplicate) => {
          const [single, together] = [await campaign(calls), await campaign(calls)]
          const before = await others()
          const expected: unknown[] = []
          for (const own of rows) {
            const isObject = typeof own === 'object' && own !== null && !Array.isArray(own)
            const { status, body } = await api.ask('POST', '/api/user/lead', {
              // A text or a list cannot have a campaign, and is refused for that.
              body: isObject || own === null ? { ...own, campaign_id: single, allow_dupplicate } : own,
            })
            expected.push({ status, error: status === 200 ? null : body })
          }
          const { status, body } = await batch({ campaign_id: together, allow_dupplicate, leads: rows })
          expect(status).toBe(200)
          expect(body.results.map(({ id: _, ...result }: Fields) => result)).toEqual(expected)
          const leads = await leadsOf(together)
          expect(comparable(leads)).toEqual(comparable(await leadsOf(single)))
          const ids: number[] = body.results.flatMap(({ id }: { id: number | null }) => (id === null ? [] : [id]))
          expect(leads.slice(0, -1).map((it) => it.id)).toEqual(ids.toReversed())
          expect(await others()).toEqual(before)
        },
      ),
      { numRuns: 25 },
    )
    expect(await countWrongCounters(tables.read, leadList)).toBe(0)
  })

  test('are a request of at most 1000, with a campaign of the account', async () => {
    const phone = (n: number): string => `+1415${6_000_000 + n}`
    const leads = Array.from({ length: 1000 }, (_, n) => ({
      phone_number: phone(n),
      secondary_contacts: [1000, 2000].map((more) => ({ phone_number: phone(n + more) })),
    }))
    const id = await campaign(true)
    const { body } = await batch({ campaign_id: id, leads })
    expect([body.message, new Set(body.results.map((it: Fields) => it.id)).size]).toEqual([
      '1000 of 1000 leads created',
      1000,
    ])
    const contacts = (await leadsOf(id)).map(({ phone_number, secondary_contacts }) => [
      phone_number,
      (secondary_contacts as Fields[]).map((it) => it.phone_number),
    ])
    expect(contacts).toEqual(
      Array.from({ length: 100 }, (_, n) => [phone(999 - n), [phone(1999 - n), phone(2999 - n)]]),
    )
    const more = [...leads, { phone_number: '+14155550199' }]
    for (const [given, status] of [
      [{ campaign_id: id, leads: more }, 422],
      [{ campaign_id: id, leads: [] }, 422],
      [{ campaign_id: id }, 422],
      [{ campaign_id: 999_999, leads: more.slice(1000) }, 404],
    ] as const)
      expect((await batch(given)).status, JSON.stringify(given).slice(0, 80)).toBe(status)
    const other = await api.account()
    expect((await batch({ campaign_id: id, leads: more.slice(1000) }, other)).status).toBe(404)
  })

  test('are created once for an idempotency key', async () => {
    const id = await campaign(true)
    const body = { campaign_id: id, leads: [{ phone_number: '+14155550150' }, { phone_number: '+14155550100' }] }
    const key = { 'idempotency-key': `batch-${id}` }
    const first = await batch(body, undefined, key)
    const again = await batch(body, undefined, key)
    expect([again.body, again.headers['idempotent-replayed']]).toEqual([first.body, 'true'])
    expect((await batch({ ...body, leads: [] }, undefined, key)).status).not.toBe(200)
    expect(await leadsOf(id)).toHaveLength(2)
  })

  test('need a key that may add one to a campaign in progress, and are contacted at once', async () => {
    const id = await campaign(true)
    const writes = { key: await keyWith({ scope: 'write' }) }
    const reads = { key: await keyWith({ scope: 'read' }) }
    const elsewhere = { key: await keyWith({ scope: 'write', nouns: ['numbers'] }) }
    const body = (phone: string) => ({ campaign_id: id, leads: [{ phone_number: phone }] })
    expect((await batch(body('+14155550160'), writes)).status).toBe(200)
    expect((await batch(body('+14155550161'), reads)).status).toBe(403)
    expect((await batch(body('+14155550161'), elsewhere)).status).toBe(403)
    await api.ask('POST', '/api/user/campaigns/update-status', { body: { campaign_id: id, action: 'start' } })
    const single = await api.ask('POST', '/api/user/lead', {
      ...writes,
      body: { campaign_id: id, phone_number: '+14155550162' },
    })
    const refused = await batch(body('+14155550162'), writes)
    expect([refused.status, refused.body]).toEqual([403, single.body])
    expect((await batch(body('+14155550162'))).status).toBe(200)
    await api.control('POST', '/control/drain')
    expect((await leadsOf(id)).find((it) => it.phone_number === '+14155550162')?.status).not.toBe('created')
  })

  test('are requests for one lead each while a fault rule is for those', async () => {
    const id = await campaign(true)
    const leads = [{ phone_number: '+14155550170' }]
    const { body } = await api.control('POST', '/control/faults', { endpoint: 'leads.create', status: 503 })
    expect((await batch({ campaign_id: id, leads })).status).toBe(404)
    await api.control('DELETE', `/control/faults/${body.data.id}`)
    expect((await batch({ campaign_id: id, leads })).status).toBe(200)
  })
})
