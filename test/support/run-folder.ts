import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const cache = join(import.meta.dirname, '../../node_modules/.cache')
const prefix = 'parley-tests-'
/** Folder in memory on Linux. */
const inMemory = '/dev/shm'
/** Required free space in bytes. A run needs a tenth of it. */
const roomNeeded = 4 * 1024 ** 3

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Removes files in `folder` that killed runs left: entries named `<prefix><pid>-...`. */
function removeAbandoned(folder: string, start: string): void {
  for (const name of readdirSync(folder)) {
    const pid = name.startsWith(start) ? Number(name.slice(start.length).split('-', 1)) : 0
    if (pid > 0 && !isAlive(pid)) rmSync(join(folder, name), { recursive: true, force: true })
  }
}

/**
 * Creates a new folder, in memory if there is space and programs can run from it. Creating and removing thousands of
 * databases on disk takes a tenth of a run.
 */
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
 * Creates one temporary folder for a test run. It is TMPDIR of all workers, so that files that tests leave are deleted
 * with it. PARLEY_TEST_RUN names the run. `test/e2e/support/built-program.ts` stores its copy of the built program next
 * to the packages, under that name.
 */
export default function runFolder(): (() => void) | undefined {
  // Each project of the configuration calls this.
  if (process.env.PARLEY_TEST_RUN === String(process.pid)) return undefined
  const before = { TMPDIR: process.env.TMPDIR, PARLEY_TEST_RUN: process.env.PARLEY_TEST_RUN }
  mkdirSync(cache, { recursive: true })
  removeAbandoned(cache, 'e2e-')
  const folder = makeFolder()
  // PostgreSQL and a few tests run as another user, who must be able to traverse the folder.
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
