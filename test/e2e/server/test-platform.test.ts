import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { execPath } from 'node:process'
import { expect, test } from 'vitest'
import { bin } from '../support/built-program.ts'

const entry = join(dirname(bin), '../dist/platform.js')

/** Runs a script that imports the built package. Resolves to its exit code, its output, and what it left behind. */
function runScript(text: string): Promise<{ code: unknown; output: string; left: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-script-'))
  return new Promise((done) =>
    execFile(
      execPath,
      ['-e', `const { startPlatform } = require(${JSON.stringify(entry)})\n${text}`],
      { env: { ...process.env, TMPDIR: folder } },
      (error, stdout, stderr) =>
        done({ code: error ? (error.code ?? error.signal) : 0, output: stdout + stderr, left: readdirSync(folder) }),
    ),
  )
}

test('a platform that is not closed does not keep the process running, and leaves nothing behind', async () => {
  const script = `
    startPlatform({ seed: 7 }).then(async (platform) => {
      console.log((await platform.fetch('/api/user/me')).status, (await platform.client.keys.list()).api_keys.length)
      await platform.clock.advance('31d')
    })`
  expect(await runScript(script)).toEqual({ code: 0, output: '200 3\n', left: [] })
})

test('a test that throws before it closes the platform leaves nothing behind', async () => {
  const { code, output, left } = await runScript(`startPlatform().then(() => { throw new Error('on purpose') })`)
  expect({ code, left }).toEqual({ code: 1, left: [] })
  expect(output).toContain('on purpose')
})
