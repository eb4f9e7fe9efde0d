import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { code, hook, http } from '../support/flow-definitions.ts'
import { keys } from '../support/terminal.ts'
import { answering, file, json, receiver } from './support/automations.ts'
import { filledPlace, parley } from './support/built-program.ts'
import { atTerminal } from './support/program-terminal.ts'
import { serve } from './support/server-process.ts'

// Automations of the built program: built from files, started over HTTP, killed, restored by hand and by scripts.

const failing = { trigger: hook, steps: [code('inputs.missing.field', { x: "{{trigger['body']['x']}}" })] }

test('a failed test exits with 20 and names the step; the automation is repaired, broken again and restored in a terminal, which shows the difference', async () => {
  const at = await filledPlace()
  const files = { broken: file(at, 'broken.json', failing), good: file(at, 'good.json', answering('good')) }
  const made = await parley(`automate create --name Flow --file ${files.broken}`, { at })
  expect(made.exitCode).toBe(20)
  const [, id] = /Id: (\w{21})/.exec(made.stdout) ?? []
  expect(made.stderr).toContain('step_1 failed: No value for {{trigger')
  expect((await parley(`automate update Flow --file ${files.good}`, { at })).exitCode).toBe(0)
  // The first definition failed its test, which disables the automation, and an update leaves it so.
  await json('automate enable Flow', at)
  expect((await parley(`automate update Flow --file ${files.broken}`, { at })).exitCode).toBe(20)
  await json('automate update Flow --file good.json', at)
  await json(`automate update Flow --file ${file(at, 'other.json', answering('other'))}`, at)
  const { exitCode, screen } = await atTerminal(
    'automate restore Flow',
    [[` of "Flow" (${id})?`, `Flow${keys.enter}`]],
    { at, columns: 200 },
  )
  expect(exitCode, screen).toBe(0)
  expect(screen).toMatch(/~ step_2 \(Answer\) changed\s+settings\.input\.fields\.body\.text: "other" -> "good"/)
  expect(screen).toContain(`Undo: parley automate restore ${id}`)
  const [, saved = ''] = /Compare with the replaced version: parley (history diff \d+)/.exec(screen) ?? []
  expect((await parley(`${saved} --json`, { at })).stdout).toContain('other')
})

test('a script restores with --yes --json, a second restore undoes the first, a disabled automation stays disabled, and without a previous version the exit code is 5', async () => {
  const at = await filledPlace()
  await json(`automate create --name Flow --file ${file(at, 'one.json', answering('one'))}`, at)
  const nothing = await parley('automate restore Flow --yes --json', { at })
  expect([nothing.exitCode, nothing.stdout, JSON.parse(nothing.stderr)]).toEqual([
    5,
    '',
    expect.objectContaining({ error: expect.anything() }),
  ])
  await json(`automate update Flow --file ${file(at, 'two.json', answering('two'))}`, at)
  const text = async (): Promise<unknown> =>
    (await json('automate get Flow', at)).definition.nextAction.nextAction.settings.input.fields.body.text
  const first = await parley('automate restore Flow --yes --json', { at })
  expect([first.exitCode, JSON.parse(first.stdout)]).toEqual([
    0,
    expect.objectContaining({
      status: 'enabled',
      difference: expect.objectContaining({ changed: [expect.objectContaining({ step: 'step_2' })] }),
    }),
  ])
  expect(await text()).toBe('one')
  await json('automate restore Flow --yes', at)
  expect(await text()).toBe('two')
  await json('automate disable Flow', at)
  expect((await json('automate restore Flow --yes', at)).status).toBe('disabled')
  expect((await json('automate get Flow', at)).status).toBe('disabled')
  expect(await json('automate versions Flow', at)).toHaveLength(5)
})

test('servers of this machine are reachable only for a platform that listens on loopback, and only until that is disabled', async () => {
  const { url } = await receiver()
  for (const [env, status] of [
    [{}, 'active'],
    [{ PARLEY_PRIVATE_ADDRESSES: '0' }, 'test_failed'],
  ] as const) {
    const at = await filledPlace()
    const asks = file(at, 'asks.json', {
      trigger: hook,
      steps: [http('POST', url, { body_type: 'json', body: { data: { asks: true } } })],
    })
    const made = await parley(`automate create --name Asks --json --confirm-side-effects --file ${asks}`, { at, env })
    expect(JSON.parse(made.stdout)).toMatchObject({ status })
  }
})

test('a missing record of the platform or another service is not an error of the definition', async () => {
  const server = await serve(await filledPlace())
  const { at, url, key } = server
  const elsewhere = createServer((_, response) => void response.writeHead(404).end())
  await new Promise<void>((done) => elsewhere.listen(0, '127.0.0.1', done))
  onTestFinished(() => void elsewhere.close())
  const headers = { Authorization: `Bearer ${key}` }
  const asks = (address: string): object => ({ trigger: hook, steps: [http('GET', address, { headers })] })
  const own = await json(
    `automate create --name Own --file ${file(at, 'own.json', asks(`${url}/api/user/tools/987654`))}`,
    at,
  )
  expect(own.test.steps).toMatchObject([
    { status: 'FAILED', classification: 'missing_record', error: expect.stringContaining('404') },
  ])
  const other = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`
  const wrong = await json(`automate create --name Elsewhere --file ${file(at, 'other.json', asks(other))}`, at)
  expect(wrong.test.steps).toMatchObject([{ status: 'FAILED', classification: 'missing_record' }])
  const source = `export const code = async () => { await new Promise((done) => setTimeout(done, 1)); return (await fetch('${other}')).status }`
  const fetching = { type: 'CODE', settings: { sourceCode: { code: source, packageJson: '{}' }, input: {} } }
  const answer = {
    type: 'PIECE',
    settings: {
      pieceName: '@engine/piece-webhook',
      actionName: 'return_response',
      input: { fields: { body: { found: '{{step_1}}' } } },
    },
  }
  const fetched = await json(
    `automate create --name Fetches --file ${file(at, 'fetch.json', { trigger: hook, steps: [fetching, answer] })}`,
    at,
  )
  expect(fetched.response).toEqual({ found: 404 })
})
