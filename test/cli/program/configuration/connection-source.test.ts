import { expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'
import { closedPort } from '../../../support/servers/http-hosts.ts'

test('a refused connection names the profile, its URL and what selected it', async () => {
  const by = operator()
  const url = `http://127.0.0.1:${await closedPort()}`
  await by.run(`profile set staging --url ${url} --api-key-stdin`, { stdin: '1|key' })
  const refused = async (line: string, env = {}): Promise<string> => {
    const { exitCode, stderr } = await by.run(`${line} --retries 0`, { env })
    expect(exitCode).toBe(9)
    return stderr
  }
  expect(await refused('keys list', { PARLEY_PROFILE: 'staging' })).toContain(
    `hint: ${url} is the URL of profile "staging", selected by PARLEY_PROFILE. Check that it is running.`,
  )
  await by.run('profile use staging')
  expect(await refused('keys list')).toContain('of profile "staging", selected by parley profile use.')
  const env = { PARLEY_API_KEY: '1|key' }
  expect(await refused(`keys list --base-url ${url}`, env)).toContain(`hint: ${url} comes from --base-url.`)
  expect(await refused('keys list', { ...env, PARLEY_BASE_URL: url })).toContain(
    `hint: ${url} comes from PARLEY_BASE_URL.`,
  )
})
