import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { beforeAll, expect, test } from 'vitest'
import { longOnly } from '../support/case-count.ts'
import { bin, filledPlace, newFolder, newPlace, type Place, run, start } from './support/built-program.ts'

// What a command reads of the built program: figures that are the same on every machine, whatever else it does, where times are not.

const at = await filledPlace(7)
const chunks = join(bin, '../../dist/chunks')
const counter = join(newFolder(), 'counter.cjs')
beforeAll(() => {
  writeFileSync(
    counter,
    `const fs = require('fs')
const read = fs.readFileSync
const seen = []
fs.readFileSync = function (file, ...more) {
  const text = read.call(this, file, ...more)
  if (/[\\\\/]dist[\\\\/].*\\.js$/.test(String(file))) seen.push([String(file), text.length])
  return text
}
process.once('exit', () => fs.writeFileSync(process.env.SEEN, JSON.stringify(seen)))`,
  )
})

/** Names of the files a command reads, and their kB together. */
const loadedBy = (line: string, place?: Place) => loadedByProgram([bin, ...line.split(' ').filter(Boolean)], place)

/** Names of the files of the built program that a program reads, and their kB together. */
async function loadedByProgram(
  args: readonly string[],
  place: Place = at,
): Promise<{ readonly files: readonly string[]; readonly names: readonly string[]; readonly kB: number }> {
  const into = join(newFolder(), 'seen.json')
  const { exitCode, stderr } = await run(execPath, ['--require', counter, ...args], {
    at: place,
    env: { SEEN: into },
  })
  expect(exitCode, stderr).toBe(0)
  const seen = JSON.parse(readFileSync(into, 'utf8')) as [file: string, bytes: number][]
  return {
    files: seen.map(([file]) => file),
    names: seen.map(([file]) => file.replace(/.*[\\/]/, '').replace(/-\d+-[\w-]{8}\.js$|\.js$/, '')),
    kB: seen.reduce((sum, [, bytes]) => sum + bytes, 0) / 1000,
  }
}

// A quarter over what they took when the line was written: who needs more has to say so here.
// Help of a command reads the pages of its noun.
test.concurrent.each<[string, number]>([
  ['--version', 1],
  ['--help', 120],
  ['numbers buy --help', 95],
  // The table of commands and flags has 152 kB, and grows with them. The timers that fake timers of tests do not replace are in every program.
  // The bundler puts the scopes of keys, which the platform of every command reads, beside the paths of the folders.
  ['__complete -- nu', 220],
  ['keys list', 990],
  ['tools list', 1010],
  ['server status', 1190],
  ...longOnly<[string, number]>(
    ['automate create --help', 116],
    ['profile list', 440],
    ['ops list', 440],
    ['commands', 450],
    // The search for references is an endpoint beside that of the account (2 kB).
    ['whoami', 935],
    ['tools get 2', 1010],
    // The bundler puts what waits for the contact hours, and the requests that may wait, beside the hours of leads (15 kB), and splits
    // the fields of campaigns and the blocked contacts into files of their own, with what other commands need of them (20 kB).
    // It adds files with the expressions and pieces of automations, too (16 kB).
    ['leads list', 1125],
    // The bundler adds a file with the expressions of automations (9 kB).
    ['assistants list', 990],
    ['conversations list', 1135],
  ),
])('%s reads at most %d kB of the program', async (line, size) => {
  const { names, kB } = await loadedBy(line)
  expect(kB, `${names.length} files: ${names.join(' ')}`).toBeLessThanOrEqual(size)
})

test('startPlatform loads little before its first response, once the template exists', async () => {
  const start = `require(${JSON.stringify(join(bin, '../../dist/platform.js'))}).startPlatform({ seed: 7 }).then(async (it) => {
    const { status } = await it.fetch('/api/user/api-keys')
    await it.close()
    process.exitCode = status === 200 ? 0 : 1
  })`
  await loadedByProgram(['-e', start])
  const { names, kB } = await loadedByProgram(['-e', start])
  expect(kB, `${names.length} files: ${names.join(' ')}`).toBeLessThanOrEqual(1020)
})

test('a server loads nothing of the inspector before the first request to it', async () => {
  const start = (path: string) => `const { get } = require('http')
require(${JSON.stringify(join(bin, '../../dist/platform.js'))}).startPlatform({ seed: 7 }).then(async (it) => {
    await it.fetch('/api/user/api-keys')
    await new Promise((done) => get(it.url + ${JSON.stringify(path)}, (response) => response.resume().on('end', done)))
    await it.close()
  })`
  // A text that is only in the code of the inspector.
  const loadsInspector = async (path: string): Promise<boolean> => {
    const { files } = await loadedByProgram(['-e', start(path)])
    return files.some((it) => readFileSync(it, 'utf8').includes("frame-ancestors 'none'"))
  }
  expect(await loadsInspector('/healthz')).toBe(false)
  expect(await loadsInspector('/_parley/session')).toBe(true)
})

/** Parts of the local platform, by a text that is only in them. */
const localPlatform = { store: 'SelectQueryNode', SQLite: 'journal_mode', driver: 'libsql' }

test('a command loads nothing of the local platform where a server answers', async () => {
  const local = await loadedBy('keys list')
  const served = newPlace()
  const server = start('server start --port 0', { at: served })
  await server.until('Listening on ')
  const found = ({ files }: typeof local): string[] => {
    const code = files.map((it) => readFileSync(it, 'utf8')).join(' ')
    return Object.entries(localPlatform).flatMap(([what, text]) => (code.includes(text) ? [what] : []))
  }
  expect(found(local)).toEqual(Object.keys(localPlatform))
  for (const line of [
    'keys list',
    'tools list',
    'assistants list',
    'numbers list',
    'conversations list',
    'automate list',
  ])
    expect(found(await loadedBy(line, served)), line).toEqual([])
  server.kill('SIGTERM')
  await server.ended
})

/** Commands whose modules are separate, and packages that only some commands need, by a text that is only in them. */
const notForLists = {
  'tools create': '--endpoint https://weather.example/{town}',
  'assistants create': '--add-tool lookup_patient,book_appointment',
  'assistants update': '--mode multimodal --multimodal-model-id 21',
  'numbers buy': '--contains 415 --max-price 3',
  'conversations chat': '--assistant 1 --transcript chat.txt',
  'automate update': 'Greeting --file flow.json',
  execa: 'ExecaError',
  undici: 'UND_ERR_',
  yaml: 'YAMLParseError',
  nodemailer: 'nodemailer',
  quickjs: 'quickjs',
  'libphonenumber-js': 'libphonenumber',
}

test('a list loads no code for writes, of any noun: it would take longer for each', async () => {
  const built = readdirSync(chunks).map((it) => readFileSync(join(chunks, it), 'utf8'))
  for (const [what, text] of Object.entries(notForLists)) expect(built.join(' ').includes(text), what).toBe(true)
  for (const noun of ['leads', 'campaigns', 'assistants', 'tools', 'numbers', 'conversations', 'automate']) {
    const { files } = await loadedBy(`${noun} list`)
    const code = files.map((it) => readFileSync(it, 'utf8')).join(' ')
    const found = Object.entries(notForLists).filter(([, text]) => code.includes(text))
    expect(found, noun).toEqual([])
  }
})
