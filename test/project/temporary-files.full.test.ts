import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterFile } from '../support/cleanup.ts'
import { root } from '../support/sources.ts'

/** Starts a run of some tests with a temporary folder of its own. */
function startTests(temporary: string, args: readonly string[]) {
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|PARLEY_TEST_|TEST$)/.test(name))
  const child = spawn(
    process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--project=neutral', ...args],
    {
      cwd: root,
      env: { ...Object.fromEntries(own), TMPDIR: temporary },
      stdio: 'ignore',
    },
  )
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  afterFile(() => void child.kill('SIGKILL'))
  return { child, ended }
}

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'leftovers-'))

test('a run of the tests leaves nothing in the temporary folder', async () => {
  const temporary = newFolder()
  expect(
    await startTests(temporary, [
      'test/cli/nouns/keys.test.ts',
      'test/platform/store/sqlite/transaction-writer.test.ts',
    ]).ended,
  ).toBe(0)
  expect(readdirSync(temporary)).toEqual([])
})

test('files of a killed run are removed by the next one', async () => {
  const temporary = newFolder()
  const { child, ended } = startTests(temporary, ['test/cli/nouns/keys.test.ts'])
  await expect.poll(() => readdirSync(temporary).some((it) => it.startsWith('parley-tests-'))).toBe(true)
  child.kill('SIGKILL')
  await ended
  expect(readdirSync(temporary)).toHaveLength(1)
  const others = join(temporary, 'of-somebody-else')
  mkdirSync(others)
  expect(await startTests(temporary, ['test/node/make-folder.test.ts']).ended).toBe(0)
  expect(readdirSync(temporary)).toEqual(['of-somebody-else'])
  expect(existsSync(others)).toBe(true)
})
