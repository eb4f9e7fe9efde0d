import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { code, delay, hook, http, respond } from '../support/flow-definitions.ts'
import { hangMs } from '../support/hang-timeout.ts'
import { keys } from '../support/terminal.ts'
import { filledPlace, type Place, parley } from './support/built-program.ts'
import { atTerminal } from './support/program-terminal.ts'
import { type Served, serve } from './support/server-process.ts'

// Automations of the built program: built from files, started over HTTP, killed, restored by hand and by scripts.

/** A server that records its requests. For the length of a test. */
async function receiver(): Promise<{ readonly url: string; readonly shown: unknown[] }> {
  const shown: unknown[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => {
      text += String(chunk)
    })
    request.on('end', () => {
      shown.push(JSON.parse(text))
      response.end()
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, shown }
}

function file(at: Place, name: string, flow: object): string {
  writeFileSync(join(at.dir, name), JSON.stringify(flow))
  return name
}

async function json(args: string, at: Place) {
  const { stdout, stderr } = await parley(`${args} --json`, { at })
  try {
    return JSON.parse(stdout)
  } catch {
    throw new Error(`${args}: ${stderr}`)
  }
}

const post = (url: string, body: object): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

const answering = (text: string): object => ({
  trigger: hook,
  steps: [code('1'), respond({ text, for: "{{trigger['body']['name']}}" })],
})
const last = { body_type: 'json', body: { data: { at: 'last', for: "{{trigger['body']['name']}}" } } }
const failing = { trigger: hook, steps: [code('inputs.missing.field', { x: "{{trigger['body']['x']}}" })] }

/** Asks until it is so. */
async function eventually<T>(look: () => Promise<T> | T, isSo: (seen: T) => boolean): Promise<T> {
  for (const late = Date.now() + hangMs; ; await sleep(50)) {
    const seen = await look()
    if (isSo(seen) || Date.now() > late) return seen
  }
}

test('an automation from a file answers at its address, and its run can be seen', async () => {
  const server = await serve(await filledPlace())
  const { at } = server
  const made = await json(`automate create --name Greeting --file ${file(at, 'flow.json', answering('Hello'))}`, at)
  expect(made).toMatchObject({ status: 'active', webhook_url: expect.stringContaining(server.url) })
  const answer = await post(`${made.webhook_url}/sync`, { name: 'Ada' })
  expect([answer.status, await answer.json()]).toEqual([200, { text: 'Hello', for: 'Ada' }])
  const run = answer.headers.get('x-webhook-id')
  expect(await json(`automate runs Greeting --run ${run}`, at)).toMatchObject({
    id: run,
    status: 'SUCCEEDED',
    testing: false,
    steps: [{ name: 'step_1' }, {}],
  })
})

test('a delay of three days survives kill -9 and a restart, and continues exactly once when it is due', async () => {
  const at = await filledPlace()
  const { url, shown } = await receiver()
  let server: Served = await serve(at)
  const steps = [
    http('POST', url, { body_type: 'json', body: { data: { at: 'first' } } }),
    delay({ unit: 'days', delayFor: 3 }),
    http('POST', url, last),
  ]
  const made = await json(
    `automate create --name Later --file ${file(at, 'flow.json', { trigger: hook, steps })} --confirm-side-effects`,
    at,
  )
  expect(made).toMatchObject({ status: 'active', test: { run_status: 'PAUSED' } })
  const tests = shown.splice(0).length
  expect(tests).toBe(1)
  const run = (await post(made.webhook_url, { name: 'Ada' })).headers.get('x-webhook-id')
  const look = (): Promise<{ status: string; steps: object[] }> => json(`automate runs Later --run ${run}`, at)
  expect((await eventually(look, ({ status }) => status === 'PAUSED')).status).toBe('PAUSED')
  expect(shown).toEqual([{ at: 'first' }])

  server.process.kill('SIGKILL')
  await server.process.ended
  server = await serve(at)
  await json('server clock advance 71h', at)
  await sleep(300)
  expect([(await look()).status, shown.length]).toEqual(['PAUSED', 1])

  await json('server clock advance 1h', at)
  const ended = await eventually(look, ({ status }) => status === 'SUCCEEDED')
  expect(ended).toMatchObject({
    status: 'SUCCEEDED',
    steps: [{ attempts: 1 }, { attempts: 1, status: 'SUCCEEDED' }, { attempts: 1 }],
  })
  // That of the test is as old, and has ended at its delay.
  const all = [{ at: 'first' }, { at: 'last', for: 'Ada' }]
  const seen = await eventually(
    () => shown,
    (it) => it.length >= all.length,
  )
  expect(seen).toEqual(all)

  server.process.kill('SIGKILL')
  await server.process.ended
  await serve(at)
  await json('server clock advance 3d', at)
  await sleep(300)
  expect(shown).toHaveLength(all.length)
})

test('a failed test is exit 20 and says where; the automation is repaired, broken again and restored in a terminal, which shows the difference', async () => {
  const at = await filledPlace()
  const files = { broken: file(at, 'broken.json', failing), good: file(at, 'good.json', answering('good')) }
  const made = await parley(`automate create --name Flow --file ${files.broken}`, { at })
  expect(made.exitCode).toBe(20)
  const [, id] = /Id: (\w{21})/.exec(made.stdout) ?? []
  expect(made.stderr).toContain('step_1 failed (wiring_error): No value for {{trigger')
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

test('a script restores with --yes --json, a second time undoes the first, one that is off stays off, and with nothing before it is exit 5', async () => {
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

test('a record that the platform or another service does not have is not an error of the definition', async () => {
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
