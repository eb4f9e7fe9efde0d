import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, sqlite, temporaryFolder } from '../../../support/databases.ts'
import { chatPlatform } from '../../../support/platform/chat-platform.ts'
import type { Api, Place } from '../../../support/platform/platform-api.ts'
import { openAt } from '../../../support/platform/test-platforms.ts'
import { type ModelServer, modelServer } from '../../../support/servers/model-server.ts'

const language = { url: '', model: 'usual' }
let model: ModelServer
beforeAll(async () => {
  model = await modelServer()
  language.url = model.url
})
afterAll(() => model.close())

describe.each(databases)('a language model on $name', (database) => {
  const { owner, started, say, read, balance, ledger, api } = chatPlatform(database, { language })
  const failed = (details: string) => ({
    status: 400,
    text: JSON.stringify({ status: false, error: `Failed to process message: ${details}` }),
  })

  test('answers a chat, at the price of a chat', async () => {
    model.answer(({ body }) => [{ say: `You said: ${body.messages.at(-1).content}` }])
    const by = await owner()
    const uuid = await started(by)
    expect(await say(uuid, 'Hello')).toMatchObject({
      status: 200,
      body: { status: true, message: 'You said: Hello', function_calls: [] },
    })
    expect(await balance(by)).toBe(0.99)
    expect((await read(uuid)).body.history).toHaveLength(3)
  })

  test.each<[string, Parameters<ModelServer['answer']>[0], string]>([
    [
      'is killed in the middle of its reply',
      () => [{ say: 'I am about to ' }, 'drop'],
      'The language model stopped before the end of its response.',
    ],
    ['refuses', () => ({ status: 403, body: '{}' }), 'The language model answered 403.'],
    [
      'says what nobody can read',
      () => [{ raw: 'data: <html>\n\n' }],
      'The language model returned an invalid response.',
    ],
  ])(
    'that %s makes the message fail: nothing is saved or charged, and it can be sent again',
    async (_, answering, details) => {
      model.answer(answering)
      const by = await owner()
      const uuid = await started(by)
      const headers = { 'idempotency-key': `key-${details}` }
      expect(await say(uuid, 'Hello', headers)).toMatchObject(failed(details))
      expect((await read(uuid)).body.history).toHaveLength(1)
      expect([await balance(by), (await ledger(by)).length]).toEqual([1, 1])
      model.answer(() => [{ say: 'Here I am.' }])
      expect(await say(uuid, 'Hello')).toMatchObject({ status: 200, body: { message: 'Here I am.' } })
      expect(await balance(by)).toBe(0.99)
    },
  )

  test('that fails makes a reply for another channel fail with the error of that endpoint', async () => {
    model.answer(() => [{ say: 'I am' }, 'drop'])
    const by = await owner()
    const body = { assistant_id: by.assistant.id, customer_identifier: 'anna', message: 'Hello' }
    expect(await api().ask('POST', '/api/user/ai/generate-reply', { key: by.key, body })).toMatchObject({
      status: 422,
      body: {
        success: false,
        error: 'Failed to process message: The language model stopped before the end of its response.',
      },
    })
    expect(await balance(by)).toBe(1)
  })

  test('gets the assistant’s prompt with its variables, its languages and its temperature', async () => {
    model.answer(() => [{ say: 'Hallo.' }])
    const by = await owner({}, { llm_temperature: 0.7, language_id: 4, secondary_language_ids: [1, 3] })
    await say(await started(by, { variables: { first_name: 'Anna' } }), 'Guten Tag')
    const { messages, temperature } = model.requests[0]?.body ?? {}
    expect(temperature).toBe(0.7)
    expect(messages).toEqual([
      {
        role: 'system',
        content:
          'Be brief with Anna.\n\nAnswer in German. When the customer writes in English or French, answer in that language instead.',
      },
      { role: 'assistant', content: 'Hello Anna, this is Desk.' },
      { role: 'user', content: 'Guten Tag' },
    ])
  })
})

describe('the models of an assistant', () => {
  const { owner, started, say, api } = chatPlatform(sqlite, { language })
  beforeAll(() =>
    writeFileSync(
      join((api() as Api & { readonly place: Place }).place.dataDir, 'language.json'),
      JSON.stringify({
        retries: 0,
        models: { Fast: 'small', Thorough: { model: 'large', temperature: false }, Realtime: 'live' },
      }),
    ),
  )
  const asked = (): string[] => model.requests.map((it) => it.body.model)

  test('have the names that the operator configured', async () => {
    model.answer(() => [{ say: 'Yes.' }])
    for (const llm_model_id of [1, 2, 3]) await say(await started(await owner({}, { llm_model_id })), 'Hello')
    expect(asked()).toEqual(['small', 'usual', 'large'])
    expect(model.requests.map((it) => 'temperature' in it.body)).toEqual([true, true, false])
  })

  test('for speech have a fallback, which answers in chats', async () => {
    model.answer(({ body }) => (body.model === 'live' ? { status: 400, body: '{}' } : [{ say: 'From the fallback.' }]))
    const by = await owner(
      {},
      { mode: 'multimodal', llm_model_id: null, multimodal_model_id: 21, chat_llm_fallback_id: 1 },
    )
    expect((await say(await started(by), 'Hello')).body.message).toBe('From the fallback.')
    expect(asked()).toEqual(['live', 'small'])
  })

  test('for speech leave functions to the fallback', async () => {
    model.answer(() => [{ say: 'Done.' }])
    const tools = [
      { type: 'calendar_integration', calendar_type: 'cal_a', cal_a_api_key: 'k', cal_a_event_slug: 'checkup' },
    ]
    const by = await owner(
      {},
      { mode: 'multimodal', llm_model_id: null, multimodal_model_id: 21, chat_llm_fallback_id: 3, tools },
    )
    await say(await started(by), 'Hello')
    expect(asked()).toEqual(['large'])
  })

  test('use the key in the credentials of the folder, which a reset preserves', async () => {
    const file = join((api() as Api & { readonly place: Place }).place.dataDir, 'credentials.json')
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), model_key: 'sk-folder' }))
    const again = await openAt((api() as Api & { readonly place: Place }).place, { language })
    await again.control('POST', '/control/reset', {})
    const { body } = await again.ask('GET', '/api/user/assistants/get', {})
    const made = await again.ask('POST', '/api/conversations', {
      key: null,
      body: { assistant_id: body.data[0].uuid, type: 'test' },
    })
    model.answer(() => [{ say: 'Yes.' }])
    await again.ask('POST', `/api/conversations/${made.body.conversation_id}/messages`, {
      key: null,
      body: { message: 'Hello' },
    })
    expect(model.requests.map((it) => it.authorization)).toEqual(['Bearer sk-folder'])
    expect(JSON.parse(readFileSync(file, 'utf8')).model_key).toBe('sk-folder')
  })
})

test('with unusable settings cause a missing reply with a reason, and the operator is notified', async () => {
  const log: string[] = []
  const { openPlatform } = await import('../../../../src/platform/compose.ts')
  const platform = await openPlatform({
    dataDir: temporaryFolder(),
    seed: 7,
    language: { model: 'm' },
    pid: process.pid,
    isAlive: () => true,
    log: (text, fields) => log.push(`${text}: ${fields?.reason}`),
  })
  const ask = (url: string, body: object) =>
    platform.handle({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const list = await platform.handle({
    method: 'GET',
    url: '/api/user/assistants/get',
    headers: { authorization: `Bearer ${platform.credentials().key}` },
  })
  const made = JSON.parse(
    (await ask('/api/conversations', { assistant_id: JSON.parse(list.body).data[0].uuid, type: 'test' })).body,
  )
  const answer = await ask(`/api/conversations/${made.conversation_id}/messages`, { message: 'Hello' })
  expect([answer.status, JSON.parse(answer.body).error]).toEqual([
    400,
    'Failed to process message: The language model is not configured correctly.',
  ])
  expect(log).toEqual([
    expect.stringMatching(/^language model: not configured correctly: .*Missing URL of the model endpoint/),
  ])
  await platform.close()
})
