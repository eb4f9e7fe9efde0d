import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { expiryMs, lockFile, whileFileLocked } from '../../src/node/file-lock.ts'
import { identify } from '../../src/node/process-identity.ts'
import { controlTime, releaseTime } from '../support/fake-timers.ts'

function newLock(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'a.lock')
}

/** Writes the lock of another process, whose last sign of life was `ageMs` milliseconds ago. */
function leave(file: string, owner: object, ageMs = 0): void {
  writeFileSync(file, JSON.stringify({ id: 'other', ...identify(process.ppid), ...owner }))
  const at = (Date.now() - ageMs) / 1000
  utimesSync(file, at, at)
}

const dead = { pid: process.pid, isAlive: () => false }

test('one holder at a time has a lock, readable by its owner only', () => {
  const file = newLock()
  const lock = lockFile(file)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(() => lockFile(file)).toThrow(`${file} is locked by process ${process.pid}.`)
  expect(lock.isHeld()).toBe(true)
  lock.release()
  expect(existsSync(file)).toBe(false)
  lockFile(file).release()
})

test('the lock of a process that has ended is taken over, also if another process has its id now', () => {
  const file = newLock()
  leave(file, {})
  expect(() => lockFile(file)).toThrow(`by process ${process.ppid}`)
  lockFile(file, dead).release()
  leave(file, { started: 'earlier' })
  lockFile(file).release()
  leave(file, { pid: process.pid, started: 'earlier' })
  lockFile(file).release()
  // Version 0.1 wrote the process id alone.
  writeFileSync(file, String(process.ppid))
  expect(() => lockFile(file)).toThrow(`by process ${process.ppid}`)
  writeFileSync(file, String(process.pid))
  lockFile(file).release()
  expect(readdirSync(join(file, '..'))).toEqual([])
})

test.each([
  ['machine', { host: 'elsewhere' }],
  ['container, whose process ids mean nothing here', { space: 'pid:[1]' }],
])('the lock of another %s is held while it shows signs of life', (_, owner) => {
  const file = newLock()
  leave(file, owner, expiryMs - 10_000)
  expect(() => lockFile(file, dead)).toThrow('is locked by process')
  leave(file, owner, expiryMs + 1000)
  lockFile(file).release()
  expect(readdirSync(join(file, '..'))).toEqual([])
})

test('a lock file that was not written completely is held for a while', () => {
  const file = newLock()
  writeFileSync(file, '{"id":"ab')
  expect(() => lockFile(file)).toThrow(`${file} is locked.`)
  utimesSync(file, 1, 1)
  lockFile(file).release()
})

test('a process that lost its lock while it was suspended notices it, and does not remove the lock of its successor', () => {
  const file = newLock()
  const lock = lockFile(file)
  controlTime({ now: Date.now() + expiryMs, toFake: ['Date'] })
  onTestFinished(releaseTime)
  leave(file, {})
  expect(lock.isHeld()).toBe(false)
  lock.release()
  expect(existsSync(file)).toBe(true)
})

test('a process that was killed while it removed a stale lock does not block others', () => {
  const file = newLock()
  leave(file, { started: 'earlier' })
  leave(`${file}.other.1`, { started: 'earlier' })
  lockFile(file).release()
  expect(readdirSync(join(file, '..'))).toEqual([])
})

test('short work releases the lock when it fails', () => {
  const file = newLock()
  const fail = (): never => {
    throw new Error('no')
  }
  expect(() => whileFileLocked(file, fail)).toThrow('no')
  expect(whileFileLocked(file, () => 7)).toBe(7)
})

describe('many processes', () => {
  let program: string
  let home: string
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'parley-lock-'))
    const bundle = await rolldown({
      input: fileURLToPath(new URL('lock-counter.ts', import.meta.url)),
      platform: 'node',
    })
    program = join(home, 'counter.mjs')
    await bundle.write({ file: program, format: 'esm' })
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  test('do short work one after another', async () => {
    const file = join(home, 'count')
    writeFileSync(file, '0')
    await Promise.all([1, 2, 3, 4].map(() => execa('node', [program, file, '40'])))
    expect(readFileSync(file, 'utf8')).toBe('160')
  })

  test('continue when one of them is killed', async () => {
    const file = join(home, 'killed')
    writeFileSync(file, '0')
    let said = ''
    const workers = [1, 2, 3].map(() => execa('node', [program, file, '100000'], { reject: false, buffer: false }))
    for (const process of workers) process.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const totals = (): number[] => said.split('\n').slice(0, -1).map(Number)
    for (const process of workers) {
      const before = totals().length
      await expect.poll(() => totals().length).toBeGreaterThan(before + 20)
      process.kill('SIGKILL')
      await process
    }
    expect(new Set(totals()).size).toBe(totals().length)
    expect(whileFileLocked(`${file}.lock`, () => Number(readFileSync(file, 'utf8')))).toBeGreaterThanOrEqual(
      totals().length,
    )
  })
})
