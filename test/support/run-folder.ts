import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const cache = join(import.meta.dirname, '../../node_modules/.cache')
const prefix = 'parley-tests-'

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

/**
 * One temporary folder for a run of the tests: TMPDIR of all its workers, so that whatever a test leaves behind goes with it.
 * PARLEY_TEST_RUN names the run: `test/e2e/support/built-program.ts` keeps its copy of the built program beside the packages, under that name.
 */
export default function runFolder(): (() => void) | undefined {
  // Each project of the configuration asks for it.
  if (process.env.PARLEY_TEST_RUN === String(process.pid)) return undefined
  const before = { TMPDIR: process.env.TMPDIR, PARLEY_TEST_RUN: process.env.PARLEY_TEST_RUN }
  mkdirSync(cache, { recursive: true })
  removeAbandoned(tmpdir(), prefix)
  removeAbandoned(cache, 'e2e-')
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`))
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
