import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { operator } from '../../support/operator.ts'

// What a person is warned of about keys and secrets.

describe('keys delete', () => {
  test('of the key in use warns that access is lost, at a question, without one, and with --yes', async () => {
    const by = operator()
    const warning = 'is the key that you use now'
    expect(await by.run('keys delete 1')).toMatchObject({ exitCode: 10, stderr: expect.stringContaining(warning) })
    const declined = await by.run('keys delete 1', { answers: [[warning, false]] })
    expect(declined.exitCode).toBe(10)
    const deleted = await by.run('keys delete 1 --yes')
    expect(deleted.stderr).toContain(`warning: API key 1 ${warning} (from`)
    expect(deleted.stderr).toContain('You lose access until you set another one')
  })

  test('of another key does not', async () => {
    const by = operator()
    const deleted = await by.run('keys delete 2 --yes')
    expect(deleted.exitCode, deleted.stderr).toBe(0)
    expect(deleted.stderr).not.toContain('that you use now')
  })
})

test('server export warns that the file has secrets, and only its owner can read that file', async () => {
  const by = operator()
  const modeOf = (name: string): number => statSync(join(by.cwd, name)).mode & 0o077
  const plain = await by.run('server export --file plain.yaml')
  expect(plain).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('has secrets') })
  for (const format of ['', ' --json']) {
    const ran = await by.run(`server export --file secrets.yaml --include-secrets${format}`)
    expect(ran).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('secrets.yaml has secrets.') })
    expect(modeOf('secrets.yaml')).toBe(0)
  }
})
