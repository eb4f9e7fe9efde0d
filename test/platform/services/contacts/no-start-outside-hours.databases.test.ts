import { afterAll, describe, expect, test } from 'vitest'
import { isOpenAt, nextOpening } from '../../../../src/contract/values/contact-hours.ts'
import { loadZonesOfNumbers } from '../../../../src/contract/values/number-zones.ts'
import type { Connection } from '../../../../src/platform/store/database/connection.ts'
import { insertNumber } from '../../../../src/platform/store/numbers/numbers.ts'
import { databases } from '../../../support/databases.ts'
import { addSender } from '../../../support/platform/add-sender.ts'
import type { Api } from '../../../support/platform/platform-api.ts'
import { newPlace, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'

const zonesOfNumber = await loadZonesOfNumbers()
const seed = Number(process.env.PARLEY_TEST_SEED ?? Math.floor(Math.random() * 1e6))
afterAll(() => console.log(`no start outside the hours: PARLEY_TEST_SEED=${seed}`))

/** A toll-free number, whose time zones have no hour of the day in common. */
const tollFree = '+18005550142'

/** Numbers of one zone, of several, and with clock changes on other days. */
const phones = ['+493012345678', '+34612345678', '+12125550142', '+61412345678', '+81312345678', tollFree] as const
/** The days around the change of the clocks in Europe, and those in America and Australia. */
const starts = [Date.UTC(2027, 2, 27), Date.UTC(2027, 2, 13), Date.UTC(2027, 3, 3), Date.UTC(2027, 9, 30)] as const

/** Adds a number that can send SMS. Returns its id. */
const addNumber = async (tables: Connection, account: number): Promise<number> =>
  (
    await tables.write({ rows: account }, (query) =>
      insertNumber(query, {
        account_id: account,
        phone_number: '+14155553000',
        country_code: 'US',
        region: null,
        type: 'normal',
        sms_capable: 1,
        nickname: null,
        created_at: 1,
      }),
    )
  ).id

/** Returns numbers from 0 up to a limit. */
function random(from: number): (limit: number) => number {
  let state = from + 1
  return (limit) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
    return ((state ^ (state >>> 13)) >>> 0) % limit
  }
}

describe.each(databases)('on $name', (database) => {
  test.each(Array.from({ length: 3 }, (_, n) => seed + n))(
    'nothing starts outside the hours, and what waited starts once or is reported, in the history %i',
    async (from) => {
      const next = random(from)
      const any = <T>(some: readonly T[]): T => some[next(some.length)] as T
      const time = { ms: any(starts) }
      const requests: string[] = []
      /** Whether a request may be interrupted before it starts, as by a crash. */
      let mayFail = true
      const gate = async (step: string): Promise<void> => {
        if (!/^(?:channel\.send|texting\.send|carrier\.dial):before$/.test(step)) return
        if (next(8) === 0 && mayFail) throw new Error('The line is dead.')
        requests.push(step)
      }
      /** Numbers whose hours are open now. */
      const open = new Set<string>()
      const place = await newPlace(database)
      let api: Api = await openAt(place, { wall: () => time.ms, gate })
      const tables = await tablesOf(place)
      const { id, key } = await api.account({ balance: 1000 })
      const sender = await addSender(tables, id)
      const number = await addNumber(tables, id)
      const ask = (method: string, path: string, body?: object) =>
        api.ask(method, `/api/user/${path}`, { key, ...(body && { body }) })
      let hours: object = {}
      const refresh = (): void => {
        open.clear()
        for (const phone of phones)
          if (isOpenAt([{ hours, zones: zonesOfNumber(phone) }], time.ms * 1000)) open.add(phone)
      }
      const change = async (): Promise<void> => {
        const start = next(24)
        const end = (start + 1 + next(10)) % 24
        const text = (hour: number): string => `${String(hour).padStart(2, '0')}:${any(['00', '30'])}`
        const changed = {
          schedule_windows: any([null, [{ start: text(start), end: text(end) }]]),
          holidays: any([null, [new Date(time.ms + 86_400_000).toISOString().slice(0, 10)]]),
        }
        await ask('PUT', 'contact-hours', changed)
        hours = changed
        refresh()
      }
      let asked = 0
      const send = async (): Promise<void> => {
        const phone = any(phones)
        const answer = await any([
          () =>
            ask('POST', 'messaging/send', {
              sender_id: sender.id,
              recipient_phone: phone,
              template_id: sender.template,
            }),
          () => ask('POST', 'sms', { from: number, to: phone, body: 'Hello' }),
          () => ask('POST', 'make_call', { phone_number: phone, assistant_id: sender.assistant }),
        ])()
        expect([200, 201, 202, 422, 500], JSON.stringify(answer.body)).toContain(answer.status)
        const opening = nextOpening([{ hours, zones: zonesOfNumber(phone) }], time.ms * 1000)
        expect(answer.status === 422, JSON.stringify(answer.body)).toBe(opening === undefined)
        expect(answer.status === 202).toBe(!open.has(phone) && opening !== undefined)
        if (answer.status !== 422) asked++
      }
      const recipients = async (): Promise<string[]> => {
        const read = tables.read
        const [messages, texts, calls] = await Promise.all([
          read.selectFrom('channel_message').select('recipient_phone as phone').where('account_id', '=', id).execute(),
          read.selectFrom('sms_message').select('recipient as phone').where('account_id', '=', id).execute(),
          read.selectFrom('phone_call').select('client_phone_number as phone').where('account_id', '=', id).execute(),
        ])
        return [...messages, ...texts, ...calls].map(({ phone }) => phone ?? '')
      }
      const counts = new Map<string, number>()
      /** Those who were contacted since the last check were contacted now, because the clock does not move in between. */
      const check = async (): Promise<void> => {
        const found = await recipients()
        for (const phone of phones) {
          const n = found.filter((it) => it === phone).length
          if (n > (counts.get(phone) ?? 0))
            expect(open.has(phone), `${phone} at ${new Date(time.ms).toISOString()}`).toBe(true)
          counts.set(phone, n)
        }
      }
      const pass = async (minutes: number): Promise<void> => {
        time.ms += minutes * 60_000
        refresh()
        await api.platform.drain(10_000)
      }
      refresh()
      await change()
      for (let round = 0; round < 40; round++) {
        const what = next(10)
        if (what < 4) await send()
        else if (what < 5) await change()
        else if (what < 6) {
          // Another server continues.
          await api.platform.close()
          api = await openAt(place, { wall: () => time.ms, gate })
        } else await pass(1 + next(240))
        await check()
      }
      await ask('PUT', 'contact-hours', { schedule_windows: null, holidays: null })
      hours = {}
      mayFail = false
      // What was interrupted is repeated after a pause.
      for (let n = 0; n < 6; n++) await pass(60)
      const { body } = await ask('GET', 'waiting-contacts?state=all&per_page=100')
      // Only hours that never open let something end without a start.
      const failed = body.data.filter((it: { state: string }) => it.state !== 'started')
      for (const contact of failed)
        expect(contact).toMatchObject({ state: 'failed', error: expect.stringContaining('not open in all time zones') })
      const due = asked - failed.length
      expect(await recipients()).toHaveLength(due)
      // What was interrupted, and could not be repeated in any hour, ended without a request.
      const ended = await tables.read
        .selectFrom('outbox')
        .select('payload')
        .where('account_id', '=', id)
        .where('kind', '=', 'contact.skipped')
        .execute()
      expect(requests.length).toBe(due - ended.filter((it) => it.payload.includes('contact-hours')).length)
      await api.platform.close()
    },
  )

  test.each([
    ['2027-03-27T20:00:00Z', '2027-03-28T07:00:00.000000Z'],
    ['2027-10-30T20:00:00Z', '2027-10-31T08:00:00.000000Z'],
  ])(
    'what is requested at %s, before the clocks change in Berlin, waits until 09:00 there, %s',
    async (from, until) => {
      const time = { ms: Date.parse(from) }
      const place = await newPlace(database)
      const api = await openAt(place, { wall: () => time.ms })
      const { id, key } = await api.account({ balance: 10 })
      const tables = await tablesOf(place)
      const { assistant } = await addSender(tables, id)
      const ask = (method: string, path: string, body?: object) =>
        api.ask(method, `/api/user/${path}`, { key, ...(body && { body }) })
      await ask('PUT', 'contact-hours', { schedule_windows: [{ start: '09:00', end: '17:00' }] })
      const { body } = await ask('POST', 'make_call', { phone_number: phones[0], assistant_id: assistant })
      expect(body.waiting).toMatchObject({ opens_at: until })
      const called = async (): Promise<number> => (await ask('GET', 'calls')).body.data.length
      time.ms = Date.parse(until) - 60_000
      await api.platform.drain(10_000)
      expect(await called()).toBe(0)
      time.ms += 60_000
      await api.platform.drain(10_000)
      expect(await called()).toBe(1)
      await api.platform.close()
    },
  )

  test.each(['messaging/send', 'sms', 'make_call'])(
    'what a crash has interrupted after its charge ends as failed and is refunded when its hours never open any more: %s',
    async (path) => {
      const time = { ms: Date.parse('2027-02-01T12:00:00Z') }
      const requests: string[] = []
      let isDown = true
      const gate = async (step: string): Promise<void> => {
        if (!/^(?:channel\.send|texting\.send|carrier\.dial):before$/.test(step)) return
        if (isDown) throw new Error('The line is dead.')
        requests.push(step)
      }
      const place = await newPlace(database)
      let api: Api = await openAt(place, { wall: () => time.ms, gate })
      const { id, key } = await api.account({ balance: 10 })
      const tables = await tablesOf(place)
      const sender = await addSender(tables, id)
      const from = await addNumber(tables, id)
      const ask = (method: string, path: string, body?: object) =>
        api.ask(method, `/api/user/${path}`, { key, ...(body && { body }) })
      const balance = async (): Promise<number> => (await ask('GET', 'me')).body.total_balance
      const bodies: Readonly<Record<string, object>> = {
        'messaging/send': { sender_id: sender.id, recipient_phone: tollFree, template_id: sender.template },
        sms: { from, to: tollFree, body: 'Hello' },
        make_call: { phone_number: tollFree, assistant_id: sender.assistant },
      }
      await ask('PUT', 'contact-hours', { holidays: ['2027-12-25'] })
      expect((await ask('POST', path, bodies[path])).status).toBe(500)
      expect(await balance()).toBeLessThan(10)
      await api.platform.close()
      isDown = false
      api = await openAt(place, { wall: () => time.ms, gate })
      await ask('PUT', 'contact-hours', { schedule_windows: [{ start: '09:00', end: '10:00' }] })
      for (let n = 0; n < 3; n++) {
        time.ms += 60 * 60_000
        await api.platform.drain(10_000)
      }
      expect(await balance()).toBe(10)
      // It is over: nothing evaluates it again, and other hours do not start it.
      await ask('PUT', 'contact-hours', { schedule_windows: null, holidays: null })
      time.ms += 25 * 60 * 60_000
      await api.platform.drain(10_000)
      expect([requests, await balance()]).toEqual([[], 10])
      const events = await tables.read.selectFrom('outbox').select('kind').where('account_id', '=', id).execute()
      expect(events.filter((it) => it.kind === 'contact.skipped')).toHaveLength(1)
      await api.platform.close()
    },
  )

  test.each(['call', 'sms'])(
    'a %s of a campaign that a crash has interrupted waits until the hours open again',
    async (channel) => {
      const time = { ms: Date.parse('2027-02-01T15:50:00Z') }
      const requests: number[] = []
      let isDown = true
      const gate = async (step: string): Promise<void> => {
        if (!/^(?:texting\.send|carrier\.dial):before$/.test(step)) return
        if (isDown) throw new Error('The line is dead.')
        requests.push(time.ms)
      }
      const place = await newPlace(database)
      let api: Api = await openAt(place, { wall: () => time.ms, gate })
      const { id, key } = await api.account({ balance: 10 })
      const tables = await tablesOf(place)
      const { assistant } = await addSender(tables, id)
      const from = await addNumber(tables, id)
      const ask = (method: string, path: string, body: object) => api.ask(method, `/api/user/${path}`, { key, body })
      await ask('PUT', 'contact-hours', { schedule_windows: [{ start: '09:00', end: '16:59' }] })
      const campaign = {
        name: 'Recall',
        channel,
        assistant_id: assistant,
        sms_from_phone_number_id: from,
        sms_body: 'Hello',
      }
      const made = await ask('POST', 'campaign', campaign)
      expect(made.status, made.text).toBe(201)
      await ask('POST', 'lead', { campaign_id: made.body.data.id, phone_number: phones[0] })
      await ask('POST', 'campaigns/update-status', { campaign_id: made.body.data.id, action: 'start' })
      await api.platform.drain(10_000)
      const started = channel === 'sms' ? 'sms_message' : 'phone_call'
      const stored = () => tables.read.selectFrom(started).select('state').where('account_id', '=', id).execute()
      expect(await stored()).toHaveLength(1)
      await api.platform.close()
      isDown = false
      api = await openAt(place, { wall: () => time.ms, gate })
      const pass = async (until: string): Promise<void> => {
        for (const end = Date.parse(until); time.ms < end; ) {
          time.ms += 30 * 60_000
          await api.platform.drain(10_000)
        }
      }
      time.ms = Date.parse('2027-02-01T16:10:00Z')
      await pass('2027-02-02T07:40:00Z')
      expect([requests, await stored()]).toEqual([[], [expect.anything()]])
      await pass('2027-02-02T09:10:00Z')
      expect(requests).toHaveLength(1)
      expect(requests[0]).toBeGreaterThanOrEqual(Date.parse('2027-02-02T08:00:00Z'))
      await api.platform.close()
    },
  )
})
