import { describe, expect, test } from 'vitest'
import { conversationList, countWrongCounters } from '../../../../src/platform/store/counters/counted-lists.ts'
import { databases } from '../../../support/databases.ts'
import { addSender } from '../../../support/platform/add-sender.ts'
import { chatPlatform } from '../../../support/platform/chat-platform.ts'

const anonymous = '11111111-1111-4111-8111-111111111111'
const notFound = { status: 404, text: '{"status":false,"error":"Conversation not found"}' }
const poor = { status: 400, text: '{"status":false,"error":"Insufficient balance. Please top up your account."}' }

describe.each(databases)('conversations on $name', (database) => {
  let breaks = false
  const gate = async (step: string): Promise<void> => {
    if (breaks && step === 'language.reply:before') throw new Error('The line is dead.')
  }
  const { time, owner, ask, create, started, say, read, list, balance, ledger, api, tables } = chatPlatform(database, {
    gate,
  })

  describe('starting a conversation', () => {
    test('needs no key, and returns the first message of the assistant with its variables', async () => {
      const by = await owner()
      const answer = await create(by, { variables: { first_name: 'Anna' } })
      expect(answer).toMatchObject({
        status: 200,
        body: {
          status: true,
          conversation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          history: [{ role: 'assistant', content: 'Hello Anna, this is Desk.' }],
        },
      })
      expect(answer.headers).toMatchObject({ 'parley-assumed': 'conversations.create' })
      expect((await list(by)).body.data).toEqual([
        {
          id: answer.body.conversation_id,
          assistant_id: by.assistant.uuid,
          assistant_name: 'Desk',
          type: 'widget',
          message_count: 1,
          total_cost: 0,
          ai_enabled: true,
          created_at: '2027-03-01 12:00:00',
          updated_at: '2027-03-01 12:00:00',
        },
      ])
    })

    test('prefers variables of the conversation to those of the assistant, and leaves unknown ones visible', async () => {
      const by = await owner(
        {},
        { initial_message: '{{first_name}} {{ city }} {{nobody}}', variables: { first_name: 'You', city: 'Bern' } },
      )
      expect((await create(by, { variables: { first_name: 'Anna' } })).body.history[0].content).toBe(
        'Anna Bern {{nobody}}',
      )
    })

    test('is refused for an unknown or missing assistant, and for a widget whose owner cannot pay a message', async () => {
      const by = await owner({ balance: 0 })
      const missing = { status: 404, text: '{"status":false,"error":"Assistant not found"}' }
      expect(await ask('POST', '/api/conversations', { body: { assistant_id: anonymous } })).toMatchObject(missing)
      expect(await ask('POST', '/api/conversations', { body: {} })).toMatchObject({
        status: 422,
        body: {
          message: 'The assistant id field is required.',
          errors: { assistant_id: ['The assistant id field is required.'] },
        },
      })
      expect(await create(by, { type: 'messaging' })).toMatchObject({ status: 422 })
      expect(await create(by)).toMatchObject(poor)
      expect(await create(by, { type: 'test' })).toMatchObject({ status: 200 })
      expect((await list(by)).body.total).toBe(1)
    })
  })

  describe('a message', () => {
    test('is answered without a key, saved with its reply, and costs 0.01 USD once in a widget', async () => {
      const by = await owner()
      const uuid = await started(by)
      const answer = await say(uuid, 'When are you open?')
      expect(answer).toMatchObject({
        status: 200,
        body: { status: true, message: 'We are open Monday to Friday, 8:00 to 17:00.', function_calls: [] },
      })
      expect(answer.headers).not.toHaveProperty('parley-assumed')
      expect((await read(uuid)).body).toMatchObject({
        status: true,
        history: [
          { role: 'assistant' },
          { role: 'user', content: 'When are you open?' },
          { role: 'assistant', content: answer.body.message },
        ],
      })
      expect(await balance(by)).toBe(0.99)
      expect((await ledger(by)).slice(1)).toMatchObject([{ kind: 'charge', amount: -0.01 }])
      expect((await list(by)).body.data[0]).toMatchObject({ message_count: 3, total_cost: 0.01 })
    })

    test('costs nothing in a test', async () => {
      const by = await owner({ balance: 0 })
      const uuid = await started(by, { type: 'test' })
      expect(await say(uuid, 'Hello')).toMatchObject({ status: 200 })
      expect((await list(by)).body.data[0]).toMatchObject({ type: 'test', message_count: 3, total_cost: 0 })
      expect(await ledger(by)).toEqual([])
    })

    test('costs a direct account its minutes', async () => {
      const by = await owner({ kind: 'direct', minute_rate: 0.03 })
      await say(await started(by), 'Hello')
      expect(await balance(by)).toBe(0.666666)
    })

    test('is refused in an unknown conversation, and if the owner cannot pay', async () => {
      expect(await say(anonymous, 'Hello')).toMatchObject(notFound)
      expect(await say('1', 'Hello')).toMatchObject(notFound)
      expect(await read(anonymous)).toMatchObject(notFound)
      const by = await owner({ balance: 0.01 })
      const uuid = await started(by)
      expect(await say(uuid, 'Hello')).toMatchObject({ status: 200 })
      expect(await say(uuid, 'Again')).toMatchObject(poor)
      expect((await read(uuid)).body.history).toHaveLength(3)
    })

    test.each([
      [{}, 'The message field is required.'],
      [{ message: '' }, 'The message field is required.'],
      [{ message: null }, 'The message field is required.'],
      [{ message: 7 }, 'The message field must be a string.'],
      [{ message: '🦷'.repeat(2001) }, 'The message field must not be greater than 2000 characters.'],
    ])('as %j is a 422 on its field', async (body, text) => {
      const uuid = await started(await owner())
      expect(await ask('POST', `/api/conversations/${uuid}/messages`, { body })).toMatchObject({
        status: 422,
        body: { message: text, errors: { message: [text] } },
      })
    })

    test('can have 2,000 characters in any encoding', async () => {
      expect(await say(await started(await owner()), '🦷'.repeat(2000))).toMatchObject({ status: 200 })
    })

    test('is not saved and costs nothing if the model fails', async () => {
      const by = await owner()
      const uuid = await started(by)
      const failed = (details: string) => ({
        status: 400,
        text: JSON.stringify({ status: false, error: `Failed to process message: ${details}` }),
      })
      expect(await say(uuid, '#fail')).toMatchObject(failed('The language model is not available.'))
      breaks = true
      expect(await say(uuid, 'Hello')).toMatchObject(
        failed('The language model stopped before the end of its response.'),
      )
      breaks = false
      expect((await read(uuid)).body.history).toHaveLength(1)
      expect(await balance(by)).toBe(1)
    })

    test('shows the functions that ran for it', async () => {
      const uuid = await started(await owner())
      const calls = [
        { name: 'look_up_opening_hours', arguments: { day: 'today' }, result: { opens: '08:00', closes: '17:00' } },
      ]
      expect((await say(uuid, '#function')).body.function_calls).toEqual(calls)
      expect((await read(uuid)).body.history.at(-1).function_calls).toEqual(calls)
    })

    test('to a deleted assistant has no reply, and its conversation stays', async () => {
      const by = await owner()
      const uuid = await started(by)
      await api().ask('DELETE', `/api/user/assistant/${by.assistant.id}`, by)
      expect(await say(uuid, 'Hello')).toMatchObject({
        status: 400,
        body: { error: 'Failed to process message: The assistant was deleted.' },
      })
      expect((await list(by)).body.data[0]).toMatchObject({ id: uuid, assistant_name: 'Desk' })
    })

    test('under one key is processed once, however often it is sent, and answered again', async () => {
      const by = await owner()
      const uuid = await started(by)
      const headers = { 'idempotency-key': 'once' }
      const answers = await Promise.all([say(uuid, 'Hello', headers), say(uuid, 'Hello', headers)])
      expect(answers.map((it) => it.status)).toEqual([200, 200])
      expect(await say(uuid, 'Hello', headers)).toMatchObject({
        status: 200,
        headers: { 'idempotent-replayed': 'true' },
        text: answers[0]?.text,
      })
      expect(await say(uuid, 'Something else', headers)).toMatchObject({ status: 409 })
      expect((await read(uuid)).body.history).toHaveLength(3)
      expect(await balance(by)).toBe(0.99)
      expect(await say(uuid, 'Hello', { ...headers, 'parley-recall': '1' })).toMatchObject({ status: 200 })
      expect(await say(uuid, 'Hello', { 'idempotency-key': 'never', 'parley-recall': '1' })).toMatchObject({
        status: 404,
      })
    })

    test('sent concurrently with others is next to its own reply', async () => {
      const by = await owner()
      const uuid = await started(by)
      await Promise.all(['One', 'Two', 'Three', 'Four'].map((it) => say(uuid, it)))
      const { history } = (await read(uuid)).body
      expect(history).toHaveLength(9)
      for (let n = 1; n < 9; n += 2) expect(history[n + 1].content).toContain(`"${history[n].content}"`)
      expect(await balance(by)).toBe(0.96)
      expect((await list(by)).body.data[0]).toMatchObject({ message_count: 9, total_cost: 0.04 })
    })
  })

  describe('AI', () => {
    const turn = (by: { key: string | null }, uuid: string, verb: string) =>
      api().ask('POST', `/api/automate/conversations/${uuid}/${verb}-ai`, by)

    test('that is disabled saves messages and answers none until it is enabled again', async () => {
      const by = await owner()
      const uuid = await started(by)
      expect(await turn(by, uuid, 'disable')).toMatchObject({ status: 200, text: '{"status":true,"ai_enabled":false}' })
      expect(await say(uuid, 'Anybody?')).toMatchObject({
        status: 200,
        body: { status: true, message: '', function_calls: [] },
      })
      expect((await list(by)).body.data[0]).toMatchObject({ ai_enabled: false, message_count: 2 })
      expect(await turn(by, uuid, 'enable')).toMatchObject({ status: 200, text: '{"status":true,"ai_enabled":true}' })
      expect((await say(uuid, 'Hello')).body.message).not.toBe('')
    })

    test('is enabled and disabled only by its owner', async () => {
      const [by, other] = [await owner(), await owner()]
      const uuid = await started(by)
      expect(await turn(other, uuid, 'disable')).toMatchObject(notFound)
      expect(await turn(by, anonymous, 'disable')).toMatchObject(notFound)
      expect(await turn({ key: null }, uuid, 'disable')).toMatchObject({
        status: 401,
        text: '{"error":"Unauthorized"}',
      })
      expect((await list(by)).body.data[0].ai_enabled).toBe(true)
    })
  })

  describe('the list', () => {
    test('has pages, filters, and URLs that keep them', async () => {
      const by = await owner({ balance: 5 })
      const other = await owner()
      await started(other)
      const uuids: string[] = []
      for (let n = 0; n < 7; n++) {
        time.ms += 86_400_000
        uuids.unshift(await started(by, { type: n % 2 ? 'test' : 'widget' }))
      }
      const page = (await list(by, '?type=widget&per_page=2&page=2')).body
      const address = (n: number) => `/api/user/conversations?type=widget&per_page=2&page=${n}`
      expect(page).toMatchObject({
        current_page: 2,
        data: [{ id: uuids[4] }, { id: uuids[6] }],
        from: 3,
        to: 4,
        total: 4,
        last_page: 2,
        per_page: 2,
        path: '/api/user/conversations',
        first_page_url: address(1),
        last_page_url: address(2),
        next_page_url: null,
        prev_page_url: address(1),
        links: [
          { url: address(1), label: '&laquo; Previous', active: false },
          { url: address(1), label: '1', active: false },
          { url: address(2), label: '2', active: true },
          { url: null, label: 'Next &raquo;', active: false },
        ],
      })
      expect((await list(by, '?page=9')).body).toMatchObject({
        data: [],
        from: null,
        to: null,
        total: 7,
        current_page: 9,
      })
      const days = (await list(by)).body.data.map((it: { created_at: string }) => it.created_at.slice(0, 10))
      expect(
        (await list(by, `?date_from=${days[5]}&date_to=${days[3]}`)).body.data.map((it: { id: string }) => it.id),
      ).toEqual(uuids.slice(3, 6))
      expect((await list(by, `?assistant_id=${by.assistant.id}&date_from=${days[0]}`)).body.total).toBe(1)
      expect((await list(by, '?date_from=1900-01-01&date_to=9999-12-31')).body.total).toBe(7)
      expect((await list(other)).body.total).toBe(1)
      expect(await countWrongCounters(tables().read, conversationList)).toBe(0)
    })

    test('refuses invalid parameters', async () => {
      const [by, other] = [await owner(), await owner()]
      const refused = async (query: string) => (await list(by, query)).body.errors
      expect(await refused(`?assistant_id=${other.assistant.id}`)).toEqual({
        assistant_id: ['The selected assistant id is invalid.'],
      })
      expect(await refused('?assistant_id=987654')).toEqual({ assistant_id: ['The selected assistant id is invalid.'] })
      expect(await refused('?date_from=2027-03-02&date_to=2027-03-01')).toHaveProperty('date_to')
      expect(await refused('?date_from=yesterday')).toHaveProperty('date_from')
      expect(await refused('?type=phone')).toHaveProperty('type')
      expect(await refused('?per_page=101')).toHaveProperty('per_page')
    })
  })

  test('a sent template creates a conversation of the channel, which can be read and not written to', async () => {
    const by = await api().account({ balance: 1 })
    const sender = await addSender(tables(), by.id)
    const body = {
      sender_id: sender.id,
      template_id: sender.template,
      recipient_phone: '+14155550111',
      recipient_name: 'Anna',
    }
    expect(await api().ask('POST', '/api/user/messaging/send', { ...by, body })).toMatchObject({ status: 200 })
    const [listed] = (await list(by, '?type=messaging')).body.data
    expect(listed).toMatchObject({ type: 'messaging', message_count: 1, total_cost: 0.008 })
    expect((await read(listed.id)).body).toMatchObject({
      history: [{ role: 'assistant', content: 'Hello.' }],
      messaging_sender: { phone: sender.phone },
      customer: { name: 'Anna', phone: '+14155550111' },
    })
    expect(await say(listed.id, 'Hello')).toMatchObject(notFound)
  })
})
