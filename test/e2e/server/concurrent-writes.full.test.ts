import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { hangMs } from '../../support/hang-timeout.ts'
import { newPlace, parley, start } from '../support/built-program.ts'
import { beginTogether } from '../support/concurrent-processes.ts'

// Written to files and pushed, undone from the history: killed in the middle, and resumed.

const count = 40

test('kill -9 during a push leaves a complete record, and the next push resumes, each resource once', async () => {
  const at = newPlace()
  expect((await parley('pull --only tools', { at })).exitCode).toBe(0)
  const folder = join(at.dir, 'parley', 'tools')
  for (let n = 10; n < 10 + count; n++)
    writeFileSync(
      join(folder, `t${n}.yaml`),
      `name: t${n}\ndescription: Some tool.\nendpoint: https://x.example\nmethod: GET\n`,
    )
  const lock = join(at.dir, 'parley', 'parley.lock.json')
  const done = (): number => readFileSync(lock, 'utf8').split('tools/t').length - 1
  for (const goal of [5, 15]) {
    const pushing = start('push --only tools', { at })
    for (const late = Date.now() + hangMs; done() < goal && Date.now() < late; ) await sleep(2)
    pushing.kill('SIGKILL')
    await pushing.ended
    expect(() => JSON.parse(readFileSync(lock, 'utf8'))).not.toThrow()
    expect(done()).toBeGreaterThanOrEqual(goal)
    expect(done()).toBeLessThan(count)
  }
  expect((await parley('push --only tools', { at })).exitCode).toBe(0)
  const names = (JSON.parse((await parley('tools list --json', { at })).stdout) as { name: string }[])
    .map((it) => it.name)
    .filter((it) => /^t\d\d$/.test(it))
  expect(names).toHaveLength(count)
  expect(new Set(names).size).toBe(count)
  const last = await parley('push --only tools --check --json', { at })
  expect(last).toMatchObject({ exitCode: 0, stdout: '[]\n' })
  expect(readdirSync(folder).filter((it) => !it.endsWith('.yaml'))).toEqual([])
})

test('many concurrent processes produce a complete history with distinct numbers, and all entries can be undone', async () => {
  const at = newPlace()
  await parley('tools list', { at })
  await Promise.all(
    [1, 2, 3].flatMap((id) =>
      [21, 22].map((timeout) => parley(`tools update ${id} --tool-timeout ${timeout}`, { at })),
    ),
  )
  const entries = JSON.parse((await parley('history list --json', { at })).stdout) as { entry: number }[]
  expect(entries.map((it) => it.entry)).toEqual([6, 5, 4, 3, 2, 1])
  const folder = join(at.data, 'history', 'local@embedded_')
  for (const name of readdirSync(folder))
    expect((statSync(join(folder, name)).mode & 0o777).toString(8), name).toBe('600')
  expect(JSON.parse((await parley('history list --all-writes --json', { at })).stdout)).toHaveLength(6)
  for (const { entry } of entries)
    expect((await parley(`history undo ${entry} --force --quiet`, { at })).exitCode).toBe(0)
  const tools = JSON.parse((await parley('tools list --json', { at })).stdout) as { timeout: number }[]
  expect(tools.slice(0, 3).map((it) => it.timeout)).toEqual([10, 15, 5])
})

test('without a terminal, an undo that deletes a resource requires confirmation, and invalid arguments exit with 2', async () => {
  const at = newPlace()
  await parley('labels delete 2 --yes', { at })
  expect((await parley('history undo 1', { at })).exitCode).toBe(0)
  expect(await parley('history undo 2', { at, input: 'y\n' })).toMatchObject({ exitCode: 10, stdout: '' })
  for (const words of [
    'history',
    'history undo',
    'history undo x',
    'history list --noun nothing',
    'push nowhere',
    'diff nowhere',
    'push --only x',
    'pull a b',
  ])
    expect(await parley(words, { at, input: 'closed' }), words).toMatchObject({ exitCode: 2, stdout: '' })
  mkdirSync(join(at.dir, 'parley', 'tools'), { recursive: true })
  writeFileSync(join(at.dir, 'parley', 'parley.lock.json'), '{')
  expect(await parley('pull', { at })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('parley.lock.json is not a valid lock file'),
  })
  expect(existsSync(join(at.dir, 'parley', 'assistants'))).toBe(false)
})

test('twenty processes at once on one new folder create one platform, and no data is lost', () => beginTogether(14, 6))
