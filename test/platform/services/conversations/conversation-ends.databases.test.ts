import { describe, expect, test } from 'vitest'
import { buildEventSample } from '../../../../src/engine/templates/event-samples.ts'
import { databases } from '../../../support/databases.ts'
import { hook } from '../../../support/flow-definitions.ts'
import { simulationPlatform } from '../../../support/platform/simulation-platform.ts'
import { webhookReceiver } from '../../../support/platform/webhook-receiver.ts'

/** Returns the names of the fields of the first line of a transcript. */
const lineFields = ({ transcript }: Record<string, unknown>): readonly string[] =>
  Object.keys((transcript as readonly object[])[0] ?? {}).sort()

describe.each(databases)('a conversation on $name', (database) => {
  const platform = simulationPlatform(database)
  const schema = [
    { name: 'budget', type: 'number', description: 'What they want to spend' },
    { name: 'interested', type: 'bool', description: 'Whether they want it' },
    { name: 'city', type: 'string', description: 'Where they live' },
  ]

  test('of the widget ends after the idle minutes of its assistant, and its webhook gets all the data', async () => {
    const { url, received } = await webhookReceiver()
    const by = await platform.owner({
      conversation_inactivity_timeout: 5,
      post_call_schema: schema,
      variables: { city: 'Lyon' },
    })
    await platform.enable(by, 'conversation-ended', url)
    const uuid = await platform.chat(by, { variables: { first_name: 'Anna' } })
    await platform.minutes(4)
    expect((await platform.say(uuid, 'My budget is 250, yes please.')).status).toBe(200)
    await platform.minutes(4.9)
    expect(received).toHaveLength(0)
    await platform.minutes(0.1)
    expect(received).toHaveLength(1)
    const { body } = received[0] as { body: Record<string, unknown> }
    expect(Object.keys(body).sort()).toEqual(
      'assistant_id attachments conversation_id created_at customer_name customer_phone ended_at extracted_variables formatted_transcript id input_variables message_count sender status transcript type'.split(
        ' ',
      ),
    )
    // Automations are tested with the sample.
    const sample = buildEventSample('conversation_ended', { id: '' }, 0)
    expect(Object.keys(sample).sort()).toEqual(Object.keys(body).sort())
    expect(lineFields(sample)).toEqual(lineFields(body))
    expect(body).toMatchObject({
      conversation_id: uuid,
      type: 'widget',
      status: 'ended',
      message_count: 3,
      customer_phone: null,
      sender: null,
      attachments: [],
      extracted_variables: { budget: 250, interested: true, city: 'Lyon' },
      input_variables: { first_name: 'Anna', city: 'Lyon' },
      created_at: '2027-03-01T12:00:00.000Z',
      ended_at: '2027-03-01T12:09:00.000Z',
    })
    expect(body.transcript).toMatchObject([
      { role: 'assistant', timestamp: '2027-03-01T12:00:00.000Z' },
      { role: 'user', content: 'My budget is 250, yes please.', timestamp_unix: Date.UTC(2027, 2, 1, 12, 4) / 1000 },
      { role: 'assistant' },
    ])
    expect(body.formatted_transcript).toMatch(/^AI: Hello Anna.*\nCustomer: My budget is 250, yes please\.\nAI: /)
  })

  test('of the messaging channel is sent with its customer and sender', async () => {
    const { url, received } = await webhookReceiver()
    const by = await platform.owner({ conversation_inactivity_timeout: 30 })
    await platform.enable(by, 'conversation-ended', url)
    const sender = await platform.sender(by, { display_name: 'Front desk' })
    const { body } = await platform.simulate(by, 'message', {
      sender: sender.id,
      from: '+14155550142',
      text: 'Hello there',
      name: 'Clara',
    })
    expect(body.message).toBe('Message received.')
    await platform.minutes(0)
    await platform.minutes(31)
    expect(received).toHaveLength(1)
    expect(received[0]?.body).toMatchObject({
      conversation_id: body.data.conversation_id,
      type: 'messaging',
      customer_phone: '+14155550142',
      customer_name: 'Clara',
      sender: { phone_number: sender.phone, display_name: 'Front desk' },
      message_count: 2,
      extracted_variables: { status: true, summary: 'The customer said last: Hello there' },
    })
  })

  test('does not end automatically if its assistant has no timeout, or if it is a test', async () => {
    const [by, other] = [
      await platform.owner({ conversation_inactivity_timeout: null }),
      await platform.owner({ conversation_inactivity_timeout: 1 }),
    ]
    await platform.chat(by)
    await platform.chat(other, { type: 'test' })
    await platform.minutes(3000)
    for (const one of [by, other])
      expect((await platform.events(one)).filter((event) => event.kind === 'conversation.ended')).toEqual([])
  })

  test('ends once by command, and sends the webhook if the assistant has one', async () => {
    const { url, received } = await webhookReceiver()
    const by = await platform.owner({ conversation_inactivity_timeout: 10 })
    await platform.enable(by, 'conversation-ended', url)
    const uuid = await platform.chat(by)
    expect((await platform.simulate(by, 'end', { conversation: uuid })).body).toMatchObject({
      message: 'Conversation ended.',
      data: { changed: true },
    })
    expect((await platform.simulate(by, 'end', { conversation: uuid })).body.data.changed).toBe(false)
    await platform.minutes(100)
    expect(received).toHaveLength(1)
    expect((await platform.simulate(await platform.owner(), 'end', { conversation: uuid })).status).toBe(404)
  })

  test.each([
    [false, 1],
    [true, 2],
  ])(
    'continues when the customer writes, and its next end is sent only where that is enabled (%s)',
    async (retrigger, shown) => {
      const { url, received } = await webhookReceiver()
      const by = await platform.owner({ conversation_inactivity_timeout: 10, conversation_ended_retrigger: retrigger })
      await platform.enable(by, 'conversation-ended', url)
      const uuid = await platform.chat(by)
      await platform.minutes(11)
      await platform.say(uuid, 'One more thing')
      await platform.minutes(11)
      expect(received).toHaveLength(shown)
      expect(new Set(received.map((one) => one.headers['webhook-id'])).size).toBe(shown)
      expect((await platform.events(by)).filter((event) => event.kind === 'conversation.ended')).toHaveLength(2)
    },
  )

  test('whose webhook was disabled is not sent', async () => {
    const { url, received } = await webhookReceiver()
    const by = await platform.owner({ conversation_inactivity_timeout: 10 })
    await platform.enable(by, 'conversation-ended', url)
    await platform.chat(by)
    await platform.api().ask('POST', '/api/user/assistants/disable-conversation-ended-webhook', {
      key: by.key,
      body: { assistant_id: by.assistant },
    })
    await platform.minutes(11)
    expect(received).toHaveLength(0)
  })

  test('starts one automation when it starts and another when it ends, each once', async () => {
    const by = await platform.owner({ conversation_inactivity_timeout: 10 })
    const started = { pieceName: '@platform/piece-platform', triggerName: 'newConversation', input: {} }
    const step = {
      name: 'step_1',
      type: 'CODE',
      displayName: 'Code',
      settings: { sourceCode: { code: 'export const code = async (i) => i' }, input: { all: '{{trigger}}' } },
    }
    const first = await platform.create(by, {
      flow: {
        trigger: { name: 'trigger', type: 'PIECE_TRIGGER', displayName: 'Begins', settings: started },
        steps: [step],
      },
      assistant_id: by.assistant,
    })
    const second = await platform.create(by, {
      flow: { trigger: hook, steps: [step] },
      assistant_id: by.assistant,
      bind_webhook: 'conversation_ended',
    })
    expect([first.body.binding?.bound, second.body.binding?.bound]).toEqual([true, true])
    const uuid = await platform.chat(by)
    await platform.minutes(11)
    for (const { body } of [first, second]) {
      const runs = await platform
        .tables()
        .read.selectFrom('automation_run')
        .selectAll()
        .where('automation_id', '=', body.automation_id)
        .where('testing', '=', 0)
        .execute()
      expect(runs).toHaveLength(1)
      expect(runs[0]?.payload).toContain(uuid)
      expect(runs[0]?.status).toBe('SUCCEEDED')
    }
  })

  test('with a customer is resumed after it ended, not started again', async () => {
    const by = await platform.owner({ conversation_inactivity_timeout: 10 })
    const sender = await platform.sender(by)
    const write = () => platform.simulate(by, 'message', { sender: sender.phone, from: '+14155550143', text: 'Hi' })
    const first = (await write()).body.data.conversation_id
    await platform.minutes(60)
    expect((await write()).body.data.conversation_id).toBe(first)
    await platform.minutes(0)
    expect((await platform.get(by, 'conversations?type=messaging')).total).toBe(1)
    expect((await platform.events(by)).filter((event) => event.kind === 'conversation.started')).toHaveLength(1)
  })
})
