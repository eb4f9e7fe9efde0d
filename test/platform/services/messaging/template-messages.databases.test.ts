import { describe, expect, test } from 'vitest'
import { day } from '../../../../src/contract/values/micros.ts'
import { databases } from '../../../support/databases.ts'
import { messagingPlatform, recipient, refusal } from '../../../support/platform/messaging-platform.ts'

describe.each(databases)('sending a template on $name', (database) => {
  const { time, owner, send, write, session, balance, ledger, conversations, clean, api, tables } =
    messagingPlatform(database)

  describe('a template', () => {
    test('is accepted by the channel, starts a conversation, and is charged to the balance', async () => {
      const by = await owner()
      const answer = await send(by, { recipient_name: 'Anna' })
      expect(answer.status).toBe(200)
      expect(answer.headers).not.toHaveProperty('parley-assumed')
      expect(answer.body).toEqual({
        success: true,
        conversation_id: expect.any(Number),
        message_id: expect.any(Number),
        channel_message_id: expect.any(Number),
        message_sid: expect.stringMatching(/^MM[0-9a-f]{32}$/),
        status: 'queued',
      })
      // The sender's webhook gets what happens after the message was queued, which the response says.
      const events = await tables().read.selectFrom('outbox').select(['kind', 'payload']).execute()
      const statuses = events
        .filter(({ kind }) => kind === 'message.status')
        .map(({ payload }) => JSON.parse(payload).status)
      expect(statuses).not.toContain('queued')
      expect(await balance(by)).toBe(0.992)
      const [conversation, ...more] = await conversations(by)
      expect(more).toEqual([])
      expect(conversation).toMatchObject({
        id: answer.body.conversation_id,
        type: 'messaging',
        assistant_id: by.sender.assistant,
        customer_phone: recipient,
        customer_name: 'Anna',
        message_count: 1,
        total_cost: 8000,
      })
      expect(
        await tables()
          .read.selectFrom('message')
          .select(['id', 'role', 'content'])
          .where('conversation_id', '=', answer.body.conversation_id)
          .execute(),
      ).toEqual([{ id: answer.body.message_id, role: 'assistant', content: 'Hello.' }])
      await clean()
    })

    test('continues the existing conversation, and another recipient starts another', async () => {
      const by = await owner()
      const [first, again, other] = [
        await send(by),
        await send(by, { recipient_phone: '+14155550111', recipient_name: 'Anna' }),
        await send(by, { recipient_phone: '+14155550112' }),
      ]
      expect(again.body.conversation_id).toBe(first.body.conversation_id)
      expect(other.body.conversation_id).not.toBe(first.body.conversation_id)
      expect((await conversations(by)).map((it) => [it.customer_phone, it.customer_name, it.message_count])).toEqual([
        [recipient, 'Anna', 2],
        ['+14155550112', null, 1],
      ])
    })

    test.each(['tenant', 'direct'])('is paid by a %s account in its own unit', async (kind) => {
      const by = await owner({ kind, balance: 1, minute_rate: 0.03 })
      await send(by)
      // 0.008 USD at 0.03 USD a minute, rounded up to the millionth.
      expect(await balance(by)).toBe(kind === 'tenant' ? 0.992 : 0.733333)
      await clean()
    })

    test.each([
      ['marketing', 0.025],
      ['utility', 0.008],
      ['authentication', 0.006],
    ])('of the category %s costs %d', async (category, price) => {
      const by = await owner({}, {}, { category })
      await send(by)
      expect(await balance(by)).toBeCloseTo(1 - price, 9)
    })

    test('is filled with its values, and the channel gets the text', async () => {
      const by = await owner({}, {}, { body_text: 'Hello {{1}}, {{2}}!', variables: '["first_name","greeting"]' })
      const { body } = await send(by, { variables: { 1: 'Änne', greeting: '你好 🦷' } })
      expect(
        await tables()
          .read.selectFrom('local_channel_send')
          .select(['sender', 'recipient', 'body'])
          .where('sid', '=', body.message_sid)
          .execute(),
      ).toEqual([{ sender: by.sender.phone, recipient, body: 'Hello Änne, 你好 🦷!' }])
    })

    test('opens the window of 24 hours, to the second', async () => {
      const by = await owner()
      expect(await session(by)).toEqual({
        success: true,
        has_conversation: false,
        session_status: {
          is_open: false,
          can_send_freeform: false,
          requires_template: true,
          message: 'There is no open messaging window with this recipient. Send a template message first.',
        },
      })
      await send(by, { recipient_name: 'Anna' })
      const opened = time.ms
      expect(await session(by)).toMatchObject({
        has_conversation: true,
        customer_name: 'Anna',
        last_customer_message_at: null,
        session_status: {
          is_open: true,
          can_send_freeform: true,
          requires_template: false,
          minutes_remaining: 1440,
          expires_at: new Date(opened + day / 1000).toISOString().replace('Z', '000Z'),
        },
      })
      time.ms = opened + day / 1000 - 1
      expect(await session(by)).toMatchObject({ session_status: { is_open: true, minutes_remaining: 1 } })
      time.ms = opened + day / 1000
      expect(await session(by)).toMatchObject({
        session_status: {
          is_open: false,
          requires_template: true,
          expired_at: new Date(time.ms).toISOString().replace('Z', '000Z'),
        },
      })
      expect(await write(by)).toMatchObject({ status: 403, body: { error_code: 'SESSION_EXPIRED' } })
    })

    test.each([
      ['63024', '+15005550101', 'The recipient is not reachable on this channel.', 'PROVIDER_ERROR_63024'],
      ['63049', '+15005550102', 'The channel chose not to deliver this message.', 'PROVIDER_ERROR_63049'],
      ['63013', '+15005550103', 'The message breaks the rules of the channel.', 'PROVIDER_ERROR_63013'],
      ['nothing', '+15005550104', 'The message could not be sent.', 'UNKNOWN_ERROR'],
    ])(
      'the channel refuses with %s costs nothing, opens no window and leaves no conversation',
      async (_, phone, error, code) => {
        const by = await owner({ kind: 'direct', balance: 2, minute_rate: 0.07 })
        expect(await send(by, { recipient_phone: phone })).toMatchObject(refusal(422, error, code))
        expect(await balance(by)).toBe(2)
        expect((await ledger(by)).map((it) => it.kind)).toEqual(['top_up', 'charge', 'refund'])
        expect(await conversations(by)).toEqual([])
        expect(await session(by, phone)).toMatchObject({ has_conversation: false, session_status: { is_open: false } })
        await clean()
      },
    )

    test('is delivered immediately to the test number for that', async () => {
      expect(await send(await owner(), { recipient_phone: '+15005550100' })).toMatchObject({
        status: 200,
        body: { status: 'sent' },
      })
    })
  })

  describe('a template that is refused', () => {
    test.each([
      [{ sender_id: undefined }, 'sender_id', 'The sender id field is required.'],
      [{ template_id: undefined }, 'template_id', 'The template id field is required.'],
      [{ recipient_phone: undefined }, 'recipient_phone', 'The recipient phone field is required.'],
      [{ recipient_phone: '' }, 'recipient_phone', 'The recipient phone field is required.'],
      [{ sender_id: 'one' }, 'sender_id', 'The sender id field must be an integer.'],
      [
        { recipient_name: 'x'.repeat(256) },
        'recipient_name',
        'The recipient name field must not be greater than 255 characters.',
      ],
      [{ variables: 'Anna' }, 'variables', 'The variables field must be an object.'],
      [{ variables: { 1: 5 } }, 'variables.1', 'The variables.1 field must be a string.'],
    ])('is reported on the field, before any lookup: %j', async (change, field, text) => {
      const by = await owner({ balance: 0 }, { status: 'offline' })
      const answer = await send(by, change)
      expect(answer).toMatchObject({ status: 422, body: { message: expect.any(String) } })
      expect(answer.body.errors[field]).toEqual([text])
    })

    test('has the first of several reasons, in the order of the specification', async () => {
      const by = await owner(
        { balance: 0 },
        { status: 'offline', assistant_id: null, limit_known: 0, messaging_limit: 0 },
        { status: 'pending', is_synced: 0, is_voice_call: 1, body_text: '{{1}}', variables: '["first_name"]' },
      )
      const stranger = await owner()
      const set = async (table: 'sender' | 'message_template', change: object): Promise<void> => {
        await tables().write('everything', async (query) => {
          await query.updateTable(table).set(change).where('account_id', '=', by.id).execute()
        })
      }
      const ask = (body: object = {}) => send(by, { recipient_phone: '0415', ...body })
      const unknown = refusal(404, 'Sender not found or does not belong to you', 'SENDER_NOT_FOUND')
      expect(await ask({ sender_id: 999_999 })).toMatchObject(unknown)
      expect(await ask({ sender_id: stranger.sender.id })).toMatchObject(unknown)
      const noTemplate = refusal(404, 'Template not found or does not belong to this sender', 'TEMPLATE_NOT_FOUND')
      expect(await ask({ template_id: 999_999 })).toMatchObject(noTemplate)
      expect(await ask({ template_id: stranger.sender.template })).toMatchObject(noTemplate)
      expect(await ask()).toMatchObject(refusal(422, 'Sender is not online. Current status: offline', 'SENDER_OFFLINE'))
      await set('sender', { status: 'online' })
      expect(await ask()).toMatchObject(
        refusal(422, 'Template is not approved. Current status: pending', 'TEMPLATE_NOT_APPROVED'),
      )
      await set('message_template', { status: 'rejected' })
      expect(await ask()).toMatchObject(
        refusal(422, 'Template is not approved. Current status: rejected', 'TEMPLATE_NOT_APPROVED'),
      )
      await set('message_template', { status: 'approved' })
      expect(await ask()).toMatchObject({ status: 422, body: { error_code: 'TEMPLATE_NOT_SYNCED' } })
      await set('message_template', { is_synced: 1 })
      expect(await ask()).toMatchObject(
        refusal(422, 'Invalid phone number. Please use international E.164 format.', 'INVALID_PHONE'),
      )
      expect(await send(by)).toMatchObject({
        status: 422,
        body: { error_code: 'TEMPLATE_MISMATCH', error: expect.stringContaining('{{1}} (first_name)') },
      })
      const whole = { variables: { first_name: 'Anna' } }
      expect(await send(by, whole)).toMatchObject({ status: 422, body: { error_code: 'NO_ASSISTANT_CONFIGURED' } })
      await set('sender', { assistant_id: stranger.sender.assistant })
      expect(await send(by, whole)).toMatchObject({ body: { error_code: 'NO_ASSISTANT_CONFIGURED' } })
      await set('sender', { assistant_id: by.sender.assistant })
      expect(await send(by, whole)).toMatchObject({ status: 422, body: { error_code: 'MESSAGING_LIMIT_UNAVAILABLE' } })
      await set('sender', { limit_known: 1, messaging_limit: 1999 })
      expect(await send(by, whole)).toMatchObject({ status: 422, body: { error_code: 'VOICE_CALL_LIMIT_NOT_MET' } })
      await set('sender', { messaging_limit: 0 })
      await set('message_template', { is_voice_call: 0 })
      expect(await send(by, whole)).toMatchObject({ status: 422, body: { error_code: 'PROVIDER_ERROR_63018' } })
      await set('sender', { messaging_limit: 2000 })
      await set('message_template', { is_voice_call: 1 })
      expect(await send(by, whole)).toMatchObject(
        refusal(402, 'Insufficient balance. Please top up your account.', 'INSUFFICIENT_BALANCE'),
      )
      expect([await conversations(by), await ledger(by)]).toEqual([[], []])
      await api().control('PUT', `/control/accounts/${by.id}`, { top_up: 0.008 })
      expect(await send(by, whole)).toMatchObject({ status: 200 })
      expect(await balance(by)).toBe(0)
      await clean()
    })

    test.each(['4155550111', '+1', '+', '+999999999999999999', 'Anna', '004155550111'])(
      'has the recipient "%s", which is not a number',
      async (phone) => {
        expect(await send(await owner(), { recipient_phone: phone })).toMatchObject({
          status: 422,
          body: { error_code: 'INVALID_PHONE' },
        })
      },
    )

    test('exceeds the recipients of the sender in 24 hours; the same recipient counts once, a refused one does not count', async () => {
      const by = await owner({}, { messaging_limit: 2 })
      const to = (n: number) => send(by, { recipient_phone: `+1415555030${n}` })
      const first = time.ms + 1000
      expect((await to(1)).status).toBe(200)
      expect((await to(1)).status).toBe(200)
      expect((await send(by, { recipient_phone: '+15005550101' })).status).toBe(422)
      expect((await to(2)).status).toBe(200)
      expect(await to(3)).toMatchObject(
        refusal(422, 'This sender has reached its limit of 2 recipients in 24 hours.', 'PROVIDER_ERROR_63018'),
      )
      expect((await to(2)).status).toBe(200)
      // Text inside the window does not count as a new recipient either.
      expect((await write(by, { recipient_phone: '+14155550301', message: 'Hi' })).status).toBe(200)
      time.ms = first + day / 1000 - 1000
      expect((await to(3)).status).toBe(422)
      time.ms = first + day / 1000 + 1000
      expect((await to(3)).status).toBe(200)
      await clean()
    })

    test('exceeds the remaining recipients in concurrent requests, of which exactly that many are accepted', async () => {
      const by = await owner({}, { messaging_limit: 3 })
      const answers = await Promise.all(
        Array.from({ length: 5 }, (_, n) => send(by, { recipient_phone: `+1415555040${n}` })),
      )
      const codes = answers.map((it) => (it.status === 200 ? 'sent' : it.body.error_code)).sort()
      expect(codes).toEqual(['PROVIDER_ERROR_63018', 'PROVIDER_ERROR_63018', 'sent', 'sent', 'sent'])
      await clean()
    })
  })

  test('a small balance pays for as many concurrent messages as it covers, and never more', async () => {
    const by = await owner({ balance: 0.02 })
    const others = Array.from({ length: 5 }, (_, n) => send(by, { recipient_phone: `+1415555050${n}` }))
    const statuses = (await Promise.all(others)).map((it) => it.status)
    expect(statuses.sort()).toEqual([200, 200, 402, 402, 402])
    expect(await balance(by)).toBeCloseTo(0.004, 9)
    await clean()
  })
})
