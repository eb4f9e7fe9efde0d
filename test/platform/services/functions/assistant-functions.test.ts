import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CalendarPort } from '../../../../src/engine/pieces/ports.ts'
import type { Appointment } from '../../../../src/engine/ports.ts'
import { createFunctions } from '../../../../src/platform/services/functions/assistant-functions.ts'
import type { Deps } from '../../../../src/platform/services/runtime/deps.ts'
import { sqlite } from '../../../support/databases.ts'
import { code, hook, respond } from '../../../support/flow-definitions.ts'
import { chatPlatform, type Owner } from '../../../support/platform/chat-platform.ts'
import { type Receiver, receiver } from '../../../support/servers/http-receiver.ts'
import { type Act, calling, type ModelServer, modelServer } from '../../../support/servers/model-server.ts'

const booked: unknown[] = []
const appointment: Appointment = {
  id: 'b1',
  title: 'checkup',
  start: '2027-03-02T09:00:00Z',
  end: '2027-03-02T09:30:00Z',
  status: 'booked',
  name: 'Anna',
  email: 'anna@example.com',
  phone: null,
}
const calendar: CalendarPort = {
  find: async () => [appointment],
  async book(act, draft) {
    booked.push({ act, draft })
    return appointment
  },
  move: async () => ({ ...appointment, start: '2027-03-03T09:00:00Z' }),
  cancel: async () => ({ ...appointment, status: 'cancelled' }),
}

let model: ModelServer
let outside: Receiver
const language = { url: '', model: 'm' }
beforeAll(async () => {
  ;[model, outside] = await Promise.all([modelServer(), receiver()])
  language.url = model.url
})
afterAll(() => Promise.all([model.close(), outside.close()]))

describe('functions of an assistant', () => {
  const platform = chatPlatform(sqlite, {
    language,
    privateAddresses: true,
    automationPorts: { calendarA: calendar },
  })
  const { owner, started, say, read, api } = platform

  /** The model asks for these functions, then answers. */
  const does = (...calls: Act[][]): void => model.answer((_, n) => (n === 0 ? calls.flat() : [{ say: 'Done.' }]))
  const offered = (n = 0): string[] =>
    (model.requests[n]?.body.tools ?? []).map((tool: { function: { name: string } }) => tool.function.name)

  const tool = {
    name: 'order_state',
    description: 'Look an order up.',
    method: 'POST',
    endpoint: '',
    schema: [
      { name: 'order', type: 'string', description: 'Number of the order', required: true },
      { name: 'pieces', type: 'number', description: 'How many pieces', required: false },
      { name: 'weight', type: 'float', description: 'How heavy', required: false },
      { name: 'urgent', type: 'boolean', description: 'Whether it is urgent', required: false },
    ],
  }
  /** An owner whose assistant has a tool. */
  async function withTool(more: object = {}, assistant: object = {}): Promise<Owner> {
    const by = await owner({}, assistant)
    const made = await api().ask('POST', '/api/user/tools', {
      key: by.key,
      body: { ...tool, endpoint: `${outside.url}/orders`, ...more },
    })
    expect(made.status, made.text).toBe(201)
    await api().ask('PUT', `/api/user/assistant/${by.assistant.id}`, {
      key: by.key,
      body: { tool_ids: [made.body.data.id] },
    })
    return by
  }
  const ask = async (by: Owner, variables: object = {}) =>
    (await say(await started(by, { variables }), 'Where is it?')).body

  describe('with a mid-call tool', () => {
    test('sends a request with typed arguments of the model, headers, fixed fields and variables; the reply shows it', async () => {
      outside.answer(() => ({ body: { state: 'on its way' } }))
      does(calling('order_state', { order: 'AB 7', pieces: '3', weight: 1.5, urgent: 'true', unknown: 'x' }))
      const by = await withTool({
        headers: [{ name: 'X-Customer', value: '{{first_name}} of {{assistant_name}}' }],
        static_fields: [
          { key: 'source', value: 'chat' },
          { key: 'day', value: '{{current_date}}' },
        ],
      })
      const uuid = await started(by, { variables: { first_name: 'Anna' } })
      const answer = await say(uuid, 'Where is it?')
      const call = {
        name: 'order_state',
        arguments: { order: 'AB 7', pieces: '3', weight: 1.5, urgent: 'true', unknown: 'x' },
        result: { state: 'on its way' },
      }
      expect(answer.body).toEqual({ status: true, message: 'Done.', function_calls: [call] })
      expect((await read(uuid)).body.history.at(-1)).toEqual({
        role: 'assistant',
        content: 'Done.',
        function_calls: [call],
      })
      const [got] = outside.got
      expect(got).toMatchObject({
        method: 'POST',
        url: '/orders',
        headers: { 'content-type': 'application/json', 'x-customer': 'Anna of Desk' },
      })
      expect(JSON.parse(got?.body ?? '')).toEqual({
        order: 'AB 7',
        pieces: 3,
        weight: 1.5,
        urgent: true,
        source: 'chat',
        day: '2027-03-01',
      })
      expect(model.requests[0]?.body.tools[0].function.parameters).toEqual({
        type: 'object',
        properties: {
          order: { type: 'string', description: 'Number of the order' },
          pieces: { type: 'number', description: 'How many pieces' },
          weight: { type: 'number', description: 'How heavy' },
          urgent: { type: 'boolean', description: 'Whether it is urgent' },
        },
        required: ['order'],
      })
    })

    test.each([
      ['POST', 'form', '/orders', 'order=A%2F7&source=chat'],
      ['PUT', 'json', '/orders', '{"order":"A/7","source":"chat"}'],
      ['GET', 'json', '/orders?order=A%2F7&source=chat', ''],
      ['DELETE', 'json', '/orders?order=A%2F7&source=chat', ''],
    ])('sends %s as %s', async (method, body_format, url, body) => {
      outside.answer(() => ({ body: {} }))
      does(calling('order_state', { order: 'A/7' }))
      await ask(await withTool({ method, body_format, static_fields: [{ key: 'source', value: 'chat' }] }))
      expect(outside.got).toMatchObject([{ method, url, body }])
    })

    test('inserts parameters and variables into the URL, which cannot change its host', async () => {
      outside.answer(() => ({ body: {} }))
      does(calling('order_state', { order: '../../admin?x=1#' }))
      const endpoint = `${outside.url}/{{region}}/orders/{order}`
      await ask(await withTool({ endpoint, method: 'GET' }), { region: 'eu/../us' })
      expect(outside.got.map((it) => it.url)).toEqual(['/eu%2F..%2Fus/orders/..%2F..%2Fadmin%3Fx%3D1%23'])
    })

    test.each<[string, object, Parameters<Receiver['answer']>[0], object]>([
      [
        'refuses',
        {},
        () => ({ status: 500, body: { message: 'No stock.' } }),
        { error: 'The server returned status 500.', status: 500, answer: { message: 'No stock.' } },
      ],
      [
        'answers no JSON',
        {},
        () => ({ headers: { 'content-type': 'text/plain' }, body: 'plain' }),
        { result: 'plain' },
      ],
      ['answers a list', {}, () => ({ body: [1, 2] }), { result: [1, 2] }],
      ['is silent', { timeout: 1 }, () => 'silence', { error: 'The server did not answer within 1 seconds.' }],
      ['breaks off', {}, () => 'drop', { error: expect.stringContaining('closed the connection') }],
    ])('that %s is reported to the model and shown, and the reply comes', async (_, more, answering, result) => {
      outside.answer(answering)
      does(calling('order_state', { order: '7' }))
      expect(await ask(await withTool(more))).toEqual({
        status: true,
        message: 'Done.',
        function_calls: [{ name: 'order_state', arguments: { order: '7' }, result }],
      })
      expect(JSON.parse(model.requests[1]?.body.messages.at(-1).content)).toEqual(result)
    })

    test.each([
      [{}, 'The parameter order is required.'],
      [{ order: '7', pieces: 'many' }, 'The parameter pieces must be a number.'],
      [{ order: '7', urgent: 'perhaps' }, 'The parameter urgent must be true or false.'],
    ])('is not called with %j', async (args, error) => {
      outside.answer(() => ({ body: {} }))
      does(calling('order_state', args))
      expect((await ask(await withTool())).function_calls).toEqual([
        { name: 'order_state', arguments: args, result: { error } },
      ])
      expect(outside.got).toEqual([])
    })

    test('is not called if a variable would break a header', async () => {
      outside.answer(() => ({ body: {} }))
      does(calling('order_state', { order: '7' }))
      const by = await withTool({ headers: [{ name: 'X-Name', value: '{{first_name}}' }] })
      const { function_calls: calls } = await ask(by, { first_name: 'Anna\r\nX-Admin: yes' })
      expect(calls[0].result).toEqual({ error: 'The header X-Name of the tool is invalid.' })
      expect(outside.got).toEqual([])
    })

    test('with a very long response is shortened', async () => {
      outside.answer(() => ({ body: { text: 'x'.repeat(100_000) } }))
      does(calling('order_state', { order: '7' }))
      const [{ result }] = (await ask(await withTool())).function_calls
      expect([result.truncated, result.result.length]).toEqual([true, 32_000])
    })

    test('with the same name as another is distinguished', async () => {
      outside.answer(({ url }) => ({ body: { url } }))
      const by = await withTool({ method: 'GET' })
      const second = await api().ask('POST', '/api/user/tools', {
        key: by.key,
        body: { ...tool, method: 'GET', endpoint: `${outside.url}/second` },
      })
      const [first] = (await api().ask('GET', '/api/user/tools', by)).body
      await api().ask('PUT', `/api/user/assistant/${by.assistant.id}`, {
        key: by.key,
        body: { tool_ids: [first.id, second.body.data.id] },
      })
      does(calling('order_state_2', { order: '7' }))
      expect((await ask(by)).function_calls).toMatchObject([
        { name: 'order_state_2', result: { url: '/second?order=7' } },
      ])
      expect(offered()).toEqual(['order_state', 'order_state_2'])
    })

    test('of an automation runs it and returns its response; a disabled automation is reported', async () => {
      const by = await owner()
      const flow = {
        trigger: hook,
        steps: [code('({ moved: inputs.day })', { day: '{{trigger.body.new_day}}' }), respond('{{step_1}}')],
      }
      const made = await api().ask('POST', '/api/user/automate/flows', { key: by.key, body: { name: 'Move', flow } })
      const id = made.body.automation_id
      const schema = [{ name: 'new_day', type: 'string', description: 'Day to move to', required: true }]
      const endpoint = `http://platform.example/automate/api/v1/webhooks/${id}/sync`
      const added = await api().ask('POST', '/api/user/tools', {
        key: by.key,
        body: { ...tool, name: 'move', endpoint, schema },
      })
      await api().ask('PUT', `/api/user/assistant/${by.assistant.id}`, {
        key: by.key,
        body: { tool_ids: [added.body.data.id] },
      })
      does(calling('move', { new_day: '2027-03-05' }))
      expect((await ask(by)).function_calls).toEqual([
        { name: 'move', arguments: { new_day: '2027-03-05' }, result: { moved: '2027-03-05' } },
      ])
      await api().ask('PUT', `/api/user/automate/flows/${id}`, { key: by.key, body: { enabled: false } })
      does(calling('move', { new_day: '2027-03-05' }))
      expect((await ask(by)).function_calls[0].result).toEqual({
        error: 'The automation of the tool is disabled.',
      })
    })
  })

  test('a calendar is read and booked through its provider, once per turn', async () => {
    const tools = [
      {
        type: 'calendar_integration',
        calendar_type: 'cal_a',
        cal_a_api_key: 'k',
        cal_a_event_slug: 'checkup',
        cal_a_endpoint: 'us',
        description: 'For check-ups',
      },
    ]
    const by = await owner({}, { tools })
    const args = { start: '2027-03-02T09:00:00Z', name: 'Anna' }
    const span = { from: '2027-03-02T00:00:00Z', until: '2027-03-03T00:00:00Z' }
    does(
      calling('calendar_find_appointments', span),
      calling('calendar_book_appointment', args, { index: 1 }),
      calling('calendar_book_appointment', { start: 'soon', name: 'Anna' }, { index: 2 }),
    )
    const { function_calls: calls } = await ask(by)
    expect(calls[0].result).toEqual({ appointments: [{ start: appointment.start, end: appointment.end }] })
    expect(calls[1].result).toMatchObject({ id: 'b1', status: 'booked' })
    expect(calls[2].result).toEqual({ error: expect.stringContaining('The parameter start must be') })
    expect(booked).toMatchObject([
      { act: { account: by.id }, draft: { event: 'checkup', start: args.start, timezone: 'UTC', name: 'Anna' } },
    ])
    expect(offered()).toEqual([
      'calendar_find_appointments',
      'calendar_book_appointment',
      'calendar_move_appointment',
      'calendar_cancel_appointment',
    ])
  })

  test('built-in tools of calls are not offered in a chat', async () => {
    const by = await owner(
      {},
      {
        tools: [
          { type: 'call_transfer', phone_number: '+14155550100' },
          { type: 'dtmf_input' },
          { type: 'collect_keypad', timeout: 5, stop_key: '#' },
        ],
      },
    )
    model.answer(() => [{ say: 'Hi.' }])
    await ask(by)
    expect(model.requests[0]?.body).not.toHaveProperty('tools')
  })

  test('the conversation can be handed over to another assistant, which greets and answers from then on', async () => {
    const by = await owner()
    const second = { name: 'Sales team', initial_message: 'Sales here, {{first_name}}.', system_prompt: 'You sell.' }
    const made = await api().ask('GET', '/api/user/assistants/get', by)
    const { addAssistant } = await import('../../../support/platform/chat-platform.ts')
    const sales = await addAssistant(platform.tables(), by.id, second)
    const tools = [{ type: 'assistant_transfer', assistant_id: sales.id, message_before_transfer: 'One moment.' }]
    const updated = await api().ask('PUT', `/api/user/assistant/${made.body.data[0].id}`, {
      key: by.key,
      body: { tools },
    })
    expect(updated.status, updated.text).toBe(200)
    const uuid = await started(by, { variables: { first_name: 'Anna' } })
    does(calling('transfer_to_sales_team', {}))
    expect((await say(uuid, 'I want to buy')).body).toMatchObject({
      message: 'One moment.\n\nSales here, Anna.',
      function_calls: [{ result: { transferred_to: 'Sales team' } }],
    })
    model.answer(() => [{ say: 'It costs 5.' }])
    await say(uuid, 'How much?')
    expect(model.requests[0]?.body.messages[0].content).toContain('You sell.')
    expect((await platform.list(by)).body.data[0]).toMatchObject({ assistant_name: 'Sales team' })
  })

  test('the conversation can be ended by the built-in tool if that is possible', async () => {
    const by = await owner({}, { tools: [{ type: 'end_call', description: 'When they say goodbye' }] })
    const row = await platform
      .tables()
      .read.selectFrom('assistant')
      .selectAll()
      .where('id', '=', by.assistant.id)
      .executeTakeFirstOrThrow()
    let ended = 0
    const context = {
      deps: { connection: platform.tables() } as Deps,
      assistant: row,
      settings: JSON.parse(row.settings),
      variables: {},
      knowledge: undefined,
      onTransfer: undefined,
      turn: '1',
      customerPhone: null,
      signal: new AbortController().signal,
    }
    const [end, ...others] = await createFunctions({ ...context, onEnd: () => ended++ })
    expect([end?.name, end?.description, others]).toEqual(['end_conversation', 'When they say goodbye', []])
    expect([await end?.run({}), ended]).toEqual([{ ended: true }, 1])
    expect(await createFunctions({ ...context, onEnd: undefined })).toEqual([])
  })

  describe('with a knowledge base', () => {
    async function knowing(mode: 'prompt' | 'function_call'): Promise<Owner> {
      const by = await owner()
      const base = (
        await api().ask('POST', '/api/user/knowledgebases', {
          key: by.key,
          body: { name: 'House', description: 'All about the house' },
        })
      ).body.data.id
      for (const [name, description] of [
        ['Opening hours', 'Open from 8 to 17, closed on Sundays'],
        ['Parking', 'Ten places behind the house'],
      ])
        await api().ask('POST', `/api/user/knowledgebases/${base}/documents`, {
          key: by.key,
          body: { name, description, type: 'website', url: 'https://house.example/' },
        })
      await api().platform.due.drain()
      const change = { knowledgebase_id: base, knowledgebase_mode: mode }
      expect(
        (await api().ask('PUT', `/api/user/assistant/${by.assistant.id}`, { key: by.key, body: change })).status,
      ).toBe(200)
      return by
    }

    test('in prompt mode is in the prompt, and needs no function', async () => {
      model.answer(() => [{ say: 'Hi.' }])
      await ask(await knowing('prompt'))
      const { messages, tools } = model.requests[0]?.body ?? {}
      expect(messages[0].content).toMatch(
        /- Opening hours: Open from 8 to 17, closed on Sundays: https:\/\/house\.example\/\n {2}A page of house .*\n- Parking: /,
      )
      expect(tools).toBeUndefined()
    })

    test('in function_call mode searches it', async () => {
      does(calling('search_knowledge_base', { query: 'on Sunday, the opening hour' }))
      const { function_calls: calls } = await ask(await knowing('function_call'))
      expect(model.requests[0]?.body.messages[0].content).not.toContain('Opening hours')
      expect(calls[0].result.results).toMatchObject([
        { document: 'Opening hours', text: 'Open from 8 to 17, closed on Sundays' },
      ])
    })
  })
})

describe('a tool on this machine', () => {
  const { owner, started, say, api } = chatPlatform(sqlite, { language })

  test('is not called unless the operator allows it', async () => {
    outside.answer(() => ({ body: {} }))
    model.answer((_, n) => (n === 0 ? calling('look', {}) : [{ say: 'Done.' }]))
    const by = await owner()
    const made = await api().ask('POST', '/api/user/tools', {
      key: by.key,
      body: { name: 'look', description: 'Look', endpoint: outside.url, method: 'GET' },
    })
    await api().ask('PUT', `/api/user/assistant/${by.assistant.id}`, {
      key: by.key,
      body: { tool_ids: [made.body.data.id] },
    })
    expect((await say(await started(by), 'Look')).body).toMatchObject({
      message: 'Done.',
      function_calls: [{ result: { error: expect.stringContaining('is on a private network') } }],
    })
    expect(outside.got).toEqual([])
  })
})

describe('a calendar without a connection', () => {
  const { owner, started, say } = chatPlatform(sqlite, { language })

  test('is the local one: an appointment booked in a chat is found there, moved and cancelled', async () => {
    const tools = [
      {
        type: 'calendar_integration',
        calendar_type: 'cal_b',
        cal_b_api_key: 'k',
        cal_b_event_type_uri: 'https://cal.example/event_types/1',
      },
    ]
    const uuid = await started(await owner({}, { tools }))
    const does = async (name: string, args: object) => {
      model.answer((_, n) => (n === 0 ? calling(name, args) : [{ say: 'Done.' }]))
      return (await say(uuid, name)).body.function_calls[0].result
    }
    const span = { from: '2027-03-01T00:00:00Z', until: '2027-03-31T00:00:00Z', email: 'anna@example.com' }
    const made = await does('calendar_book_appointment', {
      start: '2027-03-02T10:00:00+01:00',
      name: 'Anna',
      email: 'anna@example.com',
    })
    expect(made).toMatchObject({ id: expect.any(String), status: 'booked', start: '2027-03-02T09:00:00.000Z' })
    expect(await does('calendar_find_appointments', span)).toEqual({ appointments: [made] })
    expect(await does('calendar_move_appointment', { id: made.id, start: '2027-03-03T09:00:00Z' })).toMatchObject({
      start: '2027-03-03T09:00:00.000Z',
    })
    expect(await does('calendar_cancel_appointment', { id: made.id })).toMatchObject({ status: 'cancelled' })
    expect(await does('calendar_find_appointments', span)).toEqual({ appointments: [] })
    expect(await does('calendar_cancel_appointment', { id: 'nobody' })).toEqual({
      error: 'Appointment not found.',
    })
  })
})
