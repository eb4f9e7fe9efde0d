import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadSqlite } from '../../../src/platform/store/sqlite/sqlite-driver.ts'
import { longOnly } from '../../support/case-count.ts'
import { filledPlace, type Place, parley, removeOwner } from '../support/built-program.ts'
import { beginTogether } from '../support/concurrent-processes.ts'
import { holdings } from '../support/holdings.ts'

// Folders that cannot be read, written or parsed: the error has a fix, and their content is not lost.

const config = (at: Place, text?: string): string => {
  const file = join(at.config, 'config.json')
  mkdirSync(at.config, { recursive: true })
  if (text !== undefined) writeFileSync(file, text)
  return file
}

describe('the configuration', () => {
  test.each([['broken JSON', '{"current": "prod", "profiles": {']])(
    'with %s in it is reported, and not changed',
    async (_, text) => {
      const at = await filledPlace()
      const file = config(at, text)
      const { exitCode, stdout, stderr } = await parley('keys list', { at })
      expect([exitCode, stdout]).toEqual([2, ''])
      expect(stderr).toMatch(/config\.json .*\nhint: Fix the file, or move it/)
      expect((await parley('keys list -o id', { at })).exitCode).toBe(2)
      expect(readFileSync(file, 'utf8')).toBe(text)
    },
  )

  test('that is read-only serves all commands except those that write to it', async () => {
    const at = await filledPlace()
    const file = config(at)
    expect((await parley('profile set prod --url https://platform.example', { at })).exitCode).toBe(0)
    const before = readFileSync(file, 'utf8')
    removeOwner(at.dir)
    chmodSync(file, 0o400)
    chmodSync(at.config, 0o500)
    const asAnonymous = { at, asAnonymous: true }
    expect((await parley('keys list', asAnonymous)).exitCode).toBe(0)
    for (const args of [
      'profile use prod',
      'profile set other --url https://other.example',
      'profile delete prod --yes',
    ]) {
      expect(await parley(args, asAnonymous)).toMatchObject({
        exitCode: 2,
        stdout: '',
        stderr: expect.stringMatching(/Could not write the configuration: .*\nhint: .*Nothing was changed/),
      })
    }
    expect(readFileSync(file, 'utf8')).toBe(before)
    expect(readdirSync(at.config)).toEqual(['config.json'])
  })

  test('is readable by its owner only, with its keys', async () => {
    const at = await filledPlace()
    const made = await parley('profile set prod --url https://platform.example --api-key-stdin', {
      at,
      input: '7|abcdefghijklmnopqrstuvwx\n',
    })
    expect([made.exitCode, `${made.stdout}${made.stderr}`]).toEqual([0, expect.not.stringContaining('abcdefgh')])
    expect([statSync(at.config).mode & 0o777, statSync(join(at.config, 'config.json')).mode & 0o777]).toEqual([
      0o700, 0o600,
    ])
    expect(await parley('profile get -p prod', { at })).toMatchObject({
      exitCode: 0,
      stdout: expect.not.stringContaining('abcdefgh'),
    })
  })
})

describe('the data folder', () => {
  test('that cannot be written refuses writes, and a purchase before it is made', async () => {
    const at = await filledPlace()
    const before = holdings(at)
    removeOwner(at.dir)
    // The last connection removes the files beside the database when it is closed for good, which may be now.
    const lasting = readdirSync(at.data).filter((it) => !/-(shm|wal)$/.test(it))
    const files = ['.', ...lasting].map((name) => join(at.data, name))
    for (const file of files) chmodSync(file, file.endsWith('data/.') ? 0o500 : 0o400)
    for (const args of ['keys create --name mine', 'numbers buy +15005550006 --yes']) {
      const { exitCode, stdout, stderr } = await parley(args, { at, asAnonymous: true })
      expect([exitCode === 1 || exitCode === 2, stdout, stderr]).toEqual([
        true,
        '',
        expect.stringMatching(/error: .*cannot be written.*/),
      ])
      expect(stderr).toMatch(/choose another data folder|PARLEY_DATA_DIR/)
    }
    for (const file of files) chmodSync(file, file.endsWith('data/.') ? 0o700 : 0o600)
    expect(holdings(at)).toEqual(before)
    expect((await parley('ops list --json', { at })).stdout).toBe('[]\n')
  })

  test.each([
    ['the database', 'platform.db', /platform\.db is damaged or is not a database\. .*move it away/],
    ...longOnly<[string, string, RegExp]>([
      'the credentials',
      'credentials.json',
      /credentials\.json is damaged\.\nhint: Rename it/,
    ]),
  ])('in which %s is damaged is not changed', async (_, name, said) => {
    const at = await filledPlace()
    for (const nearby of ['platform.db-wal', 'platform.db-shm']) rmSync(join(at.data, nearby), { force: true })
    const damaged = Buffer.alloc(8192, 'damaged ')
    writeFileSync(join(at.data, name), damaged)
    const { exitCode, stdout, stderr } = await parley('numbers buy +15005550006 --yes', { at })
    expect([exitCode, stdout, stderr]).toEqual([1, '', expect.stringMatching(said)])
    expect(stderr).not.toContain('inside Parley')
    expect(readFileSync(join(at.data, name)).equals(damaged)).toBe(true)
  })

  test('of a newer version is not touched', async () => {
    const at = await filledPlace()
    inDatabase(at, "update meta set value = 9999 where key = 'schema_version'")
    const before = readFileSync(join(at.data, 'platform.db'))
    const { exitCode, stdout, stderr } = await parley('keys create --name mine', { at })
    expect([exitCode, stdout, stderr]).toEqual([
      1,
      '',
      expect.stringMatching(/created by a newer version of Parley[\s\S]*Upgrade Parley/),
    ])
    // Vitest compares buffers byte by byte, which takes seconds.
    expect(readFileSync(join(at.data, 'platform.db')).equals(before)).toBe(true)
  })

  test('on a full disk refuses new data, and preserves its data', async () => {
    const at = await filledPlace()
    const before = holdings(at)
    const pages = Math.ceil(statSync(join(at.data, 'platform.db')).size / 4096)
    const env = { PARLEY_MAX_PAGES: String(pages + 1) }
    const long = ['assistants', 'update', '1', '--system-prompt', 'n'.repeat(60_000), '--yes']
    expect(await parley(long, { at, env })).toMatchObject({
      exitCode: 8,
      stdout: '',
      stderr: expect.stringMatching(/No space left for .*Free some space/),
    })
    expect(holdings(at)).toEqual(before)
    // Room was made.
    expect((await parley(long, { at })).exitCode).toBe(0)
  })
})

describe.runIf(existsSync('/proc/self'))('a folder below /proc, where nothing can be created', () => {
  const below = '/proc/parley/deep'

  test('for the data is an error immediately, also for a remote purchase before it is sent', async () => {
    const env = { PARLEY_DATA_DIR: below }
    expect(await parley('keys list', { env })).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /Could not create the data folder .*: folders cannot be created in \/proc\.\nhint: .*PARLEY_DATA_DIR/,
      ),
    })
    const elsewhere = { ...env, PARLEY_API_KEY: '1|secret', PARLEY_BASE_URL: 'http://127.0.0.1:9' }
    expect(await parley('numbers buy +15005550006 --yes', { env: elsewhere })).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /folders cannot be created in \/proc\)\. Nothing was sent\.\nhint: .*PARLEY_DATA_DIR/,
      ),
    })
  })
})

test('many processes at once on one new folder create one platform, and no data is lost', () => beginTogether(4, 2))

function inDatabase(at: Place, statement: string): void {
  const database = loadSqlite().open(join(at.data, 'platform.db'))
  try {
    database.exec(statement)
    database.prepare('pragma wal_checkpoint(truncate)').all([])
  } finally {
    database.close()
  }
}
