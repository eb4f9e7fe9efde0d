import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { lockWork } from '../../../../src/cli/program/errors/lock-work.ts'
import { identify } from '../../../../src/node/process-identity.ts'

const inProgress = (it: string): string => `${it} is at work.`
const living = { pid: process.pid, isAlive: () => true }

test('work that another process does is a conflict that names the process, also in another container', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'deep', 'a.lock')
  const lock = lockWork(file, living, inProgress)
  const conflict = (message: string) =>
    expect.objectContaining({
      exit: 'conflict',
      code: 'in_progress',
      message,
      hint: expect.stringContaining(`is another program, delete ${file}.`),
    })
  expect(() => lockWork(file, living, inProgress)).toThrow(conflict(`Process ${process.pid} is at work.`))
  lock.release()
  for (const [owner, name] of [
    [{ pid: 1, host: 'other', started: null }, 'Process 1 on other'],
    [{ pid: 1, host: hostname(), space: 'pid:[1]', started: null }, 'Process 1 of another container'],
  ] as const) {
    writeFileSync(file, JSON.stringify({ id: name, ...identify(process.pid), ...owner }))
    expect(() => lockWork(file, living, inProgress)).toThrow(conflict(`${name} is at work.`))
    utimesSync(file, 1, 1)
    lockWork(file, living, inProgress).release()
  }
})
