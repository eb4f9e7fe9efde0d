import { beforeAll, describe, expect, test } from 'vitest'
import type { PlainResponse } from '../../../../src/contract/endpoint/http-message.ts'
import { day } from '../../../../src/contract/values/micros.ts'
import { createClock } from '../../../../src/platform/jobs/clock.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { databases, temporaryFolder } from '../../../support/databases.ts'
import { audit } from '../../../support/platform/audit-purchases.ts'
import type { TestAccount } from '../../../support/platform/platform-api.ts'
import { newPlace, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'
import { type Worker, workersIn } from '../../../support/processes/start.ts'

let start: () => Worker
beforeAll(async () => {
  start = await workersIn(temporaryFolder())
})

describe.each(databases)('two processes on one platform on $name', (database) => {
  async function pair() {
    const place = await newPlace(database)
    const api = await openAt(place)
    const workers = [start(), start()] as const
    for (const process of workers) afterFile(() => process.kill())
    await Promise.all(workers.map((it) => it.tell({ do: 'open', settings: place })))
    const connection = await tablesOf(place)
    return { api, workers, connection, read: connection.read }
  }
  const post = (
    worker: Worker,
    url: string,
    { key }: TestAccount,
    body: object,
    headers = {},
  ): Promise<PlainResponse> =>
    worker.tell({
      do: 'handle',
      request: {
        method: 'POST',
        url,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      },
    })
  const buy = (worker: Worker, buyer: TestAccount, phone_number: string, headers = {}) =>
    post(worker, '/api/user/phone-numbers/purchase', buyer, { phone_number }, headers)

  test('sell a number once to two concurrent buyers', async () => {
    const { api, workers, read } = await pair()
    const buyers = await Promise.all(workers.map(() => api.account()))
    const { data } = (await api.ask('GET', '/api/user/phone-numbers/search?country_code=FI')).body
    for (const { phone_number } of data.slice(0, 15)) {
      const answers = await Promise.all(workers.map((it, n) => buy(it, buyers[n]!, phone_number)))
      expect(answers.map((it) => it.status).sort(), phone_number).toEqual([201, 400])
      expect(answers.find((it) => it.status === 400)?.body).toBe('{"error":"This phone number is already in use."}')
    }
    expect(await audit(read)).toEqual([])
  })

  test('make one purchase for the same key', async () => {
    const { api, workers, read } = await pair()
    const buyer = await api.account()
    const { data } = (await api.ask('GET', '/api/user/phone-numbers/search?country_code=IL')).body
    for (const [n, { phone_number }] of data.slice(0, 8).entries()) {
      const answers = await Promise.all(
        workers.map((it) => buy(it, buyer, phone_number, { 'idempotency-key': `k${n}` })),
      )
      expect(answers.map((it) => it.status)).toEqual([201, 201])
      expect(answers[0]?.body).toBe(answers[1]?.body)
    }
    expect(await audit(read)).toEqual([])
  })

  test('run each due job once', async () => {
    const { api, workers, connection, read } = await pair()
    const buyer = await api.account()
    const { data } = (await api.ask('GET', '/api/user/phone-numbers/search?country_code=PL')).body
    for (const { phone_number } of data) await api.buy(phone_number, buyer)
    // Time passes without a process that runs due jobs.
    const clock = createClock(connection, Date.now)
    await clock.freeze((await clock.now()) + 32 * day)
    const drained: { kind: string; subject: string }[][] = await Promise.all(
      workers.map((it) => it.tell({ do: 'drain' })),
    )
    const looks = drained.flat().filter((it) => it.kind.endsWith('.sync'))
    expect(looks.map((it) => it.kind).sort()).toEqual(['senders.sync', 'templates.sync'])
    const subjects = drained.flat().flatMap((it) => (looks.includes(it) ? [] : it.subject))
    expect(subjects).toHaveLength(data.length + 2)
    expect(new Set(subjects).size).toBe(subjects.length)
    expect(await audit(read)).toEqual([])
    const charged = (await api.control('GET', `/control/accounts/${buyer.id}/ledger`)).body.data
    expect(charged).toHaveLength(2 * data.length)
  })
})
