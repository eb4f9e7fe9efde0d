import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { execPath } from 'node:process'
import { execa } from 'execa'
import { afterAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const folder = mkdtempSync(join(tmpdir(), 'parley-readme-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A path on which `parley` is the built program. */
function withParley(): Record<string, string> {
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'parley'), `#!/bin/sh\nexec "${execPath}" "${join(root, 'bin/parley.js')}" "$@"\n`)
  chmodSync(join(bin, 'parley'), 0o755)
  return { PATH: [bin, process.env.PATH].join(delimiter), PARLEY_DATA_DIR: join(folder, 'data'), PARLEY_CONFIG_DIR: join(folder, 'config') }
}

const codeAfter = (mark: string): string => new RegExp(`${mark}\\n\`\`\`sh\\n([^]*?)\`\`\``).exec(readme)?.[1] ?? ''

test('the CI recipe of the README buys a number once, and says so when it runs again', async () => {
  const recipe = codeAfter('<!-- recipe -->')
  const run = () => execa('sh', ['-c', recipe], { cwd: folder, env: withParley(), stdin: 'ignore', reject: false })
  const first = await run()
  expect([first.exitCode, first.stdout]).toEqual([0, expect.stringMatching(/^bought \+1\d{10}$/)])
  const bought = JSON.parse(readFileSync(join(folder, 'bought.json'), 'utf8'))
  expect(first.stdout).toBe(`bought ${bought.phone_number}`)
  // The search no longer shows it, so a second run buys the next one; the same number again is exit 5.
  const again = await execa('parley', ['numbers', 'buy', bought.phone_number, '--yes', '--json'], { env: withParley(), reject: false })
  expect([again.exitCode, again.stdout]).toEqual([5, ''])
})

test('every command of the five-minute tour that needs no terminal runs', async () => {
  const lines = codeAfter('called `parley` below \\(`npm link` puts it on the path\\)\\.\\n')
    .split('\n')
    .map((it) => it.replace(/ +#.*/, ''))
    .filter((it) => it.startsWith('parley') && !it.includes('jq'))
  expect(lines.length).toBeGreaterThan(5)
  const expected: Record<string, number> = { 'parley tools update 1 --name "bad name"': 6, 'parley numbers buy': 2 }
  for (const line of lines) {
    const { exitCode, stderr } = await execa('sh', ['-c', line], { cwd: folder, env: withParley(), stdin: 'ignore', reject: false })
    expect(`${line}: ${exitCode}`, stderr).toBe(`${line}: ${expected[line] ?? 0}`)
  }
})
