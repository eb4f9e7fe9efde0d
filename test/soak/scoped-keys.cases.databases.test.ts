import { describe, expect, test } from 'vitest'
import { endpointScopes } from '../../src/contract/access/endpoint-scopes.ts'
import { seed } from '../support/adversary.ts'
import { caseCount } from '../support/case-count.ts'
import { databases } from '../support/databases.ts'
import type { Api } from '../support/platform/platform-api.ts'
import { fresh } from '../support/platform/test-platforms.ts'
import { hostileRequests } from './hostile-requests.ts'

/** Returns every transaction of the account, with its numbers: a purchase on credit has no transaction. */
async function books({ ask, control }: Api): Promise<readonly unknown[]> {
  const { data: ledger } = (await control('GET', '/control/accounts/1/ledger?per_page=100')).body
  const { data: numbers } = (await ask('GET', '/api/user/phone-numbers/all')).body
  return [
    ...ledger.map(({ id: _, ...entry }: { id: number }) => entry),
    ...numbers.map(({ phone_number }: { phone_number: string }) => phone_number),
  ]
}

describe.each(databases)(`requests with keys that may not spend, on $name, seed ${seed}`, (database) => {
  const count = caseCount(database.name === 'sqlite' ? 4000 : 1500, 600)

  test(`spend nothing, now or two days later: ${count} of them, to every endpoint`, async () => {
    const settings = { seed: 7, frozenAt: '2026-11-02T09:00:00Z' }
    const [api, untouched] = [await fresh(database, settings), await fresh(database, settings)]
    const keyOf = async (scope: string): Promise<string> =>
      (await api.control('POST', '/control/accounts/1/keys', { name: scope, scope })).body.token
    const keys = [await keyOf('read'), await keyOf('write'), await keyOf('approve')]
    const before = await books(api)
    const reached = new Set<string>()
    for (const [n, { endpoint, method, url, headers, body, signedIn }] of hostileRequests(count, seed).entries()) {
      // The public's conversations need no key.
      if (endpoint.auth === 'none' || !signedIn) continue
      reached.add(endpoint.name)
      const answer = await api.platform.handle({
        method,
        url: url.replaceAll('~own', '2'),
        headers: { ...headers, authorization: `Bearer ${keys[n % keys.length]}` },
        ...(body !== undefined && { body }),
      })
      if (endpointScopes[endpoint.name as keyof typeof endpointScopes] === 'spend' && method === endpoint.method)
        expect(answer.status, `${method} ${url}\n${body}\n${answer.body}`).toBeGreaterThanOrEqual(400)
    }
    expect(reached.size).toBeGreaterThan(100)
    // A released number costs less: releasing spends nothing.
    for (const entry of await books(api)) expect(before).toContainEqual(entry)
    for (const each of [api, untouched]) await each.control('POST', '/control/clock/advance', { by: '2d' })
    const due = await books(untouched)
    for (const entry of await books(api)) expect(due).toContainEqual(entry)
  })
})
