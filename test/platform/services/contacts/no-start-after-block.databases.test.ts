import { afterAll, describe, expect, test } from 'vitest'
import { insertNumber } from '../../../../src/platform/store/numbers/numbers.ts'
import { databases } from '../../../support/databases.ts'
import { addSender } from '../../../support/platform/add-sender.ts'
import type { Api } from '../../../support/platform/platform-api.ts'
import { newPlace, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'

const seed = Number(process.env.PARLEY_TEST_SEED ?? Math.floor(Math.random() * 1e6))
afterAll(() => console.log(`no start after a block: PARLEY_TEST_SEED=${seed}`))

const channels = ['messaging', 'sms', 'call'] as const
type Channel = (typeof channels)[number]
/** Each channel has a contact of its own, so that the step of a provider tells whom its request is for. */
const contactOf: Readonly<Record<Channel, string>> = {
  messaging: '+14155550141',
  sms: '+14155550142',
  call: '+14155550143',
}
const requestStarts: Readonly<Record<string, Channel>> = {
  'channel.send:before': 'messaging',
  'texting.send:before': 'sms',
  'carrier.dial:before': 'call',
}

/** Returns numbers from 0 up to a limit. */
function random(from: number): (limit: number) => number {
  let state = from + 1
  return (limit) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
    return ((state ^ (state >>> 13)) >>> 0) % limit
  }
}

const pause = (turns: number): Promise<void> =>
  turns <= 0 ? Promise.resolve() : new Promise((resolve) => setImmediate(() => resolve(pause(turns - 1))))

describe.each(databases)('on $name', (database) => {
  // Servers share a PostgreSQL; a SQLite file has one.
  const servers = database.name === 'sqlite' ? 1 : 3
  const histories = 3
  const rounds = 5

  test.each(Array.from({ length: histories }, (_, n) => seed + n))(
    'no request to a provider starts after a block was answered, in the history %i',
    async (from) => {
      const next = random(from)
      const time = { ms: Date.UTC(2027, 2, 1, 12) }
      // A request takes a while, fails before or after it has an effect, or ends at once.
      const started: Record<Channel, number> = { messaging: 0, sms: 0, call: 0 }
      const gate = async (step: string): Promise<void> => {
        const channel = requestStarts[step]
        if (channel) started[channel]++
        if (!/^(?:channel\.send|texting\.send|carrier\.dial):/.test(step)) return
        await pause(next(30))
        if (next(6) === 0) throw new Error('The line is dead.')
      }
      const place = await newPlace(database)
      const apis: Api[] = []
      for (let n = 0; n < servers; n++) apis.push(await openAt(place, { wall: () => time.ms, gate }))
      const [first] = apis as [Api]
      const tables = await tablesOf(place)
      const { id, key } = await first.account({ balance: 1000 })
      const sender = await addSender(tables, id)
      const { id: number } = await tables.write({ rows: id }, (query) =>
        insertNumber(query, {
          account_id: id,
          phone_number: '+14155553000',
          country_code: 'US',
          region: null,
          type: 'normal',
          sms_capable: 1,
          nickname: null,
          created_at: 1,
        }),
      )
      const any = <T>(some: readonly T[]): T => some[next(some.length)] as T
      const ask = (method: string, path: string, body?: object) =>
        any(apis).ask(method, `/api/user/${path}`, { key, ...(body && { body }) })
      const { body: flow } = await ask('POST', 'automate/flows', {
        name: 'SMS',
        flow: {
          trigger: {
            name: 'trigger',
            type: 'PIECE_TRIGGER',
            settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: { authType: 'none' } },
          },
          steps: [
            {
              name: 'sms',
              type: 'PIECE',
              settings: {
                pieceName: '@platform/piece-platform',
                actionName: 'sendSms',
                input: { from: number, to: '{{trigger.body.to}}', body: 'Hello' },
              },
            },
          ],
        },
        confirm_side_effects: true,
      })
      const campaigns: number[] = []
      for (const channel of channels) {
        const { body } = await ask('POST', 'campaign', {
          name: channel,
          timezone: 'UTC',
          channel,
          max_retries: 5,
          retry_interval: 10,
          mark_complete_when_no_leads: false,
          ...(channel === 'sms' && { sms_from_phone_number_id: number, sms_body: 'Hello' }),
          ...(channel === 'call' && { assistant_id: sender.assistant, phone_number_ids: [number] }),
          ...(channel === 'messaging' && { messaging_sender_id: sender.id, messaging_template_id: sender.template }),
        })
        campaigns.push(body.data.id)
        await ask('POST', 'campaigns/update-status', { campaign_id: body.data.id, action: 'start' })
      }

      let isOver = false
      const { messaging: writer, sms: texter, call: callee } = contactOf
      const sends = [
        () =>
          ask('POST', 'messaging/send', {
            sender_id: sender.id,
            recipient_phone: writer,
            template_id: sender.template,
          }),
        () => ask('POST', 'messaging/send-freeform', { sender_id: sender.id, recipient_phone: writer, message: 'Hi' }),
        () => ask('POST', 'sms', { from: number, to: texter, body: 'Hello' }),
        () => ask('POST', 'make_call', { phone_number: callee, assistant_id: sender.assistant }),
        () => {
          const n = next(channels.length)
          const lead = { campaign_id: campaigns[n], phone_number: contactOf[channels[n] as Channel] }
          return ask('POST', 'lead', { ...lead, allow_dupplicate: true })
        },
        () =>
          first.platform.handle({
            method: 'POST',
            url: `/automate/api/v1/webhooks/${flow.automation_id}`,
            headers: { host: '127.0.0.1:1', 'content-type': 'application/json' },
            body: JSON.stringify({ to: texter }),
          }),
        () =>
          any(apis).control('POST', '/control/simulate/message', {
            account: id,
            sender: sender.phone,
            from: writer,
            text: any(['Hello', 'Please stop this']),
          }),
      ]
      const sending = async (): Promise<void> => {
        while (!isOver) {
          time.ms += 1000
          await any(sends)()
          await pause(next(5))
        }
      }
      const working = async (api: Api): Promise<void> => {
        while (!isOver) {
          time.ms += next(3) === 0 ? 60_000 : 0
          await api.platform.due.drain(200)
          await pause(1 + next(5))
        }
      }
      let blocks = 0
      const late: string[] = []
      const blocking = async (channel: Channel): Promise<void> => {
        const contact = { phone_number: contactOf[channel], channel }
        for (let round = 0; round < rounds; round++) {
          await pause(next(60))
          const answer = await ask('POST', 'blocked-contacts', { contacts: [contact] })
          const before = started[channel]
          expect(answer.status).toBe(200)
          await pause(next(200))
          if (started[channel] !== before) late.push(`${channel}: ${started[channel] - before}`)
          blocks++
          await ask('POST', 'blocked-contacts/unblock', { contacts: [contact] })
        }
      }
      const background = [...Array.from({ length: 4 }, sending), ...apis.map(working)]
      await Promise.all(channels.map(blocking))
      isOver = true
      await Promise.all(background)
      expect([blocks, late]).toEqual([channels.length * rounds, []])
      expect(Object.values(started).filter((it) => it === 0)).toEqual([])
      await tables.close()
    },
  )
})
