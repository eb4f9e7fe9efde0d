import { beforeAll, describe, expect, test } from 'vitest'
import { afterFile } from '../../../support/cleanup.ts'
import { databases, temporaryFolder } from '../../../support/databases.ts'
import { addAssistant } from '../../../support/platform/chat-platform.ts'
import { newPlace, openAt, tablesOf } from '../../../support/platform/test-platforms.ts'
import { webhookReceiver } from '../../../support/platform/webhook-receiver.ts'
import { type Worker, workersIn } from '../../../support/processes/start.ts'

let start: () => Worker
beforeAll(async () => {
  start = await workersIn(temporaryFolder())
})

describe.each(databases)('the end of a conversation on $name whose process is killed', (database) => {
  async function prepared(url: string) {
    const place = await newPlace(database)
    const api = await openAt(place, { privateAddresses: true })
    const tables = await tablesOf(place)
    const { id, key } = await api.account({ balance: 1 })
    const assistant = await addAssistant(tables, id)
    await api.ask('POST', '/api/user/assistants/enable-conversation-ended-webhook', {
      key,
      body: { assistant_id: assistant.id, webhook_url: url },
    })
    const { body } = await api.ask('POST', '/api/conversations', { key: null, body: { assistant_id: assistant.uuid } })
    await tables.close()
    const end = { account: id, conversation: body.conversation_id }
    const token = api.platform.credentials().control
    await api.platform.close()
    return { place, end, token, account: id }
  }

  test('after any commit is still sent, under one id', async () => {
    let survived = false
    for (let commits = 1; !survived; commits++) {
      const { url, received } = await webhookReceiver()
      const { place, end, token, account } = await prepared(url)
      const worker = start()
      afterFile(() => worker.kill())
      await worker.tell({ do: 'open', settings: { ...place, privateAddresses: true }, kill: commits })
      const headers = { 'content-type': 'application/json', 'parley-control': token }
      const shown = await worker.tell({
        do: 'handle',
        request: { method: 'POST', url: '/control/simulate/end', headers, body: JSON.stringify(end) },
      })
      const drained = shown === undefined ? undefined : await worker.tell({ do: 'drain' })
      survived = drained !== undefined
      await worker.kill()
      const api = await openAt(place, { privateAddresses: true })
      const again = await api.control('POST', '/control/simulate/end', end)
      expect(again.status).toBe(200)
      await api.platform.due.drain()
      expect(new Set(received.map((one) => one.headers['webhook-id'])).size, `killed after commit ${commits}`).toBe(1)
      expect(received.length).toBeLessThanOrEqual(2)
      const { data } = (await api.control('GET', `/control/deliveries?account=${account}`)).body
      expect(data).toMatchObject([{ status: 'delivered' }])
      await api.platform.close()
    }
  })
})
