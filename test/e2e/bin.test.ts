import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** A built program of a few lines, so that only bin/ is under test. */
const program = {
  'version.js': 'module.exports = "1.2.3"',
  'complete.js': 'exports.answerShell = (words) => words.slice(1).map((it) => it + "!")',
  'main.js': `
    exports.makeFolder = (folder) => {
      const { existsSync, mkdirSync } = require('fs')
      folder.split('/').map((_, n, all) => all.slice(0, n + 1).join('/') || '/').forEach((it) => existsSync(it) || mkdirSync(it, 0o700))
    }
    exports.createSystem = () => ({ write: (text) => process.stdout.write(text) })
    exports.main = async ([word], system) => {
      if (word === 'crash') throw new Error('It broke.\\nIn two lines.')
      if (word === 'later') setImmediate(() => { throw new Error('It broke later.') })
      if (word === 'nobody') Promise.reject(new Error('Nobody waited.'))
      if (word === 'flood') for (let line = 0; line < 100000; line++) system.write('a line of output\\n')
      if (word === 'loaded') system.write(Object.keys(require.cache).join('\\n'))
      return word === 'seven' ? 7 : 0
    }`,
}

const folder = mkdtempSync(join(tmpdir(), 'parley-bin-'))
const bin = join(folder, 'bin/parley.js')
const source = join(import.meta.dirname, '../../bin')

beforeAll(() => {
  for (const name of ['bin', 'dist', 'home']) mkdirSync(join(folder, name))
  for (const name of ['parley.js', 'package.json']) copyFileSync(join(source, name), join(folder, 'bin', name))
  for (const [name, text] of Object.entries(program)) writeFileSync(join(folder, 'dist', name), text)
  writeFileSync(join(folder, 'dist/package.json'), '{"type":"commonjs"}')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface RunOptions {
  readonly env?: Record<string, string>
  readonly node?: readonly string[]
  readonly file?: string
  /** Stops reading after the first piece of output, as `head` does. */
  readonly readOnce?: boolean
}

function run(
  words: readonly string[],
  { env = {}, node = [], file = bin, readOnce = false }: RunOptions = {},
): Promise<Finished> {
  const home = join(folder, 'home')
  const child = spawn(process.execPath, [...node, file, ...words], {
    env: { PATH: process.env.PATH, HOME: home, USERPROFILE: home, LOCALAPPDATA: home, ...env },
    timeout: 15_000,
    killSignal: 'SIGKILL',
  })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (texts[name] += text))
  if (readOnce) child.stdout.once('data', () => child.stdout.destroy())
  return new Promise((done, fail) => child.on('error', fail).on('close', (code) => done({ code, ...texts })))
}

test.each([['--version'], ['-V'], ['-v'], ['version']])('the version is printed for %j alone', async (word) => {
  expect(await run([word])).toEqual({ code: 0, stdout: '1.2.3\n', stderr: '' })
})

test.each([
  ['numbers', 'buy', '+14155550123', '--version'],
  ['automate', 'restore', 'X', '--version', '1'],
  ['-V', 'keys'],
  ['--version', '--json'],
])('the version is not printed if there are other arguments: %j %j', async (...words) => {
  expect((await run(words)).stdout).not.toContain('1.2.3')
})

test('after -- a flag is a plain argument', async () => {
  expect(await run(['seven', '--', '--version'])).toEqual({ code: 7, stdout: '', stderr: '' })
})

test('the version is printed even if the rest of the program is broken', async () => {
  writeFileSync(join(folder, 'dist/main.js'), 'throw new Error("loaded")')
  try {
    expect((await run(['--version'])).stdout).toBe('1.2.3\n')
    expect(await run(['__complete', '--', 'numbers', '--version', ''])).toEqual({
      code: 0,
      stdout: 'numbers!\n--version!\n!\n',
      stderr: '',
    })
  } finally {
    writeFileSync(join(folder, 'dist/main.js'), program['main.js'])
  }
})

test.each([
  ['crash', 'It broke.'],
  ['later', 'It broke later.'],
  ['nobody', 'Nobody waited.'],
])('a crash (%s) prints one line and exits with 1', async (word, text) => {
  expect(await run([word])).toEqual({
    code: 1,
    stdout: '',
    stderr: `parley failed unexpectedly: ${text} (--debug shows where)\n`,
  })
})

test('the stack trace of a crash is shown on request', async () => {
  for (const { stderr, code } of [
    await run(['crash', '--debug']),
    await run(['crash'], { env: { PARLEY_DEBUG: '1' } }),
  ]) {
    expect(code).toBe(1)
    expect(stderr).toMatch(/^parley failed unexpectedly: Error: It broke\.\n[\s\S]* at .*main\.js/)
  }
})

test('a reader that closes the output ends the program without an error', async () => {
  const { code, stderr } = await run(['flood'], { readOnce: true })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

test('a checkout that is not built prints how to build it', async () => {
  const fresh = join(folder, 'fresh')
  mkdirSync(join(fresh, 'bin'), { recursive: true })
  for (const name of ['parley.js', 'package.json']) copyFileSync(join(source, name), join(fresh, 'bin', name))
  for (const words of [['--version'], ['keys', 'list']]) {
    expect(await run(words, { file: join(fresh, 'bin/parley.js') })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'parley is not built yet. Run: npm run build\n',
    })
  }
})

test.each(['20.17.0', '18.20.4', '9.0.0'])('Node %s gets an error that it is too old', async (version) => {
  const preload = join(folder, `pretend-${version}.cjs`)
  writeFileSync(
    preload,
    `for (const [name, value] of [['versions', { node: '${version}' }], ['version', 'v${version}']]) Object.defineProperty(process, name, { value })`,
  )
  const { code, stdout, stderr } = await run(['--version'], { node: ['--require', preload] })
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: `parley requires Node 20.18 or newer. This is v${version}.\n`,
  })
})

describe('the compiled code of large files', () => {
  const name = 'large-Ab3dEf9h.js'
  // The last line of every file of the bundle: a hash of its content.
  const stamp = '0123456789abcdef'
  const cache = join(folder, 'compiled')
  const chunks = join(folder, 'dist/chunks')
  const env = { XDG_CACHE_HOME: cache }
  const saved = (): string[] => {
    const files = existsSync(cache) ? readdirSync(cache, { recursive: true, encoding: 'utf8' }) : []
    return files.filter((it) => it.endsWith(`large-Ab3dEf9h.${stamp}.js`))
  }

  beforeAll(() => {
    mkdirSync(chunks)
    writeFileSync(
      join(chunks, name),
      `/* ${'x'.repeat(10_000)} */ exports.word = () => ['loaded', __filename, module.id].join('\\n'); exports.fs = require('fs').existsSync(__filename)\n// ${stamp}\n`,
    )
    writeFileSync(
      join(folder, 'dist/main.js'),
      `${program['main.js']}; const it = require('./chunks/${name}'); exports.main = async () => { process.stdout.write(it.word() + it.fs); return 0 }`,
    )
  })
  afterAll(() => writeFileSync(join(folder, 'dist/main.js'), program['main.js']))
  const good = { code: 0, stdout: ['loaded', join(chunks, name), `${join(chunks, name)}true`].join('\n'), stderr: '' }

  test('is saved, readable by its owner only, and reused', async () => {
    expect(await run(['x'], { env })).toEqual(good)
    const [file = ''] = saved()
    const before = statSync(join(cache, file))
    expect(before.mode & 0o077).toBe(0)
    expect(await run(['x'], { env })).toEqual(good)
    expect(statSync(join(cache, file)).ino).toBe(before.ino)
  })

  test('that is damaged is created again', async () => {
    const file = join(cache, saved()[0] ?? '')
    writeFileSync(file, 'nonsense')
    expect(await run(['x'], { env })).toEqual(good)
    expect(statSync(file).size).toBeGreaterThan(100)
  })

  test('is not saved when it is disabled, or without space', async () => {
    rmSync(cache, { recursive: true, force: true })
    expect(await run(['x'], { env: { ...env, NODE_DISABLE_COMPILE_CACHE: '1' } })).toEqual(good)
    expect(saved()).toEqual([])
    writeFileSync(cache, 'a file where the folder should be')
    expect(await run(['x'], { env })).toEqual(good)
    rmSync(cache)
  })

  test.runIf(existsSync('/proc/self'))(
    'is neither saved nor waited for on a system that cannot create folders',
    async () => {
      for (const folder of ['/proc', '/proc/parley'])
        expect(await run(['x'], { env: { PARLEY_CACHE_DIR: folder } })).toEqual(good)
    },
  )
})

test('creates no cache folder if no large file was compiled', async () => {
  await run(['loaded'], { env: { XDG_CACHE_HOME: join(folder, 'cache') } })
  expect(readdirSync(folder)).not.toContain('cache')
})
