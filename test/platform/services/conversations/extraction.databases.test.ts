import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { simulationPlatform } from '../../../support/platform/simulation-platform.ts'
import { webhookReceiver } from '../../../support/platform/webhook-receiver.ts'
import {
  type Answering,
  type ModelRequest,
  type ModelServer,
  modelServer,
} from '../../../support/servers/model-server.ts'

let model: ModelServer
const language = { url: '', model: 'm' }
beforeAll(async () => {
  model = await modelServer()
  language.url = model.url
})
afterAll(() => model.close())

const schema = [
  { name: 'budget', type: 'number', description: 'What they want to spend' },
  { name: 'interested', type: 'bool', description: 'Whether they want it' },
  { name: 'city', type: 'string', description: 'Where they live' },
]
const isReading = ({ body }: ModelRequest): boolean => body.response_format !== undefined
const readings = () => model.requests.filter(isReading)
/** The model chats as ever, and answers this when it is to read. */
const reads = (answer: Answering): void =>
  model.answer((request) => (isReading(request) ? answer : [{ say: 'I see.' }]))
const found = (values: unknown): Answering => [{ say: typeof values === 'string' ? values : JSON.stringify(values) }]

describe.each(databases)('extraction by a language model on $name', (database) => {
  const shown: string[] = []
  const platform = simulationPlatform(database, { language, log: (text) => shown.push(text) })

  /** Ends a conversation of the widget. Returns the payload of its webhook. */
  async function ended(settings: object = {}) {
    shown.length = 0
    const { url, received } = await webhookReceiver()
    const by = await platform.owner({ conversation_inactivity_timeout: 5, post_call_schema: schema, ...settings })
    await platform.enable(by, 'conversation-ended', url)
    const uuid = await platform.chat(by)
    expect((await platform.say(uuid, 'My budget is 250. I live by the Rhône, and no, not today.')).status).toBe(200)
    await platform.minutes(5)
    expect(received).toHaveLength(1)
    const { extracted_variables } = (received[0] as { body: { extracted_variables: unknown } }).body
    const [event] = (await platform.events(by)).filter((one) => one.kind === 'conversation.ended')
    expect(event?.payload.extracted_variables).toEqual(extracted_variables)
    return extracted_variables
  }

  test('is sent in the webhook, extracted once by the schema of the assistant at temperature 0', async () => {
    reads(found({ budget: 300, interested: true, city: 'Lyon' }))
    expect(await ended()).toEqual({ budget: 300, interested: true, city: 'Lyon' })
    expect(readings()).toHaveLength(1)
    const { body } = readings()[0] as ModelRequest
    expect(body).toMatchObject({ model: 'm', temperature: 0, response_format: { type: 'json_schema' } })
    expect(body.response_format.json_schema.schema).toMatchObject({
      required: ['budget', 'interested', 'city'],
      properties: {
        budget: { type: ['number', 'null'], description: 'What they want to spend' },
        interested: { type: ['boolean', 'null'] },
      },
    })
    expect(body.messages[1].content).toContain('Customer: My budget is 250.')
  })

  test('is a status and a summary where there is no schema', async () => {
    reads(found('```json\n{"status": false, "summary": "They may come back."}\n```'))
    expect(await ended({ post_call_schema: [] })).toEqual({ status: false, summary: 'They may come back.' })
  })

  test('falls back to rules for invalid values, and is null for values that were not mentioned', async () => {
    reads(found({ budget: 'a lot', interested: 'FALSE', city: null, colour: 'red' }))
    expect(await ended()).toEqual({ budget: 250, interested: false, city: null })
  })

  test.each<[string, Answering, string]>([
    ['fails', { status: 500, body: 'no' }, 'answered 500'],
    ['answers with anything else', found('I think they want it.'), 'did not return a JSON object'],
    ['breaks off', [{ say: '{"budget":' }, 'drop'], 'stopped before'],
    ['finds nothing it was asked for', found({ colour: 'red' }), 'none of the requested values'],
  ])('is found by rules where the model %s, and the log says so', async (_, answer, why) => {
    reads(answer)
    expect(await ended()).toEqual({ budget: 250, interested: false, city: null })
    expect(readings()).toHaveLength(1)
    expect(shown.filter((line) => line.includes('Using rules instead.'))).toEqual([expect.stringContaining(why)])
  })

  test('applies to calls, except to variables that were set before', async () => {
    reads(found({ budget: 90, interested: true, city: 'Basel' }))
    const by = await platform.owner({ post_call_schema: schema })
    const call = (more: object) =>
      platform.simulate(by, 'call', {
        direction: 'outbound',
        phone_number: '+14155550142',
        assistant: by.assistant,
        ...more,
      })
    await call({ turns: [{ customer: 'Ninety at most.' }], extracted_variables: { city: 'Bern' }, duration: 20 })
    for (let n = 0; n < 4; n++) await platform.seconds(60)
    const calls = async () => (await platform.get(by, 'calls')).data
    expect((await calls())[0]).toMatchObject({ evaluation: { budget: 90, interested: true, city: 'Bern' } })
    expect(readings()).toHaveLength(1)
    await call({ status: 'no-answer' })
    for (let n = 0; n < 4; n++) await platform.seconds(60)
    expect((await calls())[0]).toMatchObject({ status: 'no-answer', evaluation: null })
    expect(readings()).toHaveLength(1)
  })

  test('is skipped for an empty conversation', async () => {
    reads(found({ budget: 1 }))
    const { url, received } = await webhookReceiver()
    const by = await platform.owner({ conversation_inactivity_timeout: 5, post_call_schema: schema })
    await platform.enable(by, 'conversation-ended', url)
    await platform.chat(by)
    await platform.minutes(5)
    expect(received[0]?.body).toMatchObject({ extracted_variables: { budget: null, interested: false, city: null } })
    expect(readings()).toEqual([])
  })
})
