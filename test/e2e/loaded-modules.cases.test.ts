import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { beforeAll, expect, test } from 'vitest'
import { longOnly } from '../support/case-count.ts'
import { bin, filledPlace, newFolder, run } from './support/built-program.ts'

// What a command reads of the built program: figures that are the same on every machine, whatever else it does, where times are not.

const at = await filledPlace(7)
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
const loadedBy = (line: string) => loadedByProgram([bin, ...line.split(' ').filter(Boolean)])

/** Names of the files of the built program that a program reads, and their kB together. */
async function loadedByProgram(
  args: readonly string[],
): Promise<{ readonly names: readonly string[]; readonly kB: number }> {
  const into = join(newFolder(), 'seen.json')
  const { exitCode, stderr } = await run(execPath, ['--require', counter, ...args], {
    at,
    env: { SEEN: into },
  })
  expect(exitCode, stderr).toBe(0)
  const seen = JSON.parse(readFileSync(into, 'utf8')) as [file: string, bytes: number][]
  return {
    names: seen.map(([file]) => file.replace(/.*[\\/]/, '').replace(/-[\w-]{8}\.js$|\.js$/, '')),
    kB: seen.reduce((sum, [, bytes]) => sum + bytes, 0) / 1000,
  }
}

// A quarter over what they took when the line was written: who needs more has to say so here.
// Help of a command reads the pages of its noun.
test.concurrent.each<[string, number, number]>([
  ['--version', 1, 1],
  ['--help', 4, 120],
  ['numbers buy --help', 5, 95],
  // The table of commands and flags has 126 kB. The timers that fake timers of tests do not replace are in every program.
  ['__complete -- nu', 5, 160],
  ['keys list', 20, 1035],
  ['tools list', 31, 1075],
  ['server status', 75, 1190],
  ...longOnly<[string, number, number]>(
    ['automate create --help', 5, 116],
    ['profile list', 11, 465],
    ['ops list', 11, 465],
    ['whoami', 19, 975],
    ['tools get 2', 31, 1075],
    ['leads list', 52, 1100],
    ['assistants list', 41, 1160],
    ['conversations list', 81, 1230],
  ),
])('%s reads at most %d files, of %d kB', async (line, files, size) => {
  const { names, kB } = await loadedBy(line)
  expect(
    { files: names.length <= files, kB: kB <= size },
    `${names.length} files of ${kB} kB: ${names.join(' ')}`,
  ).toEqual({ files: true, kB: true })
})

test('startPlatform loads little before its first response, once the template exists', async () => {
  const start = `require(${JSON.stringify(join(bin, '../../dist/platform.js'))}).startPlatform({ seed: 7 }).then(async (it) => {
    const { status } = await it.fetch('/api/user/api-keys')
    await it.close()
    process.exitCode = status === 200 ? 0 : 1
  })`
  await loadedByProgram(['-e', start])
  const { names, kB } = await loadedByProgram(['-e', start])
  expect(
    { files: names.length <= 25, kB: kB <= 1020 },
    `${names.length} files of ${kB} kB: ${names.join(' ')}`,
  ).toEqual({
    files: true,
    kB: true,
  })
})

test('a server loads nothing of the inspector before the first request to it', async () => {
  const start = (path: string) => `const { get } = require('http')
require(${JSON.stringify(join(bin, '../../dist/platform.js'))}).startPlatform({ seed: 7 }).then(async (it) => {
    await it.fetch('/api/user/api-keys')
    await new Promise((done) => get(it.url + ${JSON.stringify(path)}, (response) => response.resume().on('end', done)))
    await it.close()
  })`
  const isOfInspector = (it: string): boolean => /inspector|page-files|sign-in/.test(it)
  expect((await loadedByProgram(['-e', start('/healthz')])).names.filter(isOfInspector)).toEqual([])
  expect((await loadedByProgram(['-e', start('/_parley/session')])).names.filter(isOfInspector)).not.toEqual([])
})

test('a list loads no code for writes, of any noun: it would take longer for each', async () => {
  for (const noun of ['leads', 'campaigns', 'assistants', 'tools', 'numbers', 'conversations', 'automate']) {
    const { names } = await loadedBy(`${noun} list`)
    expect(
      names.filter((it) => /^(create|update|delete|buy|release|commander|execa|drawn|lines|undici|yaml)$/.test(it)),
      noun,
    ).toEqual([])
  }
})
