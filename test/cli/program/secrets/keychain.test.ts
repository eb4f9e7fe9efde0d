import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Operator, operator } from '../../../support/operator.ts'

const key = '12|AbCd"ef\\gh'

/** Puts a program in a folder of its own, which becomes the PATH with the usual folders. It logs its arguments. */
function install(by: Operator, name: string, script: string): Record<string, string> {
  const bin = join(by.cwd, 'bin')
  mkdirSync(bin)
  const file = join(bin, name)
  writeFileSync(file, `#!/bin/sh\necho "$0 $*" >> ${bin}/log\n${script}`)
  chmodSync(file, 0o755)
  return { PATH: `${bin}:/usr/bin:/bin` }
}

const stored = 'cd "$(dirname "$0")" || exit 1\n'
const secretTool = `${stored}case $1 in
  store) cat > "stored-$6" ;;
  lookup) cat "stored-$5" ;;
  clear) rm "stored-$5" ;;
esac
`
const security = `${stored}case $1 in
  -i) read -r line; printf '%s\\n' "$line" | sed 's/.* -a \\([^ ]*\\) -w "\\(.*\\)"$/\\2/; s/\\\\\\(.\\)/\\1/g' > stored ;;
  find-generic-password) cat stored ;;
  delete-generic-password) rm stored ;;
esac
`

test.each([
  ['linux', 'secret-tool', secretTool, 'stored-staging'],
  ['darwin', 'security', security, 'stored'],
])('profile set --keychain saves the key with the program of %s', async (os, name, script, file) => {
  const by = operator()
  const env = install(by, name, script)
  const config = (): string => readFileSync(join(by.configDir, 'config.json'), 'utf8')
  const set = await by.run('profile set staging --url https://staging.example --api-key-stdin --keychain', {
    os,
    env,
    stdin: `${key}\n`,
  })
  expect(set.exitCode, set.stderr).toBe(0)
  expect(readFileSync(join(by.cwd, 'bin', file), 'utf8').trim()).toBe(key)
  for (const text of [config(), set.stdout, set.stderr, readFileSync(join(by.cwd, 'bin/log'), 'utf8')])
    expect(text).not.toContain('AbCd')
  expect(JSON.parse(config()).profiles.staging).toMatchObject({ api_key_command: expect.stringContaining(name) })
  // The key of the file is moved.
  await by.run('profile set other --url https://other.example --api-key-stdin', { stdin: 'plain-key' })
  expect(config()).toContain('plain-key')
  expect(await by.run('profile set other --keychain', { os, env })).toMatchObject({ exitCode: 0 })
  expect(config()).not.toContain('plain-key')
  expect(await by.run('profile delete other --yes', { os, env })).toMatchObject({ exitCode: 0 })
  expect(existsSync(join(by.cwd, 'bin', file.replace('staging', 'other')))).toBe(false)
})

test('a keychain that does not save the key, or that a system does not have, changes nothing', async () => {
  const by = operator()
  const env = install(by, 'secret-tool', 'echo "no keyring is running" >&2; exit 1\n')
  const line = 'profile set staging --url https://staging.example --api-key-stdin --keychain'
  expect(await by.run(line, { env, stdin: key })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/secret-tool did not save the API key[\s\S]*no keyring is running/),
  })
  expect(await by.run(line, { os: 'win32', stdin: key })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--keychain works on macOS and Linux only.'),
  })
  expect(await by.run('profile set staging --url https://staging.example --keychain', { env })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('No API key to save in the keychain.'),
  })
  expect(await by.run('profile set local --keychain', { env })).toMatchObject({ exitCode: 2 })
  expect(await by.run('profile show staging')).toMatchObject({ exitCode: 2 })
})
