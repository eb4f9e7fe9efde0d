import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Receiver, receiver } from '../support/http-receiver.ts'
import { type ModelServer, modelServer } from '../support/model-server.ts'
import { keys } from '../support/terminal.ts'
import { filledPlace, newPlace, type Place, parley } from './support/built-program.ts'
import { atTerminal } from './support/program-terminal.ts'
import { credentialsOf, serve } from './support/server-process.ts'

// A chat with an assistant, by hand.

const at = await filledPlace()
const chat = 'conversations chat --assistant 1'

test.each([['Ctrl-D', keys.ctrlD]])('reads line by line, and exits cleanly with %s', async (_, end) => {
  const { exitCode, screen } = await atTerminal(
    chat,
    [
      ['how can I help you?'],
      ['You ', `When are you open?${keys.enter}`],
      ['8:00 to 17:00.'],
      ['You ', `#fail${keys.enter}`],
      ['Failed to process message'],
      ['You ', end],
      ['parley conversations chat'],
    ],
    { at },
  )
  expect([exitCode, screen]).toEqual([0, expect.stringContaining('Assistant')])
})

test('prints whole replies without animation', async () => {
  const steps = [
    ['You ', `#function${keys.enter}`],
    ['ran look_up_opening_hours {"day":"today"}'],
    ['Assistant  We are open today'],
    ['You ', keys.ctrlD],
  ] as const
  for (const env of [{ ACCESSIBLE: '1' }, { TERM: 'dumb' }])
    expect((await atTerminal(chat, steps, { at, env })).exitCode, JSON.stringify(env)).toBe(0)
})

describe('with a language model behind the server', () => {
  let model: ModelServer
  let outside: Receiver
  beforeAll(async () => {
    ;[model, outside] = await Promise.all([modelServer(), receiver()])
  })
  afterAll(() => Promise.all([model.close(), outside.close()]))

  /** A server whose assistant 2 has a tool that asks the receiver. Its key is only in the environment. */
  async function served() {
    const place: Place = await filledPlace()
    const env = { PARLEY_MODEL_KEY: 'sk-secret-of-the-model', PARLEY_PRIVATE_ADDRESSES: '1' }
    const server = await serve(place, { flags: `--model-url ${model.url} --model small`, env })
    const schema = JSON.stringify([
      { name: 'order', type: 'string', description: 'Number of the order', required: true },
    ])
    const tool = [
      'tools',
      'create',
      '--name',
      'order_state',
      '--description',
      'Look an order up',
      '--endpoint',
      `${outside.url}/orders/{order}`,
      '--method',
      'GET',
      '--schema',
      schema,
      '-o',
      'id',
    ]
    const { stdout: id } = await parley(tool, { at: place })
    expect((await parley(`assistants update 2 --tool-ids [${id.trim()}] --yes`, { at: place })).exitCode).toBe(0)
    return { place, server }
  }
  const history = async (place: Place, id: string) =>
    JSON.parse((await parley(`conversations get ${id} --json`, { at: place })).stdout).history

  test('a model that is killed in the middle of its reply causes a failure without a saved message or cost', async () => {
    const { place, server } = await served()
    model.answer(() => [{ say: 'I am about to ' }, 'drop'])
    const by = (body: object, path = '') =>
      fetch(`${server.url}/api/conversations${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const balance = async () => JSON.parse((await parley('whoami --json', { at: place })).stdout).total_balance
    const before = await balance()
    const { stdout } = await parley('assistants get 2 --json', { at: place })
    const { conversation_id: id } = (await (
      await by({ assistant_id: JSON.parse(stdout).uuid, type: 'widget' })
    ).json()) as { conversation_id: string }
    const answer = await by({ message: 'Hello' }, `/${id}/messages`)
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { status: false, error: 'Failed to process message: The language model stopped before the end of its response.' },
    ])
    expect([(await history(place, id)).length, await balance()]).toEqual([1, before])
    const refused = await parley(`conversations send ${id} --message Hello`, { at: place })
    expect([refused.exitCode, refused.stderr]).toEqual([
      8,
      expect.stringContaining('The language model stopped before the end of its response.'),
    ])
    model.answer(() => [{ say: 'Here I am.' }])
    expect((await parley(`conversations send ${id} --message Hello`, { at: place })).stdout).toContain('Here I am.')
    expect(credentialsOf(place).key).toBeTruthy()
  })

  test('a server with an invalid model configuration does not start, and prints the reason', async () => {
    const place = newPlace()
    expect(await parley('server start --port 0 --model small', { at: place })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Missing URL of the model endpoint'),
    })
    expect(await parley('server start --port 0 --model-script none.yaml', { at: place })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('none.yaml'),
    })
  })
})
