import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test, vi } from 'vitest'

const program = join(import.meta.dirname, '../../bin/parley.js')
const folder = mkdtempSync(join(tmpdir(), 'parley-killed-'))
const temporary = join(folder, 'tmp')
const env = {
  ...process.env,
  HOME: folder,
  TMPDIR: temporary,
  PARLEY_DATA_DIR: join(folder, 'data'),
  PARLEY_CONFIG_DIR: join(folder, 'config'),
}
const start = (...words: string[]) =>
  spawn(process.execPath, [program, ...words], { cwd: folder, env, stdio: 'ignore' })
const left = (): string[] => readdirSync(temporary).filter((it) => it.startsWith('parley-temporary-'))

beforeAll(async () => {
  mkdirSync(temporary)
  expect(await once(start('pull'), 'close')).toEqual([0, null])
  mkdirSync(join(folder, 'parley', 'tests'), { recursive: true })
  writeFileSync(join(folder, 'parley', 'tests', 'hello.yaml'), 'assistant: Recall\nturns: [Hello]\n')
})

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('a test run that is ended by %s leaves nothing behind', async (signal, code) => {
  const run = start('assistants', 'test', '--repeat', '1000')
  await vi.waitUntil(() => left().length > 0, { timeout: 30_000 })
  run.kill(signal)
  expect((await once(run, 'close'))[0]).toBe(code)
  expect(left()).toEqual([])
})

test('what a killed run leaves behind is removed by the next one', async () => {
  const run = start('assistants', 'test', '--repeat', '1000')
  await vi.waitUntil(() => left().length > 0, { timeout: 30_000 })
  run.kill('SIGKILL')
  await once(run, 'close')
  expect(left().length).toBeGreaterThan(0)
  expect(await once(start('assistants', 'test'), 'close')).toEqual([0, null])
  expect(left()).toEqual([])
})
