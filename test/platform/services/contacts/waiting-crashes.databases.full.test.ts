import { beforeAll, describe, expect, test } from 'vitest'
import { afterFile } from '../../../support/cleanup.ts'
import { databases, temporaryFolder } from '../../../support/databases.ts'
import { addSender } from '../../../support/platform/add-sender.ts'
import { auditSends } from '../../../support/platform/audit-messages.ts'
import type { Answered, Api, Place } from '../../../support/platform/platform-api.ts'
import { newPlace, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'
import { type Worker, workersIn } from '../../../support/processes/start.ts'

let start: () => Worker
beforeAll(async () => {
  start = await workersIn(temporaryFolder())
})

const path = '/api/user/messaging/send'
/** No number may be contacted on these days, wherever it is. */
const closed = { holidays: [-1, 0, 1].map((n) => new Date(Date.now() + n * 86_400_000).toISOString().slice(0, 10)) }
const open = { holidays: null }

interface Prepared {
  readonly place: Place
  readonly key: string
  readonly body: object
}

const setHours = (api: Api, key: string, body: object): Promise<Answered> =>
  api.ask('PUT', '/api/user/contact-hours', { key, body })
const send = (api: Api, { key, body }: Prepared): Promise<Answered> =>
  api.ask('POST', path, { key, body, headers: { 'idempotency-key': 'send-once' } })
const waiting = async (api: Api, key: string) =>
  (await api.ask('GET', '/api/user/waiting-contacts?state=all', { key })).body.data

describe.each(databases)('a message on $name that waits for the contact hours', (database) => {
  /** A place with an account that has a sender and whose hours are closed. Its key was used a moment ago. */
  async function prepared(): Promise<Prepared> {
    const place = await newPlace(database)
    const api = await openAt(place)
    const tables = await tablesOf(place)
    const { id, key } = await api.account({ balance: 1 })
    const sender = await addSender(tables, id)
    await setHours(api, key, closed)
    await tables.close()
    await api.platform.close()
    const body = { sender_id: sender.id, template_id: sender.template, recipient_phone: '+14155550111' }
    return { place, key, body }
  }

  /** Opens a platform for a moment. */
  async function opened<T>({ place }: Prepared, body: (api: Api) => Promise<T>): Promise<T> {
    const api = await openAt(place)
    const value = await body(api)
    await api.platform.close()
    return value
  }

  /** Executes an order in a process that dies at `kill`; undefined when it died over it. */
  async function inProcessThatDies(
    { place }: Prepared,
    order: Parameters<Worker['tell']>[0],
    kill: string | number,
  ): Promise<unknown> {
    const worker = start()
    afterFile(() => worker.kill())
    await worker.tell({ do: 'open', settings: place, kill })
    const answer = await worker.tell(order)
    await worker.kill()
    return answer
  }

  async function expectSentOnce(message: Prepared): Promise<void> {
    const api = await openAt(message.place)
    const tables = await tablesOf(message.place)
    await api.platform.due.drain()
    expect(await auditSends(tables.read)).toEqual([])
    expect(await tables.read.selectFrom('channel_message').select('state').execute()).toEqual([{ state: 'sent' }])
    expect(await tables.read.selectFrom('local_channel_send').select('recipient').execute()).toHaveLength(1)
    expect(await waiting(api, message.key)).toMatchObject([{ state: 'started', error: null }])
    expect((await api.ask('GET', '/api/user/me', message)).body.total_balance).toBe(0.992)
    await tables.close()
    await api.platform.close()
  }

  test('is sent and charged once when a server is killed anywhere between the opening of the hours and the send', async () => {
    for (const step of ['channel.send:before', 'channel.send:after']) {
      const message = await prepared()
      expect(await opened(message, (api) => send(api, message))).toMatchObject({ status: 202 })
      await opened(message, (api) => setHours(api, message.key, open))
      expect(await inProcessThatDies(message, { do: 'drain' }, step)).toBeUndefined()
      await expectSentOnce(message)
    }
    let survived = false
    let commits = 0
    while (!survived) {
      const message = await prepared()
      await opened(message, (api) => send(api, message))
      await opened(message, (api) => setHours(api, message.key, open))
      survived = (await inProcessThatDies(message, { do: 'drain' }, ++commits)) !== undefined
      await expectSentOnce(message)
    }
    // At least the lease of its job, the message with its charge, its end, and the end of the job.
    expect(commits).toBeGreaterThan(4)
  })

  test('is sent and charged once when a server is killed anywhere while a person sends it at once', async () => {
    let survived = false
    for (let commits = 1; !survived; commits++) {
      const message = await prepared()
      expect(await opened(message, (api) => send(api, message))).toMatchObject({ status: 202 })
      const headers = { authorization: `Bearer ${message.key}`, 'content-type': 'application/json' }
      const request = { method: 'POST', url: '/api/user/waiting-contacts/1/send', headers, body: '{}' }
      survived = (await inProcessThatDies(message, { do: 'handle', request }, commits)) !== undefined
      // The answer was lost: it is asked for again, while the hours are still closed.
      const answer = await opened(message, (api) => api.ask('POST', request.url, { key: message.key, body: {} }))
      expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200, body: { data: { state: 'started' } } })
      await expectSentOnce(message)
    }
  })

  test('is stored once or not at all when a server is killed over its request, and is never sent after it was cancelled', async () => {
    let survived = false
    const answers = new Set<number>()
    for (let commits = 1; !survived; commits++) {
      const message = await prepared()
      const { key, body } = message
      const headers = {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': 'send-once',
      }
      const request = { method: 'POST', url: path, headers, body: JSON.stringify(body) }
      survived = (await inProcessThatDies(message, { do: 'handle', request }, commits)) !== undefined
      const api = await openAt(message.place)
      const [row] = await waiting(api, key)
      if (row) {
        expect((await api.ask('POST', `/api/user/waiting-contacts/${row.id}/cancel`, { key })).status).toBe(200)
        await setHours(api, key, open)
        // The answer was lost: it is asked for again, when the hours are open.
        answers.add((await send(api, message)).status)
      } else expect((await send(api, message)).status).toBe(202)
      await api.platform.due.drain()
      const tables = await tablesOf(message.place)
      expect(await waiting(api, key)).toMatchObject([{ state: row ? 'cancelled' : 'waiting' }])
      expect(await tables.read.selectFrom('local_channel_send').select('recipient').execute()).toEqual([])
      expect((await api.ask('GET', '/api/user/me', message)).body.total_balance).toBe(1)
      await tables.close()
      await api.platform.close()
    }
    // An answer that was stored is given again, otherwise the request is refused, because what it asks for was cancelled.
    expect([...answers].sort()).toEqual([202, 409])
  })
})
