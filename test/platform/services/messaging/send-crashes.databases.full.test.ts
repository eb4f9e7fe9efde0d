import { beforeAll, describe, expect, test } from 'vitest'
import { afterFile } from '../../../support/cleanup.ts'
import { databases, temporaryFolder } from '../../../support/databases.ts'
import { addSender } from '../../../support/platform/add-sender.ts'
import { auditSends } from '../../../support/platform/audit-messages.ts'
import type { Answered, Place } from '../../../support/platform/platform-api.ts'
import { newPlace, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'
import { type Worker, workersIn } from '../../../support/processes/start.ts'

let start: () => Worker
beforeAll(async () => {
  start = await workersIn(temporaryFolder())
})

const recipients = { 'is taken': '+14155550111', 'is refused': '+15005550101' } as const
type Fate = keyof typeof recipients

const shown: Record<Fate, object> = {
  'is taken': { status: 200, body: { success: true, status: 'queued' } },
  'is refused': { status: 422, body: { success: false, error_code: 'PROVIDER_ERROR_63024' } },
}
const path = '/api/user/messaging/send'

interface Prepared {
  readonly place: Place
  readonly key: string
  readonly body: object
}

/** A message in a process that dies at `kill`; undefined when it died over it. */
async function messageThatDies({ place, key, body }: Prepared, kill: string | number): Promise<unknown> {
  const worker = start()
  afterFile(() => worker.kill())
  await worker.tell({ do: 'open', settings: place, kill })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': 'send-once' }
  const answer = await worker.tell({
    do: 'handle',
    request: { method: 'POST', url: path, headers, body: JSON.stringify(body) },
  })
  await worker.kill()
  return answer
}

describe.each(databases)('a message on $name whose process is killed', (database) => {
  /** A place with an account that has a sender, whose key was used a moment ago, so that the message is all that its process writes. */
  async function prepared(fate: Fate): Promise<Prepared> {
    const place = await newPlace(database)
    const api = await openAt(place)
    const tables = await tablesOf(place)
    const { id, key } = await api.account({ balance: 1 })
    const sender = await addSender(tables, id)
    await api.ask('GET', '/api/user/me', { key })
    await tables.close()
    await api.platform.close()
    return {
      place,
      key,
      body: { sender_id: sender.id, template_id: sender.template, recipient_phone: recipients[fate] },
    }
  }

  /** Opens what a dead process left, and looks whether everything came to its end. */
  async function recovered(
    { place, key, body }: Prepared,
    fate: Fate,
    order: 'work first' | 'ask first',
  ): Promise<void> {
    const api = await openAt(place)
    const tables = await tablesOf(place)
    const { read } = tables
    const again = (): Promise<Answered> =>
      api.ask('POST', path, { key, body, headers: { 'idempotency-key': 'send-once' } })
    if (order === 'work first') {
      await api.platform.due.drain()
      expect(await auditSends(read)).toEqual([])
    }
    const first = await again()
    expect(first).toMatchObject(shown[fate])
    expect((await again()).text).toBe(first.text)
    await api.platform.due.drain()
    expect(await auditSends(read)).toEqual([])
    const sent = fate === 'is taken'
    expect(await read.selectFrom('channel_message').select('state').execute()).toEqual([
      { state: sent ? 'sent' : 'failed' },
    ])
    expect(await read.selectFrom('local_channel_send').select('sid').execute()).toEqual([
      { sid: sent ? first.body.message_sid : null },
    ])
    expect((await api.ask('GET', '/api/user/me', { key })).body.total_balance).toBe(sent ? 0.992 : 1)
    await tables.close()
    await api.platform.close()
  }

  const steps: [Fate, string][] = [
    ['is taken', 'channel.send:before'],
    ['is taken', 'channel.send:after'],
    ['is refused', 'channel.send:before'],
    ['is refused', 'channel.send:after'],
  ]
  test.each(steps)('a message that %s, at %s, is finished by the next process', async (fate, step) => {
    const message = await prepared(fate)
    expect(await messageThatDies(message, step)).toBeUndefined()
    await recovered(message, fate, 'work first')
  })

  test.each(['is taken', 'is refused'] as const)(
    'a message that %s, between any two commits, ends like one that was not killed',
    async (fate) => {
      let survived = false
      let commits = 0
      while (!survived) {
        const message = await prepared(fate)
        survived = (await messageThatDies(message, ++commits)) !== undefined
        await recovered(message, fate, commits % 2 === 0 ? 'work first' : 'ask first')
      }
      // The pace, the claim of the key, the message with its charge, the channel's books, its end, the answer: killed after each of them.
      expect(commits - 1).toBe(6)
    },
  )

  test('a channel that disconnects leaves the outcome open, and the message is sent once when it is back', async () => {
    const place = await newPlace(database)
    let isDown = true
    const api = await openAt(place, {
      gate: async (step) => {
        if (isDown && step === 'channel.send:after') throw new Error('The line is dead.')
      },
    })
    const tables = await tablesOf(place)
    const { id, key } = await api.account({ balance: 1 })
    const sender = await addSender(tables, id)
    const asked = {
      key,
      body: { sender_id: sender.id, template_id: sender.template, recipient_phone: recipients['is taken'] },
      headers: { 'idempotency-key': 'down' },
    }
    expect(await api.ask('POST', path, asked)).toMatchObject({ status: 500 })
    const recall = { ...asked, headers: { ...asked.headers, 'parley-recall': '1' } }
    expect(await api.ask('POST', path, recall)).toMatchObject({ status: 500 })
    isDown = false
    expect(await api.ask('POST', path, recall)).toMatchObject(shown['is taken'])
    expect(await tables.read.selectFrom('local_channel_send').select('recipient').execute()).toHaveLength(1)
    await api.platform.due.drain()
    expect(await auditSends(tables.read)).toEqual([])
  })
})
