import { spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execPath, getuid } from 'node:process'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { bin, program } from './support/built-program.ts'

/** A user without a line in /etc/passwd, as containers with arbitrary users have. */
const stranger = 54_321
const isRoot = getuid?.() === 0

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-environment-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  if (isRoot) chownSync(folder, stranger, stranger)
  return folder
}

interface Result {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program with only these variables, as the stranger if the tests run as root. */
async function run(file: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Result> {
  const child = spawn(file, args, {
    cwd: '/',
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(isRoot && { uid: stranger, gid: stranger }),
  })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { exitCode: await ended, stdout, stderr }
}

/** Runs a command line of the program under test. */
const parley = (line: string, env: Readonly<Record<string, string>>): Promise<Result> => {
  const [file, ...first] = program
  return run(file, [...first, ...line.split(' ')], env)
}

const entry = join(dirname(bin), '../dist/platform.js')
/** Starts a platform, sends a request and prints its status, or the error. */
const script = `require(${JSON.stringify(entry)}).startPlatform({ seed: 7 }).then(
  async (it) => { console.log((await it.fetch('/api/user/me')).status); await it.close() },
  (error) => console.log(error.message))`
const platform = (env: Readonly<Record<string, string>>): Promise<Result> => run(execPath, ['-e', script], env)
const works = { exitCode: 0, stdout: '200\n', stderr: '' }

function ownFolders(): { PARLEY_CONFIG_DIR: string; PARLEY_DATA_DIR: string; PARLEY_CACHE_DIR: string } {
  const folder = newFolder()
  return {
    PARLEY_CONFIG_DIR: join(folder, 'config'),
    PARLEY_DATA_DIR: join(folder, 'data'),
    PARLEY_CACHE_DIR: join(folder, 'cache'),
  }
}

/** Returns a folder that cannot be written. Root writes everywhere, so its tests run as another user. */
function readOnlyFolder(): string {
  const folder = join(newFolder(), 'read-only')
  mkdirSync(folder)
  chmodSync(folder, 0o555)
  return folder
}

describe.skipIf(!isRoot)('a user without a home folder', () => {
  test('runs every command if the folders are given', async () => {
    const env = ownFolders()
    expect(await parley('keys list -o id', env)).toEqual({ exitCode: 0, stdout: '1\n2\n3\n', stderr: '' })
    expect(await parley('doctor --json', env)).toMatchObject({ exitCode: 0 })
    expect(await parley('server status --json', env)).toMatchObject({ exitCode: 0 })
    expect(await parley('profile list --json', env)).toMatchObject({ exitCode: 0 })
  })

  test('gets a hint which variables to set', async () => {
    expect(await parley('keys list', {})).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'error: This user has no home folder.\nhint: Set HOME, or both PARLEY_CONFIG_DIR and PARLEY_DATA_DIR.\n',
    })
    expect(await parley('--version', {})).toMatchObject({ exitCode: 0 })
  })

  test('starts a platform for tests', async () => {
    expect(await platform({})).toEqual(works)
  })
})

test('in a home folder that cannot be written, commands name the folder and the variable, and what needs no folder works', async () => {
  const HOME = readOnlyFolder()
  const refused = await parley('keys list', { HOME })
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' })
  expect(refused.stderr).toMatch(
    /Could not create the data folder \S+parley: you do not have write permission in \S+\.\nhint: Set PARLEY_DATA_DIR/,
  )
  const unset = await parley('profile set prod --url https://platform.example', { HOME })
  expect(unset).toMatchObject({ exitCode: 2, stdout: '' })
  expect(unset.stderr).toContain('or set PARLEY_CONFIG_DIR to another folder. Nothing was changed.')
  const doctor = await parley('doctor', { HOME })
  expect(doctor.exitCode).toBe(20)
  expect(doctor.stdout).toMatch(/^failed\tData folder\t\S+ cannot be created: in \S+, permission denied\./m)
  for (const line of ['--version', 'keys --help', 'profile list', 'demo --no-input'])
    expect(await parley(line, { HOME }), line).toMatchObject({ exitCode: 0 })
  expect(readdirSync(HOME)).toEqual([])
  const { PARLEY_DATA_DIR } = ownFolders()
  expect(await parley('keys list -o id', { HOME, PARLEY_DATA_DIR })).toEqual({
    exitCode: 0,
    stdout: '1\n2\n3\n',
    stderr: '',
  })
})

test('a folder for temporary files that cannot be written is named, with what to do', async () => {
  const folder = readOnlyFolder()
  const { stdout } = await platform({ TMPDIR: folder })
  expect(stdout).toBe(
    `Could not create a temporary folder in ${folder}: permission denied. Set TMPDIR to a folder that can be written. Or pass the option "dataDir".\n`,
  )
  expect((await platform({ TMPDIR: join(folder, 'none') })).stdout).toContain('none: it does not exist. Set TMPDIR')
  const env = { ...ownFolders(), TMPDIR: folder }
  expect(await parley('keys list -o id', env)).toMatchObject({ exitCode: 0, stdout: '1\n2\n3\n' })
  expect(await parley('demo --no-input', env)).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `error: Could not create a temporary folder in ${folder}: permission denied.\nhint: Set TMPDIR to a folder that can be written.\n`,
  })
})

test('a cache folder that cannot be written costs nothing but time', async () => {
  const folder = readOnlyFolder()
  expect(await platform({ PARLEY_CACHE_DIR: folder })).toEqual(works)
  const file = join(newFolder(), 'file')
  writeFileSync(file, '')
  for (const cache of [folder, file])
    expect(await parley('keys list -o id', { ...ownFolders(), PARLEY_CACHE_DIR: cache })).toEqual({
      exitCode: 0,
      stdout: '1\n2\n3\n',
      stderr: '',
    })
})

const templates = (cache: string): string[] => readdirSync(cache).filter((it) => /^schema-\w+\.db$/.test(it))

test.each(['garbage', 'empty', 'truncated', 'another checksum'])(
  'a damaged template is built again (%s)',
  async (damage) => {
    const cache = newFolder()
    expect(await platform({ PARLEY_CACHE_DIR: cache })).toEqual(works)
    const [name = ''] = templates(cache)
    const file = join(cache, name)
    const content = readFileSync(file)
    const damaged = Buffer.from(content)
    damaged[5000] = ~(damaged[5000] ?? 0) & 0xff
    writeFileSync(
      file,
      { garbage: 'garbage', empty: '', truncated: content.subarray(0, 9000), 'another checksum': damaged }[damage] ??
        '',
    )
    expect(await platform({ PARLEY_CACHE_DIR: cache })).toEqual(works)
    expect(statSync(file).size).toBe(content.length)
    expect(await platform({ PARLEY_CACHE_DIR: cache })).toEqual(works)
  },
)

test('processes that build the template at once leave one, and nothing else', async () => {
  const cache = newFolder()
  const results = await Promise.all(Array.from({ length: 4 }, () => platform({ PARLEY_CACHE_DIR: cache })))
  expect(results).toEqual([works, works, works, works])
  expect([templates(cache).length, readdirSync(cache).filter((it) => it.startsWith('schema-')).length]).toEqual([1, 1])
})
