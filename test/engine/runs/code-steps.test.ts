import { afterAll, expect, test } from 'vitest'
import { listSideEffects } from '../../../src/engine/analysis/external-actions.ts'
import { createStepMachine } from '../../../src/engine/runs/step-machine.ts'
import { createSandbox } from '../../../src/engine/sandbox/create-sandbox.ts'
import { runLocally } from '../../platform/runs/local-run.ts'
import { code, webhook } from '../../support/automation-nodes.ts'
import { createFakePorts, outputOf, reply, runStep } from '../pieces/fake-ports.ts'

const sandbox = createSandbox({ threads: 1 })
afterAll(() => sandbox.close())

const posting =
  "export const code = async () => (await fetch('https://crm.test/x', { method: 'POST', body: 'hi' })).json()"

test('a request of code goes through the address policy of HTTP steps', async () => {
  const fakes = createFakePorts({ 'http.send': reply(200, { id: 7 }) })
  expect(await outputOf(code(posting), fakes, {}, sandbox)).toEqual({ id: 7 })
  expect(fakes.asked).toMatchObject([['http.send', { method: 'POST', url: 'https://crm.test/x' }, {}]])
  const refusing = createFakePorts({ 'http.send': () => Promise.reject(new Error('crm.test is a private address.')) })
  await expect(runStep(code(posting), refusing, {}, sandbox)).rejects.toThrow(
    'fetch failed: crm.test is a private address.',
  )
})

test('code that makes requests does not run in a local test, and can be mocked', async () => {
  const step = { ...code(posting), name: 'ask' }
  expect((await runLocally(sandbox, [step])).steps).toMatchObject([{ status: 'NOT_RUN', output: null }])
  expect((await runLocally(sandbox, [step], {}, { ask: { id: 1 } })).steps).toMatchObject([
    { status: 'MOCKED', output: { id: 1 } },
  ])
})

test('code that cannot send requests has no effect outside its run, so it is recorded only when it has ended', () => {
  const { isInner } = createStepMachine({ sandbox, connections: createFakePorts({}).ports.connections })
  expect(isInner(code())).toBe(true)
  expect(isInner(code("export const code = async () => new URL('https://a.test').href"))).toBe(true)
  expect(isInner(code(posting))).toBe(false)
  for (const name of ['fetch', 'Headers', 'Request', 'Response'])
    expect(isInner(code(`export const code = async () => typeof ${name}`)), name).toBe(false)
})

test('code has requests only if its source mentions one of their names', async () => {
  const found = async (source: string) => (await sandbox.run(source, {})).output
  expect(await found("export const code = async () => typeof globalThis['fe' + 'tch']")).toBe('undefined')
  expect(
    await found("export const code = async () => typeof globalThis['fe' + 'tch'] // Buffer, setTimeout, URL"),
  ).toBe('undefined')
  expect(await found("export const code = async () => typeof globalThis['fe' + 'tch'] // Response")).toBe('function')
})

test('code that sends data is a side effect, and code that only reads is not', () => {
  const effects = (source: string) =>
    listSideEffects(webhook({ nextAction: { ...code(source), name: 'step_1' } })).length
  expect(effects(posting)).toBe(1)
  expect(effects('export const code = async (inputs) => fetch(inputs.url, { method: inputs.method })')).toBe(1)
  expect(effects('export const code = async (inputs) => fetch(inputs.url, inputs.options)')).toBe(1)
  expect(effects("export const code = async () => fetch('https://a.test', { method: 'GET' })")).toBe(0)
  expect(effects("export const code = async () => fetch('https://a.test')")).toBe(0)
  expect(effects("export const code = async () => ({ method: 'POST' })")).toBe(0)
})
