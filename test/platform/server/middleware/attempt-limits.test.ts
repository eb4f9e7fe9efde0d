import { describe, expect, test } from 'vitest'
import { createAttemptLimiter } from '../../../../src/platform/services/runtime/attempt-limiter.ts'
import { sqlite } from '../../../support/databases.ts'
import type { Api } from '../../../support/platform/platform-api.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'

const at = (address: string) => ({ address, isProxied: false, isLocal: false })

const caller = (api: Api) => async (authorization: string, address?: string) => {
  const remote = address === undefined ? {} : { remote: at(address) }
  const { status, headers, body } = await api.platform.handle({
    method: 'GET',
    url: '/api/user/me',
    headers: { authorization },
    ...remote,
  })
  return { status, body, retryAfter: headers['retry-after'] }
}
const many = [...Array(40).keys()]

describe('wrong API keys', () => {
  test('are answered with 429 after a while, and right keys are not affected', async () => {
    const now = Date.now()
    const api = await fresh(sqlite, { wall: () => now })
    const ask = caller(api)
    const answers = []
    for (const n of many) answers.push(await ask(`Bearer 1|wrong${n}`, '192.0.2.1'))
    expect(answers[0]).toMatchObject({ status: 401 })
    expect(answers.at(-1)).toEqual({
      status: 429,
      body: expect.stringContaining('"message":"Too Many Attempts."'),
      retryAfter: expect.stringMatching(/^[1-9]\d*$/),
    })
    expect(await ask(`Bearer ${api.platform.credentials().key}`, '192.0.2.1')).toMatchObject({ status: 200 })
    expect(await ask('Bearer 1|wrong', '192.0.2.2')).toMatchObject({ status: 401 })
  })

  test('are not limited for callers in the same process, and requests without a key never', async () => {
    const ask = caller(await fresh(sqlite))
    for (const n of many) expect((await ask(`Bearer 1|wrong${n}`)).status).toBe(401)
    for (const _ of many) expect((await ask('', '192.0.2.1')).status).toBe(401)
  })

  test('of the control API are limited too', async () => {
    const now = Date.now()
    const api = await fresh(sqlite, { controlPublic: true, wall: () => now })
    const statuses = []
    for (const n of many) {
      const headers = { 'parley-control': `wrong${n}` }
      statuses.push(
        (await api.platform.handle({ method: 'GET', url: '/control/status', headers, remote: at('::1') })).status,
      )
    }
    expect([statuses[0], statuses.at(-1)]).toEqual([401, 429])
  })
})

describe('wrong passwords of webhooks', () => {
  test('are answered with 429 after a while, even if one is right; clients that were authenticated before still are', async () => {
    // Attempts are forgiven with time, and a busy machine needs some for this test.
    const now = Date.now()
    const api = await fresh(sqlite, { wall: () => now })
    const flow = {
      trigger: {
        name: 'trigger',
        type: 'PIECE_TRIGGER',
        settings: {
          pieceName: '@engine/piece-webhook',
          triggerName: 'catch_webhook',
          input: { authType: 'header', authFields: { headerName: 'X-Secret', headerValue: 'right' } },
        },
      },
      steps: [
        {
          name: 'step_1',
          type: 'CODE',
          settings: { sourceCode: { code: 'export const code = async () => 1', packageJson: '{}' }, input: {} },
        },
      ],
    }
    const { body } = await api.ask('POST', '/api/user/automate/flows', { body: { name: 'Guarded', flow } })
    const call = async (secret: string, address?: string) => {
      const { status, headers } = await api.platform.handle({
        method: 'POST',
        url: `/automate/api/v1/webhooks/${body.automation_id}`,
        headers: { host: 'localhost', 'x-secret': secret },
        ...(address !== undefined && { remote: at(address) }),
      })
      return { status, retryAfter: headers['retry-after'] }
    }
    expect((await call('right', '192.0.2.1')).status).toBe(200)
    const statuses = new Set<number>()
    for (const address of ['192.0.2.1', '192.0.2.2'])
      for (const n of many) statuses.add((await call(`wrong${n}`, address)).status)
    expect([...statuses]).toEqual([401, 429])
    expect((await call('right', '192.0.2.1')).status).toBe(200)
    expect(await call('right', '192.0.2.2')).toEqual({ status: 429, retryAfter: expect.stringMatching(/^[1-9]\d*$/) })
    expect((await call('right', '192.0.2.3')).status).toBe(200)
    expect((await call('wrong')).status).toBe(401)
  })
})

describe('a limiter of attempts', () => {
  test('allows one more every few seconds, and forgets old attempts', () => {
    let now = 0
    const limiter = createAttemptLimiter(() => now)
    for (const _ of many) limiter.fail('192.0.2.1', 'keys')
    const wait = limiter.waitOf('192.0.2.1', 'keys')
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThan(10)
    expect(limiter.waitOf('192.0.2.1', 'other')).toBe(0)
    now += wait * 1000
    expect(limiter.waitOf('192.0.2.1', 'keys')).toBe(0)
  })

  test('counts all IPv6 addresses of one client as one', () => {
    const limiter = createAttemptLimiter(() => 0)
    for (const n of many) limiter.fail(`2001:db8:1:2::${n.toString(16)}`, 'keys')
    expect(limiter.waitOf('2001:db8:1:2:ffff::1', 'keys')).toBeGreaterThan(0)
    expect(limiter.waitOf('2001:db8:1:3::1', 'keys')).toBe(0)
  })
})
