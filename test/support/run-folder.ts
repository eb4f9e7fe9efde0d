import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const cache = join(import.meta.dirname, '../../node_modules/.cache')
const prefix = 'parley-tests-'
/** Where Linux keeps files in memory. */
const inMemory = '/dev/shm'
/** A run needs a tenth of it. */
const roomNeeded = 4 * 1024 ** 3

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Removes what runs that were killed left in `folder`: entries named `<prefix><pid>-...`. */
function removeAbandoned(folder: string, start: string): void {
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(start) ? Number(name.slice(start.length).split('-', 1)) : 0
    if (pid > 0 && !isAlive(pid)) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/** A new folder: in memory where there is room and programs may be started from it, since making and removing thousands of databases is a tenth of a run. */
function makeFolder(): string {
  const start = `${prefix}${process.pid}-`
  removeAbandoned(tmpdir(), prefix)
  if (process.env.TMPDIR !== undefined || !existsSync(inMemory)) return mkdtempSync(join(tmpdir(), start))
  try {
    const { bavail, bsize } = statfsSync(inMemory)
    if (bavail * bsize < roomNeeded) throw new Error('full')
    removeAbandoned(inMemory, prefix)
    const folder = mkdtempSync(join(inMemory, start))
    try {
      const program = join(folder, 'program')
      writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 })
      execFileSync(program)
      rmSync(program)
      return folder
    } catch (error) {
      rmSync(folder, { recursive: true })
      throw error
    }
  } catch {
    return mkdtempSync(join(tmpdir(), start))
  }
}

/**
 * One temporary folder for a run of the tests: TMPDIR of all its workers, so that whatever a test leaves behind goes with it.
 * PARLEY_TEST_RUN names the run: `test/e2e/support/built-program.ts` keeps its copy of the built program beside the packages, under that name.
 */
export default function runFolder(): (() => void) | undefined {
  // Each project of the configuration asks for it.
  if (process.env.PARLEY_TEST_RUN === String(process.pid)) return undefined
  const before = { TMPDIR: process.env.TMPDIR, PARLEY_TEST_RUN: process.env.PARLEY_TEST_RUN }
  mkdirSync(cache, { recursive: true })
  removeAbandoned(cache, 'e2e-')
  const folder = makeFolder()
  // PostgreSQL and a few tests run as another user, who has to pass through.
  chmodSync(folder, 0o711)
  process.env.TMPDIR = folder
  process.env.PARLEY_TEST_RUN = String(process.pid)
  return () => {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    rmSync(join(cache, `e2e-${process.pid}-run`), { recursive: true, force: true })
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}
