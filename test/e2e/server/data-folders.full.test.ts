import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { filledPlace, newPlace, type Place, parley, removeOwner } from '../support/built-program.ts'

// Folders that cannot be read, written or parsed: the error has a fix, and their content is not lost.

const config = (at: Place, text?: string): string => {
  const file = join(at.config, 'config.json')
  mkdirSync(at.config, { recursive: true })
  if (text !== undefined) writeFileSync(file, text)
  return file
}

describe('the configuration', () => {
  test.each([
    ['JSON of another shape', '["prod"]'],
    ['nothing', ''],
  ])('with %s in it is reported, and not changed', async (_, text) => {
    const at = await filledPlace()
    const file = config(at, text)
    const { exitCode, stdout, stderr } = await parley('keys list', { at })
    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/config\.json .*\nhint: Fix the file, or move it/)
    expect((await parley('keys list -o id', { at })).exitCode).toBe(2)
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  test('that is invalid and cannot be renamed is left unchanged', async () => {
    const at = await filledPlace()
    const file = config(at, '{')
    removeOwner(at.dir)
    chmodSync(at.config, 0o500)
    expect(await parley('keys list', { at, asAnonymous: true })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/config\.json is not .*\nhint: .*PARLEY_CONFIG_DIR/),
    })
    expect(readFileSync(file, 'utf8')).toBe('{')
  })

  test('that is unreadable is reported with its path', async () => {
    const at = await filledPlace()
    const file = config(at, '{}')
    removeOwner(at.dir)
    chmodSync(file, 0o000)
    expect(await parley('keys list', { at, asAnonymous: true })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/EACCES[\s\S]*hint: Make .*config\.json readable/),
    })
  })

  test('whose folder is a file is reported', async () => {
    const at = await filledPlace()
    writeFileSync(at.config, '')
    expect((await parley('keys list', { at })).exitCode).toBe(0)
    expect(await parley('profile set prod --url https://platform.example', { at })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('PARLEY_CONFIG_DIR'),
    })
  })
})

describe('the data folder', () => {
  test('with a server of another user is not treated as one without a server', async () => {
    const at = await filledPlace()
    removeOwner(at.dir)
    const file = join(at.data, 'server.json')
    writeFileSync(
      file,
      JSON.stringify({ url: 'http://127.0.0.1:1', pid: process.pid, started_at: '2026-01-31T09:00:00Z' }),
      { mode: 0o600 },
    )
    if (process.getuid?.() !== 0) chmodSync(file, 0o000)
    for (const line of ['server status', 'server stop', 'keys list'])
      expect(await parley(line, { at, asAnonymous: true }), line).toMatchObject({
        exitCode: 1,
        stdout: '',
        stderr: expect.stringMatching(/no permission to read .*server\.json\.\nhint: Run the command as the owner/),
      })
    expect(await parley('doctor', { at, asAnonymous: true })).toMatchObject({
      exitCode: 20,
      stdout: expect.stringContaining('no permission to read'),
    })
  })

  test('that cannot be created is reported', async () => {
    const at = newPlace()
    chmodSync(at.dir, 0o755)
    expect(await parley('keys list', { at, asAnonymous: true })).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(/error: .*data.*\nhint: .*PARLEY_DATA_DIR/),
    })
    writeFileSync(at.data, 'a file')
    expect(await parley('keys list', { at })).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(/error: .*data.*\nhint: .*PARLEY_DATA_DIR/),
    })
    expect(readFileSync(at.data, 'utf8')).toBe('a file')
  })

  test('without its credentials file gets a new key for its data', async () => {
    const at = await filledPlace()
    await parley('keys create --name mine', { at })
    rmSync(join(at.data, 'credentials.json'))
    expect((await parley('keys list -o tsv --fields name', { at })).stdout).toContain('\nmine\n')
  })
})

describe.runIf(existsSync('/proc/self'))('a folder below /proc, where nothing can be created', () => {
  const below = '/proc/parley/deep'

  test('for caches is not an error, and is not waited for', async () => {
    const at = await filledPlace()
    for (const env of [{ PARLEY_CACHE_DIR: below }, { XDG_CACHE_HOME: '/proc' }])
      expect(await parley('keys list -o id', { at, env })).toMatchObject({ exitCode: 0, stderr: '' })
  })

  test('for the configuration makes only commands that write to it fail', async () => {
    const at = await filledPlace()
    const env = { PARLEY_CONFIG_DIR: below }
    expect(await parley('keys list -o id', { at, env })).toMatchObject({ exitCode: 0, stderr: '' })
    expect(await parley('profile set prod --url https://platform.example', { env })).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /Could not write the configuration: folders cannot be created in \/proc\.\nhint: .*PARLEY_CONFIG_DIR/,
      ),
    })
  })
})
