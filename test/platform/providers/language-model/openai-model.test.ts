import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FunctionRun, ModelFunction, ModelRequest } from '../../../../src/engine/ports.ts'
import type { ModelEndpoint } from '../../../../src/platform/providers/language-model/model-endpoint.ts'
import { maxRounds, openAiModel } from '../../../../src/platform/providers/language-model/openai-model.ts'
import { hangMs } from '../../../support/hang-timeout.ts'
import { calling, type ModelServer, modelServer } from '../../../support/servers/model-server.ts'

let server: ModelServer
beforeAll(async () => {
  server = await modelServer()
})
afterAll(() => server.close())

const weather: ModelFunction = {
  name: 'weather',
  description: 'Tell the weather.',
  parameters: { type: 'object', properties: { town: { type: 'string' } }, required: ['town'] },
  run: async ({ town }) => ({ town, sky: 'clear' }),
}
const turn: ModelRequest = {
  account: 1,
  models: ['Fast'],
  temperature: 0.4,
  assistant: 'Desk',
  instructions: 'Be brief.',
  variables: {},
  messages: [{ role: 'user', content: 'How is the weather in Bern?' }],
  functions: [],
}

/** Asks with a fresh model; what was streamed, logged and slept beside the outcome. */
async function ask(more: Partial<ModelRequest> = {}, endpoint: Partial<ModelEndpoint> = {}) {
  const [pieces, runs, log, slept]: [string[], FunctionRun[], string[], number[]] = [[], [], [], []]
  const language = openAiModel({
    endpointOf: (name) => ({
      baseUrl: server.url,
      key: 'sk-secret',
      model: `remote-${name}`,
      takesTemperature: true,
      timeoutMs: hangMs,
      retries: 2,
      ...endpoint,
    }),
    description: 'test',
    log: (text) => log.push(text),
    sleep: async (ms) => void slept.push(ms),
  })
  const reply = await language.reply({
    ...turn,
    onText: (it) => pieces.push(it),
    onRun: (it) => runs.push(it),
    ...more,
  })
  return { reply, pieces, runs, log, slept }
}

describe('a model over the chat-completions protocol', () => {
  test('gets the configured model name, key, temperature and messages, and streams its reply', async () => {
    server.answer(() => [{ say: 'Cle' }, { say: 'ar, ' }, { say: '21 degrees 🌞.' }])
    const { reply, pieces } = await ask()
    expect(reply).toEqual({ ok: true, text: 'Clear, 21 degrees 🌞.', calls: [] })
    expect(pieces).toEqual(['Cle', 'ar, ', '21 degrees 🌞.'])
    expect(server.requests).toEqual([
      {
        path: '/v1/chat/completions',
        authorization: 'Bearer sk-secret',
        body: {
          model: 'remote-Fast',
          stream: true,
          temperature: 0.4,
          messages: [
            { role: 'system', content: 'Be brief.' },
            { role: 'user', content: 'How is the weather in Bern?' },
          ],
        },
      },
    ])
  })

  test('of an account with many requests leaves room for those of other accounts', async () => {
    let answerAll = (): void => {}
    const held = new Promise<void>((resolve) => {
      answerAll = resolve
    })
    server.answer(({ body }) =>
      body.messages.at(-1).content === 'Quick?' ? [{ say: 'Yes.' }] : [{ until: held }, { say: 'Late.' }],
    )
    const language = openAiModel({
      endpointOf: (model) => ({ baseUrl: server.url, model, takesTemperature: true, timeoutMs: hangMs, retries: 0 }),
      description: 'test',
      log: () => {},
    })
    const busy = Array.from({ length: 200 }, () => language.reply(turn))
    await expect.poll(() => server.requests.length).toBeGreaterThan(20)
    const quick = { ...turn, account: 2, messages: [{ role: 'user' as const, content: 'Quick?' }] }
    expect(await language.reply(quick)).toMatchObject({ ok: true, text: 'Yes.' })
    expect(server.requests.length).toBeLessThan(60)
    answerAll()
    for (const reply of await Promise.all(busy)) expect(reply).toMatchObject({ ok: true, text: 'Late.' })
  })

  test('can call functions in chunks, in parallel and in sequence, and gets their results', async () => {
    server.answer((_, n) => {
      if (n === 0)
        return [
          { say: 'Let me look.' },
          ...calling('weather', { town: 'Bern' }, { id: 'a' }),
          ...calling('weather', { town: 'Basel' }, { id: 'b', index: 1 }),
        ]
      if (n === 1) return calling('weather', { town: 'Chur' }, { id: 'c' })
      return [{ say: 'All clear.' }]
    })
    const { reply, runs, pieces } = await ask({ functions: [weather] })
    const calls = ['Bern', 'Basel', 'Chur'].map((town) => ({
      name: 'weather',
      arguments: { town },
      result: { town, sky: 'clear' },
    }))
    expect(reply).toEqual({ ok: true, text: 'Let me look.\n\nAll clear.', calls })
    expect(runs).toEqual(calls)
    expect(pieces.join('')).toBe('Let me look.\n\nAll clear.')
    expect(server.requests[0]?.body.tools).toEqual([
      {
        type: 'function',
        function: { name: 'weather', description: 'Tell the weather.', parameters: weather.parameters },
      },
    ])
    expect(server.requests[1]?.body.messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"town":"Bern"}' } },
          { id: 'b', type: 'function', function: { name: 'weather', arguments: '{"town":"Basel"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: '{"town":"Bern","sky":"clear"}' },
      { role: 'tool', tool_call_id: 'b', content: '{"town":"Basel","sky":"clear"}' },
    ])
  })

  test('is informed that a function failed, is unknown or had invalid arguments, and still replies', async () => {
    const breaking = { ...weather, run: async () => Promise.reject(new Error('The sky fell.')) }
    server.answer((_, n) =>
      n > 0
        ? [{ say: 'Sorry.' }]
        : [
            ...calling('weather', { town: 'Bern' }),
            ...calling('tides', {}, { index: 1 }),
            { call: { index: 2, id: 'x', name: 'weather', args: '{"town":' } },
          ],
    )
    const { reply } = await ask({ functions: [breaking] })
    expect(reply).toMatchObject({
      ok: true,
      text: 'Sorry.',
      calls: [
        { name: 'weather', arguments: { town: 'Bern' }, result: { error: 'The sky fell.' } },
        { name: 'tides', result: { error: 'Unknown function tides.' } },
        { name: 'weather', arguments: {}, result: { error: 'The arguments are not a JSON object.' } },
      ],
    })
  })

  test('cannot call functions endlessly', async () => {
    server.answer(() => calling('weather', { town: 'Bern' }))
    const { reply, runs } = await ask({ functions: [weather] })
    expect(reply).toEqual({ ok: false, reason: 'The language model called functions too many times.' })
    expect(runs).toHaveLength(maxRounds)
    expect(server.requests.map((it) => it.body.tool_choice)).toEqual([...Array(maxRounds).fill('auto'), 'none'])
  })

  test('gets the function calls of earlier replies', async () => {
    server.answer(() => [{ say: 'Yes.' }])
    const run = { name: 'weather', arguments: { town: 'Bern' }, result: { sky: 'clear' } }
    await ask({
      messages: [
        ...turn.messages,
        { role: 'assistant', content: 'Clear.', calls: [run] },
        { role: 'user', content: 'Really?' },
      ],
    })
    const [, , asked, shown, answered] = server.requests[0]?.body.messages ?? []
    expect(asked.tool_calls[0].function).toEqual({ name: 'weather', arguments: '{"town":"Bern"}' })
    expect(shown).toEqual({ role: 'tool', tool_call_id: asked.tool_calls[0].id, content: '{"sky":"clear"}' })
    expect(answered).toEqual({ role: 'assistant', content: 'Clear.' })
  })

  test('is understood without streaming, with other line ends, and without [DONE]', async () => {
    server.answer(() => ({
      status: 200,
      body: JSON.stringify({ choices: [{ message: { content: 'Whole.' }, finish_reason: 'stop' }] }),
    }))
    expect((await ask()).reply).toMatchObject({ ok: true, text: 'Whole.' })
    server.answer(() => ({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: ': hello\r\n\r\ndata:{"choices":[{"delta":{"content":"Odd"}}]}\r\n\r\nevent: x\r\ndata: {"choices":[{"delta":{},"finish_reason":"stop"}]}',
    }))
    expect((await ask()).reply).toMatchObject({ ok: true, text: 'Odd' })
  })

  test('gets no temperature if it accepts none', async () => {
    server.answer(() => [{ say: 'Hm.' }])
    await ask({}, { takesTemperature: false })
    expect(server.requests[0]?.body).not.toHaveProperty('temperature')
  })
})

describe('a model that is busy', () => {
  test.each([429, 500, 503])('with %s is retried after the requested time', async (status) => {
    server.answer((_, n) => (n === 0 ? { status, headers: { 'retry-after': '3' }, body: '{}' } : [{ say: 'Now.' }]))
    const { reply, slept } = await ask()
    expect([reply, slept]).toEqual([{ ok: true, text: 'Now.', calls: [] }, [3000]])
  })

  test('fails after its retries, and immediately if it asks for a long wait', async () => {
    server.answer(() => ({ status: 429, body: '{}' }))
    expect((await ask()).slept).toEqual([500, 1000])
    expect(server.requests).toHaveLength(3)
    server.answer(() => ({ status: 429, headers: { 'retry-after': '60' }, body: '{}' }))
    const { reply, slept } = await ask()
    expect([reply, slept]).toEqual([{ ok: false, reason: 'The language model answered 429.' }, []])
  })

  test('is replaced by the next model of the assistant, but not after the reply has started', async () => {
    server.answer(({ body }) =>
      body.model === 'remote-Fast' ? { status: 404, body: '{"error":"no such model"}' } : [{ say: 'Second.' }],
    )
    expect((await ask({ models: ['Fast', 'Balanced'] })).reply).toMatchObject({ ok: true, text: 'Second.' })
    server.answer(({ body }) => (body.model === 'remote-Fast' ? [{ say: 'First' }, 'drop'] : [{ say: 'Second.' }]))
    expect((await ask({ models: ['Fast', 'Balanced'] })).reply).toEqual({
      ok: false,
      reason: 'The language model stopped before the end of its response.',
    })
    server.answer(({ body }, n) =>
      body.model !== 'remote-Fast'
        ? [{ say: 'Second.' }]
        : n === 0
          ? calling('weather', { town: 'Bern' })
          : { status: 400, body: '' },
    )
    expect((await ask({ models: ['Fast', 'Balanced'], functions: [weather] })).reply).toEqual({
      ok: false,
      reason: 'The language model answered 400.',
    })
  })
})

describe('a model that fails', () => {
  test.each([
    [
      'is cut in the middle',
      [{ say: 'Clear, ' }, 'drop'],
      'The language model stopped before the end of its response.',
    ],
    ['ends before its end', [{ say: 'Clear' }, 'end'], 'The language model stopped before the end of its response.'],
    ['sends invalid JSON', [{ raw: 'data: {"choices": [\n\n' }], 'The language model returned an invalid response.'],
    [
      'tells of an error in its stream',
      [{ say: 'Clear' }, { raw: 'data: {"error":{"message":"sk-secret overloaded"}}\n\n' }],
      'The language model stopped with an error.',
    ],
    ['says nothing', [], 'The language model returned an empty reply.'],
  ] as const)('with %s gives no reply, and the sender gets a reason', async (_, acts, reason) => {
    server.answer(() => [...acts])
    expect((await ask()).reply).toEqual({ ok: false, reason })
    expect(server.requests).toHaveLength(1)
  })

  test('without a response is ended after its timeout', async () => {
    server.answer(() => [{ say: 'Clear' }, 'silence'])
    expect((await ask({}, { timeoutMs: 150 })).reply).toEqual({
      ok: false,
      reason: 'The language model did not answer within 0.2 seconds.',
    })
  })

  test('because it is unavailable is retried, then reported', async () => {
    const { reply, slept, log } = await ask({}, { baseUrl: 'http://127.0.0.1:9/v1' })
    expect([reply, slept.length]).toEqual([{ ok: false, reason: 'The language model could not be reached.' }, 2])
    expect(log[0]).toContain('language model remote-Fast at 127.0.0.1:9: ')
  })

  test('with a reason shows it only to the operator, without the key', async () => {
    server.answer(() => ({ status: 401, body: '{"error":{"message":"Incorrect API key provided: sk-secret"}}' }))
    const { reply, log } = await ask()
    expect(reply).toEqual({ ok: false, reason: 'The language model answered 401.' })
    expect(log).toEqual([expect.stringContaining('Incorrect API key provided: ****')])
  })

  test('with a redirect does not send its key there', async () => {
    server.answer((_, n) =>
      n === 0 ? { status: 307, headers: { location: `${server.url}/elsewhere` }, body: '' } : [{ say: 'Stolen.' }],
    )
    expect((await ask()).reply).toMatchObject({ ok: false })
    expect(server.requests).toHaveLength(1)
  })
})
