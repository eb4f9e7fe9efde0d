import { describe, expect, test } from 'vitest'
import { keys } from '../../support/terminal.ts'
import { filledPlace, newPlace, parley } from '../support/built-program.ts'
import { historyOf, modelHosts } from '../support/model-hosts.ts'
import { atTerminal } from '../support/program-terminal.ts'
import { credentialsOf } from '../support/server-process.ts'

// A chat with an assistant, by hand.

const at = await filledPlace()
const chat = 'conversations chat --assistant 1'

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
  const hosts = modelHosts()

  test('a model that is killed in the middle of its reply causes a failure without a saved message or cost', async () => {
    const { place, server } = await hosts.served()
    hosts.model.answer(() => [{ say: 'I am about to ' }, 'drop'])
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
    expect([(await historyOf(place, id)).length, await balance()]).toEqual([1, before])
    const refused = await parley(`conversations send ${id} --message Hello`, { at: place })
    expect([refused.exitCode, refused.stderr]).toEqual([
      8,
      expect.stringContaining('The language model stopped before the end of its response.'),
    ])
    hosts.model.answer(() => [{ say: 'Here I am.' }])
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
