import { expect, test } from 'vitest'
import { notParleyServer } from '../../support/altered-responses.ts'
import { operator } from '../../support/operator.ts'

test('a key is created with a scope and an expiry, and the list shows both', async () => {
  const { run, json } = operator()
  const line = 'keys create --name agent --scope write --nouns tools,leads --budget 0.3/day --expires 30d --json'
  const { token } = JSON.parse((await run(line)).stdout)
  expect((await json('keys list')).at(-1)).toEqual({
    id: 4,
    name: 'agent',
    last_used_at: null,
    created_at: '2026-08-04T12:00:00.000000Z',
    scope: 'write',
    nouns: ['tools', 'leads'],
    budget: { amount: 0.3, period: 'day', left: 0.3, renews_at: '2026-08-05T00:00:00.000000Z' },
    expires_at: '2026-09-03T12:00:00.000000Z',
    is_expired: false,
  })
  expect((await run('keys list')).stdout).toContain('write')
  const refused = await run('calls list --json', { env: { PARLEY_API_KEY: token } })
  expect(refused.exitCode).toBe(3)
  expect(JSON.parse(refused.stderr).error).toMatchObject({ code: 'KEY_NOUN_MISSING', status: 403 })
})

test('a call that the budget does not cover is refused as a payment, and nothing is charged', async () => {
  const { run } = operator()
  const { stdout } = await run('keys create --name agent --scope spend --budget 0.01/day -o id --quiet')
  const line = 'calls start +14155550111 --assistant 1 --yes --json'
  const { exitCode, stderr } = await run(line, { env: { PARLEY_API_KEY: stdout.trim() } })
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'KEY_BUDGET_EXCEEDED', status: 403 })
  expect(exitCode).toBe(13)
})

test('wrong restrictions name their flag', async () => {
  const { run } = operator()
  for (const [flags, flag] of [
    ['--scope all', '--scope'],
    ['--nouns toools', '--nouns'],
    ['--budget 20', '--budget'],
    ['--expires soon', '--expires'],
  ] as const) {
    const { exitCode, stderr } = await run(`keys create --name x ${flags}`)
    expect({ exitCode, stderr }, flags).toEqual({ exitCode: 6, stderr: expect.stringContaining(flag) })
  }
})

test('a key that approves is created with the control token only', async () => {
  const { run } = operator()
  const refused = await run('keys create --name boss --scope approve')
  expect(refused).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('parley server accounts key') })
  const created = await run('server accounts key 1 --name boss --scope approve -o id --quiet')
  const { exitCode, stderr } = await run('tools list', { env: { PARLEY_API_KEY: created.stdout.trim() } })
  expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: expect.stringContaining('scope approve') })
})

test('a platform without the capability is sent nothing, and the refusal names the flag', async () => {
  const { run } = operator()
  for (const flag of ['--scope read', '--nouns tools', '--budget 5/day', '--expires 1d']) {
    const { exitCode, stderr, requests } = await run(`keys create --name x ${flag}`, { through: notParleyServer })
    expect({ exitCode, stderr }, flag).toEqual({
      exitCode: 2,
      stderr: expect.stringContaining(flag.split(' ')[0] ?? ''),
    })
    expect(requests.join()).not.toContain('POST')
  }
})
