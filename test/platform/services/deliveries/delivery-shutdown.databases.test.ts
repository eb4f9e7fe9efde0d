import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { addAssistant } from '../../../support/platform/chat-platform.ts'
import { newPlace, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'
import { webhookReceiver } from '../../../support/platform/webhook-receiver.ts'

describe.each(databases)('a delivery on $name during a shutdown', (database) => {
  test('is sent again by the next process, and the interrupted attempt does not count', async () => {
    const failed = { status: 500 }
    const { url, received } = await webhookReceiver(failed, failed, failed, { hangs: true }, { status: 200 })
    const place = await newPlace(database)
    const time = { ms: Date.UTC(2027, 2, 1, 12) }
    const open = () => openAt(place, { privateAddresses: true, wall: () => time.ms })
    const first = await open()
    const { id: account, key } = await first.account({ balance: 1 })
    const tables = await tablesOf(place)
    const assistant = await addAssistant(tables, account)
    const body = { assistant_id: assistant.id, webhook_url: url }
    await first.ask('POST', '/api/user/assistants/enable-conversation-ended-webhook', { key, body })
    const event = { account, kind: 'conversation_ended', assistant_id: assistant.id }
    expect((await first.control('POST', '/control/events', event)).status).toBe(200)
    for (let n = 0; n < 3; n++) {
      await first.platform.due.drain()
      time.ms += 200_000
    }
    const jobs = first.platform.due.start()
    await expect.poll(() => received.length).toBe(4)
    await jobs.stop()
    await first.platform.close()
    const delivery = () =>
      tables.read
        .selectFrom('delivery')
        .select(['status', 'attempts', 'tries_left'])
        .where('account_id', '=', account)
        .execute()
    expect(await delivery()).toEqual([{ status: 'pending', attempts: 3, tries_left: 1 }])
    expect(await tables.read.selectFrom('due').select('lease_until').where('kind', '=', 'delivery').execute()).toEqual([
      { lease_until: 0 },
    ])
    const second = await open()
    await second.platform.due.drain()
    expect(received).toHaveLength(5)
    expect(await delivery()).toEqual([{ status: 'delivered', attempts: 4, tries_left: 0 }])
    expect(new Set(received.map((it) => it.headers['webhook-id'])).size).toBe(1)
  })
})
