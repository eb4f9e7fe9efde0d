import { describe, expect, test } from 'vitest'
import { endpointScopes, spendConditions } from '../../../../src/contract/access/endpoint-scopes.ts'
import { controlEndpoints } from '../../../../src/contract/control/index.ts'
import { endpoints } from '../../../../src/contract/resources/index.ts'
import { databases } from '../../../support/databases.ts'
import type { Api } from '../../../support/platform/platform-api.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'

/** Creates a key with restrictions and returns its token. */
async function keyWith(api: Api, restrictions: object, key?: string): Promise<string> {
  const { status, body } = await api.ask('POST', '/api/user/api-keys', {
    body: { name: 'restricted', ...restrictions },
    ...(key !== undefined && { key }),
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.api_key.token
}

test('every endpoint has one scope, and the table has no other entries', () => {
  const declared = [...endpoints, ...controlEndpoints]
  expect(Object.keys(endpointScopes).sort()).toEqual(declared.map((it) => it.name).sort())
  for (const { name, auth = 'key', risk } of declared) {
    const scope = endpointScopes[name as keyof typeof endpointScopes]
    if (auth === 'control') expect(scope, name).toBe('control')
    else if (auth === 'none') expect(scope, name).toBe('public')
    else if (risk === 'read') expect(['read', 'any', 'approve'], name).toContain(scope)
    else if (risk === 'spends') expect(scope === 'spend' || name in spendConditions, name).toBe(true)
    // A key that reads may ask a person for what another key then does.
    else if (name.startsWith('approvals.')) expect(['read', 'approve'], name).toContain(scope)
    else expect(['write', 'spend', 'any', 'approve'], name).toContain(scope)
  }
})

describe.each(databases)('on $name', (database) => {
  test('a key calls only the endpoints of its scope, and a refusal names the scope and how to get it', async () => {
    const api = await fresh(database)
    const keys = {
      read: await keyWith(api, { scope: 'read' }),
      write: await keyWith(api, { scope: 'write' }),
      spend: await keyWith(api, { scope: 'spend' }),
      approve: (await api.control('POST', '/control/accounts/1/keys', { name: 'boss', scope: 'approve' })).body.token,
    }
    const allowed = {
      read: ['read'],
      write: ['read', 'write'],
      spend: ['read', 'write', 'spend'],
      approve: ['approve'],
    }
    for (const [scope, key] of Object.entries(keys) as [keyof typeof keys, string][])
      for (const { name, method, path, auth } of endpoints) {
        if (auth === 'none') continue
        const needed = endpointScopes[name as keyof typeof endpointScopes]
        // Nothing has this id, so that no request changes anything.
        const url = path.replace(/\{\w+\}/g, '999999')
        const { status, body } = await api.ask(method, url, { key, ...(method !== 'GET' && { body: {} }) })
        const isRefused = status === 403 && body.error === 'KEY_SCOPE_MISSING'
        expect(isRefused, `${scope} key, ${name}: ${status} ${JSON.stringify(body)}`).toBe(
          needed !== 'any' && !(allowed[scope] as string[]).includes(needed),
        )
        if (isRefused) expect(body).toMatchObject({ required_scope: needed, message: expect.stringContaining(needed) })
      }
    const refused = await api.ask('POST', '/api/user/sms', { key: keys.write, body: {} })
    expect(refused.body).toEqual({
      message:
        'This request needs a key with the scope spend. This key has the scope write. A person can create one: parley keys create --scope spend.',
      error: 'KEY_SCOPE_MISSING',
      required_scope: 'spend',
    })
  })

  test('keys without restrictions keep every right, except to create a key that approves', async () => {
    const api = await fresh(database)
    const key = await keyWith(api, {})
    expect((await api.ask('GET', '/api/user/api-keys', { key })).body.api_keys.at(-1)).toEqual({
      id: expect.any(Number),
      name: 'restricted',
      last_used_at: expect.any(String),
      created_at: expect.any(String),
    })
    const { status, body } = await api.ask('POST', '/api/user/api-keys', { body: { name: 'boss', scope: 'approve' } })
    expect([status, body.error]).toEqual([403, 'KEY_EXCEEDS_OWN'])
    expect(body.message).toContain('parley server accounts key <account> --scope approve')
  })

  test('a key never creates one with more rights than its own', async () => {
    const api = await fresh(database)
    const spend = await keyWith(api, { scope: 'spend', nouns: ['keys', 'tools'], expires: '1d' })
    const refused: readonly object[] = [
      { scope: 'approve' },
      { nouns: ['keys', 'sms'] },
      { expires: '2d' },
      { scope: 'write', nouns: ['numbers'] },
    ]
    for (const more of refused) {
      const { status, body } = await api.ask('POST', '/api/user/api-keys', { key: spend, body: { name: 'x', ...more } })
      expect([status, body.error], JSON.stringify(more)).toEqual([403, 'KEY_EXCEEDS_OWN'])
    }
    const child = await keyWith(api, {}, spend)
    const { data } = (await api.ask('GET', '/api/user/api-keys/scopes')).body
    const [own, inherited] = data.slice(-2)
    expect(inherited).toEqual({ ...own, id: inherited.id })
    expect(own).toMatchObject({ scope: 'spend', nouns: ['keys', 'tools'], is_expired: false })
    expect((await api.ask('GET', '/api/user/tools', { key: child })).status).toBe(200)
    const budget = await keyWith(api, { scope: 'spend', budget: '5/day' })
    expect((await api.ask('POST', '/api/user/api-keys', { key: budget, body: { name: 'x' } })).status).toBe(403)
    expect(await keyWith(api, { scope: 'read' }, budget)).toMatch(/^\d+\|/)
  })

  test('nouns restrict a key to resources', async () => {
    const api = await fresh(database)
    const key = await keyWith(api, { nouns: ['tools'] })
    expect((await api.ask('GET', '/api/user/tools', { key })).status).toBe(200)
    expect((await api.ask('GET', '/api/user/me', { key })).status).toBe(200)
    const { status, body } = await api.ask('GET', '/api/user/leads', { key })
    expect([status, body.error, body.required_noun]).toEqual([403, 'KEY_NOUN_MISSING', 'leads'])
    const unknown = await api.ask('POST', '/api/user/api-keys', { body: { name: 'x', nouns: ['toools'] } })
    expect(unknown.status).toBe(422)
  })

  test('an expired key is refused, also for what it has read before', async () => {
    const api = await fresh(database)
    await api.control('POST', '/control/clock/freeze')
    const key = await keyWith(api, { scope: 'read', expires: '1h' })
    expect((await api.ask('GET', '/api/user/tools', { key })).status).toBe(200)
    await api.control('POST', '/control/clock/advance', { by: '59m' })
    expect((await api.ask('GET', '/api/user/tools', { key })).status).toBe(200)
    await api.control('POST', '/control/clock/advance', { by: '1m' })
    const { status, body } = await api.ask('GET', '/api/user/tools', { key })
    expect([status, body.error]).toEqual([401, 'KEY_EXPIRED'])
    expect(body.message).toMatch(/^This API key expired at \d{4}-/)
  })

  test('what sends data out, costs money later or shows secrets needs spend, although the endpoint is a write', async () => {
    const api = await fresh(database)
    const key = await keyWith(api, { scope: 'write' })
    const refused: readonly (readonly [method: string, path: string, body?: object])[] = [
      ['PUT', '/api/user/tools/1', { endpoint: 'https://evil.example/' }],
      ['PUT', '/api/user/tools/1', { headers: [{ name: 'A', value: 'b' }] }],
      ['PUT', '/api/user/assistant/1', { webhook_url: 'https://evil.example/' }],
      ['PUT', '/api/user/assistant/1', { phone_number_id: 1 }],
      ['POST', '/api/user/assistant/1/status', { status: 'active' }],
      ['POST', '/api/user/campaigns/update-status', { campaign_id: 1, action: 'start' }],
      ['GET', '/api/user/automate/flows/x?include_secrets=true'],
    ]
    for (const [method, path, body] of refused) {
      const answer = await api.ask(method, path, { key, ...(body && { body }) })
      expect([answer.status, answer.body.error], `${method} ${path} ${JSON.stringify(body)}`).toEqual([
        403,
        'KEY_SCOPE_MISSING',
      ])
    }
  })
})
