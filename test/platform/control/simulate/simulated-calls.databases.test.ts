import { describe, expect, test } from 'vitest'
import { buildEventSample } from '../../../../src/engine/templates/event-samples.ts'
import { databases } from '../../../support/databases.ts'
import { code, event, respond } from '../../../support/flow-definitions.ts'
import { simulationPlatform } from '../../../support/platform/simulation-platform.ts'
import { webhookReceiver } from '../../../support/platform/webhook-receiver.ts'

const turns = [
  { customer: 'Hello, my budget is 120.' },
  { assistant: 'Thank you. Anything else?', after: 10 },
  { customer: 'Yes, call me tomorrow.', after: 6 },
]
const schema = [
  { name: 'budget', type: 'number', description: 'What they want to spend' },
  { name: 'mood', type: 'string', description: 'How they sound' },
]

describe.each(databases)('a simulated call on $name', (database) => {
  const platform = simulationPlatform(database)
  const owner = async (more: object = {}) => platform.owner({ post_call_schema: schema, ...more })
  type Owner = Awaited<ReturnType<typeof owner>>
  const calls = async (by: Owner) => (await platform.get(by, 'calls')).data
  const balance = async (by: Owner): Promise<number> => (await platform.get(by, 'me')).total_balance
  const call = (by: Owner, body: object) =>
    platform.simulate(by, 'call', { phone_number: '+14155550142', assistant: by.assistant, ...body })
  const inbound = { direction: 'inbound', to: '+14155550100' }

  test('that is inbound follows its script: transcript, duration, end, cost and extracted values', async () => {
    const by = await owner()
    const { status, body } = await call(by, {
      ...inbound,
      turns,
      extracted_variables: { mood: 'cheerful' },
      duration: 75,
    })
    expect([status, body.message]).toEqual([200, 'Inbound call received.'])
    await platform.seconds(0)
    expect((await calls(by))[0]).toMatchObject({ id: body.data.id, type: 'inbound', status: 'ringing' })
    await platform.seconds(6)
    expect((await calls(by))[0]).toMatchObject({ status: 'in-progress', duration: 1 })
    await platform.seconds(100)
    expect((await calls(by))[0]).toMatchObject({
      type: 'inbound',
      status: 'ended_by_customer',
      answered_by: 'human',
      duration: 75,
      assistant_phone_number: '+14155550100',
      client_phone_number: '+14155550142',
      transcript: expect.stringMatching(
        /^AI: Hello .*\nCustomer: Hello, my budget is 120\.\nAI: Thank you\. Anything else\?\nCustomer: Yes, call me tomorrow\.$/,
      ),
      evaluation: { budget: 120, mood: 'cheerful' },
      total_cost: 0.2,
    })
    expect(await balance(by)).toBeCloseTo(0.8)
  })

  test('is sent to the post-call webhook, with all its data', async () => {
    const { url, received } = await webhookReceiver()
    const by = await owner({ record: true, variables: { shop: 'North' } })
    await platform.enable(by, 'post-call', url)
    await call(by, { direction: 'outbound', turns, status: 'ended_by_assistant', variables: { first_name: 'Anna' } })
    await platform.seconds(0)
    for (let n = 0; n < 3; n++) await platform.seconds(60)
    expect(received).toHaveLength(1)
    const { body } = received[0] as { body: Record<string, unknown> }
    expect(Object.keys(body).sort()).toEqual(
      'assistant_phone created_at customer_phone duration extracted_variables finished_at formatted_transcript id input_variables recording_url status transcript'.split(
        ' ',
      ),
    )
    // Automations are tested with the sample.
    expect(Object.keys(buildEventSample('post_call', { id: '' }, 0)).sort()).toEqual(Object.keys(body).sort())
    expect(body).toMatchObject({
      id: expect.any(Number),
      customer_phone: '+14155550142',
      status: 'ended_by_assistant',
      duration: 22,
      extracted_variables: { budget: 120, mood: null },
      input_variables: { shop: 'North', first_name: 'Anna' },
      recording_url: expect.stringMatching(/^https:/),
      finished_at: new Date(Date.parse(String(body.created_at)) + 27_000).toISOString(),
    })
    expect(body.transcript).toMatchObject([
      { sender: 'bot' },
      { sender: 'human', text: turns[0]?.customer },
      { sender: 'bot' },
      { sender: 'human' },
    ])
    expect(body.formatted_transcript).toMatch(/^AI: Hello Anna.*\nCustomer: Hello/)
  })

  test.each([
    ['no-answer', true, 0],
    ['busy', true, 0],
    ['failed', true, 0],
    ['no-answer', false, 1],
    ['completed', true, 1],
    ['ended_by_customer', true, 1],
  ])('that ends %s, with only completed ones %s, is sent %i times', async (status, only, shown) => {
    const { url, received } = await webhookReceiver()
    const by = await owner({ send_webhook_only_on_completed: only })
    await platform.enable(by, 'post-call', url)
    await call(by, { direction: 'outbound', status, turns: [] })
    await platform.seconds(0)
    for (let n = 0; n < 4; n++) await platform.seconds(60)
    expect((await calls(by))[0]).toMatchObject({ status })
    expect(received).toHaveLength(shown)
  })

  test('is sent without its recording when that is disabled', async () => {
    const { url, received } = await webhookReceiver()
    const by = await owner({ record: true, include_recording_in_webhook: false })
    await platform.enable(by, 'post-call', url)
    await call(by, { direction: 'outbound', turns, recording_url: 'https://recordings.example/1.mp3' })
    await platform.seconds(0)
    for (let n = 0; n < 3; n++) await platform.seconds(60)
    expect(received).toHaveLength(1)
    expect(received[0]?.body).not.toHaveProperty('recording_url')
    expect((await calls(by))[0].recording_url).toBe('https://recordings.example/1.mp3')
  })

  test('calls the inbound webhook before the assistant answers', async () => {
    const { url, received } = await webhookReceiver({ body: { first_name: 'Clara', visits: 3 } })
    const by = await owner()
    await platform.enable(by, 'inbound', url)
    await call(by, { ...inbound, turns })
    expect(received.map((one) => one.body)).toEqual([
      { customer_phone: '+14155550142', assistant_phone: '+14155550100' },
    ])
    await platform.seconds(0)
    for (let n = 0; n < 3; n++) await platform.seconds(60)
    expect((await calls(by))[0]).toMatchObject({
      transcript: expect.stringContaining('AI: Hello Clara'),
      variables: { first_name: 'Clara', visits: '3' },
    })
    const [shown] = (await platform.control(`deliveries?account=${by.id}`)).body.data
    expect(shown).toMatchObject({ event: 'inbound', status: 'delivered', attempts: 1 })
  })

  test.each([[{ status: 500 }], [{ body: [1] }], [{ body: { deep: {} } }]])(
    'is answered even if the inbound webhook responds with %j',
    async (answer) => {
      const { url, received } = await webhookReceiver(answer)
      const by = await owner()
      await platform.enable(by, 'inbound', url)
      expect((await call(by, inbound)).status).toBe(200)
      await platform.minutes(10)
      expect(received).toHaveLength(1)
      await platform.minutes(10)
      expect((await calls(by))[0]).toMatchObject({ status: 'ended_by_customer', variables: {} })
    },
  )

  test('runs the automations of its assistant: one before it is answered, one when it ends', async () => {
    const by = await owner()
    const lookup = await platform.create(by, {
      flow: { trigger: event('inboundCall'), steps: [respond({ first_name: 'Ada' })] },
      assistant_id: by.assistant,
    })
    const step = code('inputs.all', {
      all: "{{trigger['extracted_variables']['budget']}} {{trigger['customer_phone']}}",
    })
    const after = await platform.create(by, {
      flow: { trigger: event('phoneCallEnded'), steps: [step] },
      assistant_id: by.assistant,
    })
    expect([lookup.body.status, after.body.status]).toEqual(['active', 'active'])
    await call(by, { ...inbound, turns })
    await platform.seconds(0)
    for (let n = 0; n < 3; n++) await platform.seconds(60)
    expect((await calls(by))[0].transcript).toContain('Hello Ada')
    const runs = await platform
      .tables()
      .read.selectFrom('automation_run')
      .selectAll()
      .where('automation_id', '=', after.body.automation_id)
      .where('testing', '=', 0)
      .execute()
    expect(runs).toHaveLength(1)
    const [done] = await platform
      .tables()
      .read.selectFrom('automation_step')
      .select('output')
      .where('run', '=', runs[0]?.number as number)
      .execute()
    expect(JSON.parse(done?.output ?? 'null')).toBe('120 +14155550142')
  })

  test('needs an assistant, a number and balance for a minute', async () => {
    const [by, poor] = [await owner(), await owner()]
    await platform.api().control('PUT', `/control/accounts/${poor.id}`, { balance: 0 })
    expect((await call(by, { ...inbound, assistant: 'Nobody' })).body).toEqual({
      message: 'This cannot be simulated: assistant not found.',
    })
    expect((await call(by, { ...inbound, to: undefined })).body).toEqual({
      message: 'This cannot be simulated: the assistant has no phone number. Pass the called number as "to".',
    })
    expect((await call(by, { ...inbound, assistant: undefined })).body).toEqual({
      message: 'This cannot be simulated: phone number not found.',
    })
    expect((await call(by, { ...inbound, phone_number: 'nobody' })).status).toBe(400)
    expect((await call(poor, inbound)).body).toEqual({ message: 'Insufficient balance' })
    expect((await call(by, { ...inbound, turns: [{ customer: 'a', assistant: 'b' }] })).status).toBe(422)
    expect((await calls(poor)).length + (await calls(by)).length).toBe(0)
  })
})
