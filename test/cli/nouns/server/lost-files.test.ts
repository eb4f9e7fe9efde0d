import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'

// A data folder that was used before, and has lost something, is not a new one.

const inFolder = (by: Operator, name: string): string => join(by.dataDir, name)
const markerOf = (by: Operator): unknown => JSON.parse(readFileSync(inFolder(by, 'folder.json'), 'utf8'))

/** Returns an operator whose folder has sample data and one more API key. */
async function used(): Promise<Operator> {
  const by = operator({ supports: 'neutral', fresh: true, reopens: true })
  expect(await by.run('keys create --name laptop')).toMatchObject({ exitCode: 0 })
  return by
}
const keysOf = async (by: Operator): Promise<string> => (await by.run('keys list -o json')).stdout

test('the first command marks the data folder', async () => {
  const by = operator({ supports: 'neutral', fresh: true, reopens: true })
  await by.run('numbers list')
  expect(markerOf(by)).toEqual({ files: ['platform.db', 'secret.key'].filter((it) => existsSync(inFolder(by, it))) })
  expect(statSync(inFolder(by, 'folder.json')).mode & 0o077).toBe(0)
})

describe.each([
  ['missing', (file: string) => rmSync(file)],
  ['empty', (file: string) => truncateSync(file)],
])('with a database that is %s', (_, lose) => {
  async function lost(): Promise<Operator> {
    const by = await used()
    expect(await by.run('server backup kept.backup')).toMatchObject({ exitCode: 0 })
    for (const name of ['platform.db-wal', 'platform.db-shm']) rmSync(inFolder(by, name), { force: true })
    lose(inFolder(by, 'platform.db'))
    return by
  }

  test.each(['numbers list', 'server start --port 0', 'server status', 'server seed', 'server check', 'doctor'])(
    '"parley %s" refuses, and names restore and reset',
    async (line) => {
      const by = await lost()
      const { exitCode, stderr, stdout } = await by.run(line)
      expect(exitCode).toBe(line === 'doctor' ? exitCode : 2)
      expect(exitCode).not.toBe(0)
      expect(stderr + stdout).toMatch(/is not new, but its database is missing or empty: platform\.db/)
      expect(stderr + stdout).toMatch(/parley server restore <file>/)
      expect(stderr + stdout).toMatch(/parley server reset/)
      expect(existsSync(inFolder(by, 'platform.db')) && statSync(inFolder(by, 'platform.db')).size > 0).toBe(false)
    },
  )

  test('a backup is restored', async () => {
    const by = await lost()
    expect(await by.run('server restore kept.backup --confirm data')).toMatchObject({ exitCode: 0 })
    expect(await keysOf(by)).toContain('laptop')
  })

  test('a reset starts again', async () => {
    const by = await lost()
    expect(await by.run('server reset --yes')).toMatchObject({ exitCode: 0 })
    expect(await keysOf(by)).not.toContain('laptop')
    expect(await by.run('numbers list')).toMatchObject({ exitCode: 0 })
  })

  test('a restore that fails does not make it a new folder', async () => {
    const by = await lost()
    const bytes = readFileSync(join(by.cwd, 'kept.backup'))
    bytes.fill(0xff, 4096)
    writeFileSync(join(by.cwd, 'broken.backup'), bytes)
    expect((await by.run('server restore broken.backup --confirm data')).exitCode).not.toBe(0)
    expect(await by.run('numbers list')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('parley server restore <file>'),
    })
    expect(await by.run('server restore kept.backup --confirm data')).toMatchObject({ exitCode: 0 })
    expect(await keysOf(by)).toContain('laptop')
  })
})

test('a folder of an earlier version is marked when it is opened, and protected from then on', async () => {
  const by = await used()
  rmSync(inFolder(by, 'folder.json'))
  expect(await keysOf(by)).toContain('laptop')
  expect(markerOf(by)).toMatchObject({ files: expect.arrayContaining(['platform.db']) })
  rmSync(inFolder(by, 'platform.db'))
  expect(await by.run('numbers list')).toMatchObject({ exitCode: 2 })
})

test('a folder that has only secret.key is a first start', async () => {
  const by = operator({ supports: 'neutral', fresh: true, reopens: true })
  mkdirSync(by.dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(inFolder(by, 'secret.key'), `${'ab'.repeat(32)}\n`, { mode: 0o600 })
  expect(await by.run('numbers list')).toMatchObject({ exitCode: 0 })
  expect(markerOf(by)).toEqual({ files: ['platform.db', 'secret.key'] })
})

describe('without secret.key', () => {
  async function lost(): Promise<Operator> {
    const by = await used()
    // Saving a password creates the key.
    if (!existsSync(inFolder(by, 'secret.key')))
      expect(
        await by.run(
          'sip-trunks create --name PBX --phone-number +14155550188 --host sip.example.com --username parley --password-stdin',
          { stdin: 'hunter2' },
        ),
      ).toMatchObject({ exitCode: 0 })
    expect(await by.run('server backup kept.backup')).toMatchObject({ exitCode: 0 })
    renameSync(inFolder(by, 'secret.key'), join(by.cwd, 'secret.key'))
    return by
  }

  test('the folder refuses until the key is back', async () => {
    const by = await lost()
    const { exitCode, stderr } = await by.run('numbers list')
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(/encryption key is missing or empty: secret\.key/)])
    expect(stderr).toMatch(/parley server restore <file>[\s\S]*parley server reset/)
    expect(existsSync(inFolder(by, 'secret.key'))).toBe(false)
    renameSync(join(by.cwd, 'secret.key'), inFolder(by, 'secret.key'))
    expect(await by.run('numbers list')).toMatchObject({ exitCode: 0 })
  })

  test('a backup and a reset bring another', async () => {
    const by = await lost()
    expect(await by.run('server restore kept.backup --confirm data')).toMatchObject({ exitCode: 0 })
    expect(readFileSync(inFolder(by, 'secret.key'), 'utf8')).toBe(readFileSync(join(by.cwd, 'secret.key'), 'utf8'))
    rmSync(inFolder(by, 'secret.key'))
    expect(await by.run('server reset --yes')).toMatchObject({ exitCode: 0 })
    expect(await by.run('numbers list')).toMatchObject({ exitCode: 0 })
  })
})

describe('without the operations journal', () => {
  const answerLost: RunOptions = {
    through: async (handle, request) => {
      const answer = await handle(request)
      return request.method === 'POST' && request.url.includes('/purchase') ? { ...answer, status: 504 } : answer
    },
  }
  test.each([
    ['missing', (file: string) => rmSync(file)],
    ['empty', (file: string) => truncateSync(file)],
  ])('a purchase whose answer was lost stays blocked when the journal is %s', async (_, lose) => {
    const by = await used()
    const line = 'numbers buy +15005550006 --yes'
    expect(await by.run(line, answerLost)).toMatchObject({ exitCode: 12 })
    expect(await by.run(line)).toMatchObject({ exitCode: 12 })
    lose(inFolder(by, 'spends.ndjson'))
    for (const command of [line, 'ops list', 'ops reconcile']) {
      const { exitCode, stderr } = await by.run(command)
      expect([command, exitCode, stderr]).toEqual([
        command,
        2,
        expect.stringMatching(/operations journal is missing or empty/),
      ])
      expect(stderr).toMatch(/parley server restore <file> and parley server reset/)
    }
    rmSync(inFolder(by, 'folder.json'))
    expect(await by.run('ops list')).toMatchObject({ exitCode: 0 })
  })

  test('after a purge that empties the journal and the history, everything continues', async () => {
    const by = await used()
    expect(await by.run('numbers buy +15005550006 --yes')).toMatchObject({ exitCode: 0 })
    expect(await by.run('server purge --older-than 0s --yes')).toMatchObject({ exitCode: 0 })
    for (const command of ['ops list', 'history list', 'history list --all-writes', 'numbers list'])
      expect(await by.run(command), command).toMatchObject({ exitCode: 0 })
  })
})

test('without the history, changes and undo are refused until it is back or accepted', async () => {
  const by = await used()
  expect(await by.run('tools update 1 --tool-timeout 25')).toMatchObject({ exitCode: 0 })
  renameSync(inFolder(by, 'history'), join(by.cwd, 'history'))
  for (const command of [
    'history list',
    'history list --all-writes',
    'history undo 1',
    'tools update 1 --tool-timeout 26',
  ]) {
    const { exitCode, stderr } = await by.run(command)
    expect([command, exitCode, stderr]).toEqual([command, 2, expect.stringMatching(/history is missing or empty/)])
    expect(stderr).toMatch(/parley server restore <file> and parley server reset/)
  }
  expect(await by.run('tools update 1 --tool-timeout 27 --no-history')).toMatchObject({ exitCode: 0 })
  expect(existsSync(inFolder(by, 'history'))).toBe(false)
  renameSync(join(by.cwd, 'history'), inFolder(by, 'history'))
  expect(await by.run('history undo 1 --force')).toMatchObject({ exitCode: 0 })
})
