import { describe, expect, test } from 'vitest'
import { day, minute } from '../../../../src/contract/values/micros.ts'
import { insertTemplate } from '../../../../src/platform/store/messaging/message-templates.ts'
import { databases } from '../../../support/databases.ts'
import { addSender, templateOf } from '../../../support/platform/add-sender.ts'
import { messagingPlatform, type Owner, recipient, refusal } from '../../../support/platform/messaging-platform.ts'
import { fresh, tablesOf } from '../../../support/platform/test-platforms.ts'

describe.each(databases)('messages on $name', (database) => {
  const { time, owner, send, write, session, balance, conversations, clean, api, tables } = messagingPlatform(database)
  describe('text without a template', () => {
    async function inside(...how: Parameters<typeof owner>): Promise<Owner> {
      const by = await owner(...how)
      expect((await send(by)).status).toBe(200)
      return by
    }

    test('is accepted inside the window, and the response has the state of the window', async () => {
      const by = await inside()
      time.ms += 10 * (minute / 1000)
      const answer = await write(by, { message: 'See you.' })
      expect(answer).toMatchObject({ status: 200, headers: { 'parley-assumed': 'messaging.sendFreeform' } })
      expect(answer.body).toMatchObject({
        success: true,
        message_sid: expect.any(String),
        session_status: { is_open: true, minutes_remaining: 1430 },
      })
      expect(answer.body).not.toHaveProperty('status')
      expect(await balance(by)).toBeCloseTo(1 - 0.008 - 0.004, 9)
      await clean()
    })

    test('does not extend the window', async () => {
      const by = await inside()
      const { session_status: before } = await session(by)
      await write(by)
      expect((await session(by)).session_status.expires_at).toBe(before.expires_at)
    })

    test.each([
      [
        { message: 'Map', media_url: 'https://a.example/map.pdf', filename: 'map.pdf' },
        { body: 'Map', media_url: 'https://a.example/map.pdf', filename: 'map.pdf' },
      ],
      [{ media_url: 'https://a.example/x.png' }, { body: '', media_url: 'https://a.example/x.png', filename: null }],
      [
        { message: 'Listen', media_url: 'https://a.example/x.MP3?v=1' },
        { body: '', media_url: 'https://a.example/x.MP3?v=1', filename: null },
      ],
    ])('can have media, and audio loses its caption: %j', async (body, saved) => {
      const by = await inside()
      const answer = await write(by, body)
      expect(answer.status).toBe(200)
      expect(
        await tables()
          .read.selectFrom('channel_message')
          .select(['body', 'media_url', 'filename'])
          .where('id', '=', answer.body.channel_message_id)
          .execute(),
      ).toEqual([saved])
    })

    test.each([
      [{}, 'message', 'The message field is required when media url is not present.'],
      [{ message: '' }, 'message', 'The message field is required.'],
      [{ message: 'x'.repeat(4097) }, 'message', 'The message field must not be greater than 4096 characters.'],
      [{ media_url: 'ftp://a.example/x' }, 'media_url', 'The media url field must be a valid URL.'],
    ])('is refused on the field: %j', async (body, field, text) => {
      const answer = await write(await inside(), body)
      expect([answer.status, answer.body.errors?.[field]]).toEqual([422, [text]])
    })

    test('accepts 4096 visible characters', async () => {
      expect((await write(await inside(), { message: '🦷'.repeat(4096) })).status).toBe(200)
    })

    test('is refused by the first of its rules: sender, online (503), number, window (403 with its state), assistant, balance', async () => {
      const by = await inside({ balance: 0.008 }, {})
      const stranger = await owner()
      const set = async (change: object): Promise<void> => {
        await tables().write('everything', async (query) => {
          await query.updateTable('sender').set(change).where('id', '=', by.sender.id).execute()
        })
      }
      await set({ status: 'offline', assistant_id: null })
      expect(await write(by, { sender_id: stranger.sender.id, message: 'Hi' })).toMatchObject(
        refusal(404, 'Sender not found or does not belong to you', 'SENDER_NOT_FOUND'),
      )
      expect(await write(by, { recipient_phone: 'x', message: 'Hi' })).toMatchObject(
        refusal(503, 'Sender is not online. Current status: offline', 'SENDER_OFFLINE'),
      )
      await set({ status: 'online' })
      expect(await write(by, { recipient_phone: 'x', message: 'Hi' })).toMatchObject({
        status: 422,
        body: { error_code: 'INVALID_PHONE' },
      })
      expect(await write(by, { recipient_phone: '+14155550999', message: 'Hi' })).toMatchObject({
        status: 403,
        body: { error_code: 'SESSION_EXPIRED', session_status: { is_open: false, requires_template: true } },
      })
      expect(await write(by)).toMatchObject({ status: 422, body: { error_code: 'NO_ASSISTANT_CONFIGURED' } })
      await set({ assistant_id: by.sender.assistant })
      expect(await write(by)).toMatchObject({ status: 402, body: { error_code: 'INSUFFICIENT_BALANCE' } })
      await clean()
    })
  })

  describe('an Idempotency-Key', () => {
    test('sends once and returns the same response, for templates and for text', async () => {
      const by = await owner()
      const first = await send(by, {}, 'k1')
      expect(await send(by, {}, 'k1')).toMatchObject({
        status: 200,
        text: first.text,
        headers: { 'idempotent-replayed': 'true' },
      })
      const text = await write(by, { message: 'Hi' }, 'k2')
      expect((await write(by, { message: 'Hi' }, 'k2')).text).toBe(text.text)
      expect((await conversations(by))[0]?.message_count).toBe(2)
      expect(await send(by, { recipient_name: 'Anna' }, 'k1')).toMatchObject({ status: 409 })
    })

    test('repeats a refusal of the channel, and refunds once', async () => {
      const by = await owner()
      const first = await send(by, { recipient_phone: '+15005550101' }, 'r1')
      expect((await send(by, { recipient_phone: '+15005550101' }, 'r1')).text).toBe(first.text)
      expect(await balance(by)).toBe(1)
    })

    test('of many concurrent requests sends one message', async () => {
      const by = await owner()
      const answers = await Promise.all(Array.from({ length: 5 }, () => send(by, {}, 'many')))
      expect(new Set(answers.map((it) => it.text)).size).toBe(1)
      expect((await conversations(by))[0]?.message_count).toBe(1)
      await clean()
    })

    test('that queries an outcome returns that of its request, and starts nothing', async () => {
      const by = await owner()
      const ask = (key: string, body: object = {}) => {
        time.ms += 1000
        const asked = { sender_id: by.sender.id, template_id: by.sender.template, recipient_phone: recipient, ...body }
        return api().ask('POST', '/api/user/messaging/send', {
          key: by.key,
          body: asked,
          headers: { 'idempotency-key': key, 'parley-recall': '1' },
        })
      }
      expect(await ask('q1')).toMatchObject({
        status: 404,
        text: '{"message":"No request with this Idempotency-Key was received."}',
      })
      expect(await conversations(by)).toEqual([])
      const sent = await send(by, {}, 'q1')
      expect(await ask('q1')).toMatchObject({ status: 200, text: sent.text })
      // Whatever the body, which may have lost its secrets, and however long ago.
      expect((await ask('q1', { recipient_name: 'Anna' })).text).toBe(sent.text)
      time.ms += 3 * (day / 1000)
      expect((await ask('q1')).text).toBe(sent.text)
      expect((await conversations(by))[0]?.message_count).toBe(1)
    })

    test('can be used again after a day', async () => {
      const by = await owner()
      const first = await send(by, {}, 'd1')
      time.ms += day / 1000 + 1000
      const later = await send(by, {}, 'd1')
      expect(later.status).toBe(200)
      expect(later.body.message_id).not.toBe(first.body.message_id)
      await clean()
    })
  })

  test('a refusal refunds exactly the charge, whatever the price of a minute is by then', async () => {
    const { place, ...slow } = await fresh(database, {
      wall: () => time.ms,
      gate: async (step) => {
        if (step === 'channel.send:before') await slow.control('PUT', '/control/accounts/2', { minute_rate: 0.5 })
      },
    })
    const account = await slow.account({ kind: 'direct', balance: 3, minute_rate: 0.03 })
    const { id, template } = await addSender(await tablesOf(place), account.id)
    expect(account.id).toBe(2)
    await slow.ask('POST', '/api/user/messaging/send', {
      key: account.key,
      body: { sender_id: id, template_id: template, recipient_phone: '+15005550101' },
    })
    expect((await slow.ask('GET', '/api/user/me', account)).body.total_balance).toBe(3)
  })

  test('lists show senders that are online and templates that are approved by default', async () => {
    const by = await owner({}, { messaging_limit: 1000, quality_rating: 'RED' })
    await addSender(tables(), by.id, { status: 'offline' })
    await tables().write({ rows: by.id }, (query) =>
      insertTemplate(
        query,
        templateOf(by.id, by.sender.id, { status: 'pending', body_text: '{{1}}', variables: '["x"]' }),
      ),
    )
    const ask = async (url: string) => (await api().ask('GET', `/api/user/messaging/${url}`, by)).body
    const statuses = async (url: string) => (await ask(url)).data.map((it: { status: string }) => it.status)
    expect(await statuses('senders')).toEqual(['online'])
    expect(await statuses('senders?status=all')).toEqual(['online', 'offline'])
    expect(await statuses('senders?status=offline')).toEqual(['offline'])
    expect((await ask('senders')).data[0]).toMatchObject({
      quality_rating: 'RED',
      messaging_limit: 1000,
      messaging_limit_formatted: '1,000 / 24hr',
    })
    expect((await ask('senders?status=offline')).data[0]).toMatchObject({
      messaging_limit: null,
      messaging_limit_formatted: 'Unlimited',
    })
    const templates = `senders/${by.sender.id}/templates`
    expect(await statuses(templates)).toEqual(['approved'])
    expect(await statuses(`${templates}?status=all`)).toEqual(['approved', 'pending'])
    expect((await ask(`${templates}?status=pending`)).data[0]).toMatchObject({ variables: ['x'], has_variables: true })
    const stranger = await owner()
    const unknown = refusal(404, 'Sender not found', 'SENDER_NOT_FOUND')
    for (const id of [stranger.sender.id, 999_999, 'abc'])
      expect(await api().ask('GET', `/api/user/messaging/senders/${id}/templates`, by)).toMatchObject(unknown)
    expect((await api().ask('GET', '/api/user/messaging/senders', await api().account())).body).toEqual({ data: [] })
    expect(
      await api().ask('GET', '/api/user/messaging/session-status?sender_id=999999&recipient_phone=x', by),
    ).toMatchObject({ status: 404 })
  })
})
