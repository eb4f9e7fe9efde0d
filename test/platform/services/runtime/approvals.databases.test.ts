import { beforeAll, describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import type { Answered, Api } from '../../../support/platform/platform-api.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'

const planOf = (number: string) => ({
  summary: `Buy ${number}. Maximum cost: 1.15 USD.`,
  command: ['numbers', 'buy', number],
  folder: '/home/ada',
  profile: 'staging',
  platform: 'https://parley.example',
  maximum_usd: 1.15,
  requests: [
    {
      endpoint: 'numbers.buy',
      method: 'POST',
      path: '/api/user/phone-numbers/purchase',
      body: JSON.stringify({ phone_number: number }),
    },
  ],
})

describe.each(databases)('an operation that waits for a person, on $name', (database) => {
  let api: Api
  let approver: string
  let agent: string
  beforeAll(async () => {
    api = await fresh(database)
    const keyOf = async (scope: string): Promise<string> =>
      (await api.control('POST', '/control/accounts/1/keys', { name: scope, scope })).body.token
    ;[approver, agent] = [await keyOf('approve'), await keyOf('spend')]
  })

  const ask = (plan: unknown, key = agent): Promise<Answered> =>
    api.ask('POST', '/api/user/approvals', { key, body: { plan, asked_by: 'Claude Code' } })
  const asked = async (number: string): Promise<{ id: string; hash: string }> => {
    const { status, body } = await ask(planOf(number))
    expect(status, JSON.stringify(body)).toBe(201)
    return body.data
  }
  const decide = (
    { id, hash }: { id: string; hash: string },
    { key = approver, decision = 'approved' }: { key?: string | null; decision?: string } = {},
  ): Promise<Answered> => api.ask('POST', `/api/user/approvals/${id}/decision`, { key, body: { decision, hash } })
  const start = (id: string, body: object): Promise<Answered> =>
    api.ask('POST', `/api/user/approvals/${id}/start`, { key: agent, body })
  const stateOf = async (id: string): Promise<string> =>
    (await api.ask('GET', `/api/user/approvals/${id}`)).body.data.state

  test('is stored once for the same plan, and shown with every byte', async () => {
    const first = await asked('+15005550006')
    expect((await asked('+15005550006')).id).toBe(first.id)
    const { body } = await api.ask('GET', `/api/user/approvals/${first.id}`, { key: approver })
    expect(body.data).toMatchObject({ state: 'pending', asked_by: 'Claude Code', plan: planOf('+15005550006') })
    const listed = (await api.ask('GET', '/api/user/approvals', { key: approver })).body.data
    expect(listed.find((it: { id: string }) => it.id === first.id).plan.requests).toBeUndefined()
  })

  test('is decided only with a key of the scope approve, not with that of the agent or of the data folder', async () => {
    const operation = await asked('+15005550007')
    for (const key of [agent, api.platform.credentials().key, null, `${approver}x`])
      expect([401, 403], String(key)).toContain((await decide(operation, { key })).status)
    expect(await stateOf(operation.id)).toBe('pending')
    expect((await ask(planOf('+15005550008'), approver)).status).toBe(403)
  })

  test('is not approved for a plan other than the one that was read', async () => {
    const operation = await asked('+15005550009')
    expect((await decide({ ...operation, hash: '0'.repeat(64) })).status).toBe(409)
    expect(await stateOf(operation.id)).toBe('pending')
  })

  test('has one decision: the first', async () => {
    const operation = await asked('+15005550010')
    const answers = await Promise.all([
      decide(operation),
      decide(operation, { decision: 'declined' }),
      decide(operation),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
  })

  test('runs for one process at a time, and another one only after the first has ended', async () => {
    const operation = await asked('+15005550011')
    expect((await start(operation.id, { runner: 'a' })).status).toBe(409)
    await decide(operation)
    const starts = await Promise.all(['a', 'b', 'c'].map((runner) => start(operation.id, { runner })))
    expect(starts.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    const { runner } = starts.filter(({ status }) => status === 200)[0]?.body.data ?? {}
    const report = (own: string, end: string): Promise<Answered> =>
      api.ask('POST', `/api/user/approvals/${operation.id}/end`, { key: agent, body: { runner: own, end } })
    expect((await report('another', 'done')).status).toBe(409)
    expect((await start(operation.id, { runner: 'd', replaces: 'another' })).status).toBe(409)
    expect((await start(operation.id, { runner: 'd', replaces: runner })).status).toBe(200)
    expect((await report(runner, 'done')).status).toBe(409)
    expect((await report('d', 'done')).status).toBe(200)
    expect((await start(operation.id, { runner: 'e' })).status).toBe(409)
    expect(await stateOf(operation.id)).toBe('done')
  })

  test('expires an hour after it was asked for, also if it was approved', async () => {
    const [waiting, approved] = [await asked('+15005550012'), await asked('+15005550013')]
    await decide(approved)
    await api.control('POST', '/control/clock/advance', { by: '61m' })
    expect([await stateOf(waiting.id), await stateOf(approved.id)]).toEqual(['expired', 'expired'])
    expect((await decide(waiting)).status).toBe(409)
    expect((await start(approved.id, { runner: 'a' })).status).toBe(409)
    expect((await asked('+15005550012')).id).not.toBe(waiting.id)
  })

  test('belongs to its account', async () => {
    const operation = await asked('+15005550014')
    const other = await api.account()
    const { token } = (await api.control('POST', `/control/accounts/${other.id}/keys`, { name: 'x', scope: 'approve' }))
      .body
    expect((await api.ask('GET', `/api/user/approvals/${operation.id}`, { key: other.key })).status).toBe(404)
    expect((await decide(operation, { key: token })).status).toBe(404)
    expect((await api.ask('GET', '/api/user/approvals', { key: token })).body.data).toEqual([])
  })

  test('is one of at most 100 that wait', async () => {
    const other = await fresh(database)
    for (let n = 0; n < 100; n++)
      expect(
        (await other.ask('POST', '/api/user/approvals', { body: { plan: planOf(`+1500555${n}`), asked_by: null } }))
          .status,
      ).toBe(201)
    const { status, body } = await other.ask('POST', '/api/user/approvals', {
      body: { plan: planOf('+15005550006'), asked_by: null },
    })
    expect([status, JSON.stringify(body)]).toEqual([409, expect.stringContaining('Too many operations')])
  })
})
