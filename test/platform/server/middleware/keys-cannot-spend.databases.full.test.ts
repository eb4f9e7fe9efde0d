import { describe, expect, test } from 'vitest'
import { endpoints } from '../../../../src/contract/resources/index.ts'
import { tour } from '../../../../src/generate/endpoint-tour.ts'
import { exampleInput } from '../../../../src/generate/example-input.ts'
import { databases } from '../../../support/databases.ts'
import type { Api } from '../../../support/platform/platform-api.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'

/** Returns what the account was charged: kind and amount of each entry, in order. */
async function charges(api: Api): Promise<unknown[]> {
  const { body } = await api.control('GET', '/control/accounts/1/ledger?limit=1000')
  return (body.data as { kind: string; amount: number }[]).map(({ kind, amount }) => [kind, amount])
}

/** Sends every endpoint a valid request with a key: those that depend on one another, and those about the sample data. */
async function sendEverything(api: Api, key: string): Promise<number> {
  let sent = 0
  const ask: Api['ask'] = (method, url, more) => {
    sent += 1
    return api.ask(method, url, { ...more, key: more?.key === undefined ? key : more.key })
  }
  const buy = (phone_number: string) => ask('POST', '/api/user/phone-numbers/purchase', { body: { phone_number } })
  const steps = tour({ ask, buy, control: api.control } as never)
  // A step ends where one before it was refused.
  for (;;) {
    const step = await steps.next().catch(() => ({ done: true }))
    if (step.done) break
  }
  for (const endpoint of endpoints) {
    const body: Record<string, unknown> = { ...exampleInput(endpoint, {}) }
    const path = endpoint.path.replace(/\{(\w+)\}/g, (_, field: string) => {
      const value = String(body[field] ?? 1)
      delete body[field]
      return value
    })
    for (const extra of [{}, { confirm: true, approved: true, confirm_side_effects: true, action: 'start' }])
      await ask(
        endpoint.method,
        path,
        endpoint.method === 'GET' || endpoint.method === 'DELETE' ? {} : { body: { ...body, ...extra } },
      )
  }
  await buy('+15005550006')
  await ask('POST', '/api/user/sms', { body: { from: 1, to: '+14155550142', body: 'Hello' } })
  await ask('POST', '/api/user/make_call', { body: { phone_number: '+14155550142', assistant_id: 1 } })
  const widget = await ask('POST', '/api/conversations', { body: { assistant_id: 1, type: 'widget' } })
  const { conversation_id: uuid = 'none' } = widget.body
  await ask('POST', `/api/conversations/${uuid}/messages`, { body: { message: 'Hello' } })
  return sent
}

describe.each(databases)('on $name', (database) => {
  test.each(['read', 'write', 'approve'] as const)(
    'no request with a key of the scope %s spends, now or a day later',
    async (scope) => {
      const [api, untouched] = [await fresh(database, { seed: 7 }), await fresh(database, { seed: 7 })]
      const made = await api.control('POST', '/control/accounts/1/keys', { name: 'restricted', scope })
      expect(made.status, JSON.stringify(made.body)).toBe(201)
      const before = await charges(api)
      expect(await sendEverything(api, made.body.token)).toBeGreaterThan(endpoints.length)
      for (const one of [api, untouched]) {
        await one.control('POST', '/control/clock/advance', { by: '1d' })
        await one.control('POST', '/control/drain', {})
      }
      expect((await charges(api)).length).toBeGreaterThanOrEqual(before.length)
      expect(await charges(api)).toEqual(await charges(untouched))
    },
  )

  test('a key that spends is charged by the same requests, so that the comparison can fail', async () => {
    const api = await fresh(database, { seed: 7 })
    const made = await api.control('POST', '/control/accounts/1/keys', { name: 'spender', scope: 'spend' })
    const before = await charges(api)
    await sendEverything(api, made.body.token)
    expect((await charges(api)).length).toBeGreaterThan(before.length)
  })
})
