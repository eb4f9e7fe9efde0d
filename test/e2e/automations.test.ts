import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { delay, hook, http } from '../support/flow-definitions.ts'
import { hangMs } from '../support/hang-timeout.ts'
import { answering, file, json, receiver } from './support/automations.ts'
import { filledPlace } from './support/built-program.ts'
import { type Served, serve } from './support/server-process.ts'

// Automations of the built program: built from files, started over HTTP, killed, restored by hand and by scripts.

const post = (url: string, body: object): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

const last = { body_type: 'json', body: { data: { at: 'last', for: "{{trigger['body']['name']}}" } } }

/** Asks until it is so. */
async function eventually<T>(look: () => Promise<T> | T, isSo: (seen: T) => boolean): Promise<T> {
  for (const late = Date.now() + hangMs; ; await sleep(50)) {
    const seen = await look()
    if (isSo(seen) || Date.now() > late) return seen
  }
}

test('an automation from a file responds at its URL, and its run is listed', async () => {
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
