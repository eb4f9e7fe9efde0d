import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startHost } from '../support/servers/http-hosts.ts'
import { keys, type Step } from '../support/terminal.ts'
import { filledPlace, newPlace, parley, start } from './support/built-program.ts'
import { atTerminal } from './support/program-terminal.ts'

test('login saves only a key that a real server accepts; doctor then finds no problems', async () => {
  const server = await filledPlace()
  const running = start('server start --port 0', { at: server })
  const address = /http:\/\/127\.0\.0\.1:\d+/.exec(
    await running.until('http://').then((rest) => `http://${rest}`),
  )?.[0] as string
  const made = await parley('keys create --name laptop -o id', { at: server })
  const key = made.stdout.trim()
  expect(key).toMatch(/^\d+\|/)

  const at = newPlace()
  const file = join(at.config, 'config.json')
  const signIn = (input: string) => parley(`login work --url ${address} --api-key-stdin`, { at, input })
  const refused = await signIn('1|no-such-key-no-such-key\n')
  expect({ exitCode: refused.exitCode, stdout: refused.stdout }).toEqual({ exitCode: 3, stdout: '' })
  expect(() => readFileSync(file)).toThrow('ENOENT')

  const taken = await signIn(`${key}\n`)
  expect(taken).toMatchObject({
    exitCode: 0,
    stdout: `Signed in to ${address} as Northwind Dental. Saved as profile "work".\n`,
  })
  expect(taken.stdout + taken.stderr).not.toContain(key)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect((await parley('keys list -o id', { at })).exitCode).toBe(0)

  const found = await parley('doctor --json --strict', { at })
  expect(found.exitCode).toBe(20)
  const fix = 'messaging assign 5 --assistant-id 1'
  expect(found.stdout).toContain(`parley ${fix}`)
  expect((await parley(`${fix} --yes`, { at })).exitCode).toBe(0)
  const examined = await parley('doctor --json --strict', { at })
  expect({ exitCode: examined.exitCode, stderr: examined.stderr }).toEqual({ exitCode: 0, stderr: '' })
  const of = (check: string) => JSON.parse(examined.stdout).find((it: { check: string }) => it.check === check)
  expect(of('reach').detail).toContain(address)
  expect(of('key').detail).toContain('Northwind Dental')
  expect(of('clock').status).toBe('ok')
  const served = await parley('doctor --json', { at: server })
  expect(served.exitCode).toBe(0)
  expect(served.stdout).toContain(`${address} serves the data folder`)

  running.kill('SIGTERM')
  await running.ended
  const gone = await parley('doctor --json', { at })
  expect(gone.exitCode).toBe(20)
  expect(gone.stdout).toContain(`Connection refused by ${address}.`)
})

test.skipIf(process.platform === 'win32')(
  'Ctrl-C at the spinner ends it with one line: exit 130, nothing is saved',
  async () => {
    const at = newPlace()
    const { url } = await startHost(() => {})
    const steps: Step[] = [
      ['API key:', `1|${'a'.repeat(40)}${keys.enter}`],
      ['Checking the API key', keys.ctrlC],
    ]
    const { exitCode, screen } = await atTerminal(`login work --url ${url}`, steps, { at })
    expect({ exitCode, end: screen.split('Interrupted.').slice(1) }).toEqual({
      exitCode: 130,
      end: [' Nothing was saved.\r\n'],
    })
    expect(() => readFileSync(join(at.config, 'config.json'))).toThrow('ENOENT')
  },
)
