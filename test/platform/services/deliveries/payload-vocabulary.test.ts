import { expect, test } from 'vitest'
import { sqlite } from '../../../support/databases.ts'
import { simulationPlatform } from '../../../support/platform/simulation-platform.ts'
import { receiver } from '../../../support/platform/webhook-receiver.ts'

const it = simulationPlatform(sqlite, { vocabulary: 'public' })

test('payloads use the vocabulary of the server', async () => {
  const { url, received } = await receiver()
  const by = await it.owner({ conversation_inactivity_timeout: 1 })
  expect((await it.enable(by, 'conversation-ended', url)).status).toBe(200)
  const sender = await it.sender(by)
  await it.control(`simulate/message`, {
    account: by.id,
    sender: sender.id,
    from: '+14155550142',
    text: 'Hello messaging',
  })
  await it.minutes(0)
  await it.minutes(2)
  expect(received).toHaveLength(1)
  expect(received[0]?.body).toMatchObject({ type: 'whatsapp', transcript: [{ content: 'Hello messaging' }, {}] })
  await it.api().control('PUT', `/control/accounts/${by.id}/senders/${sender.id}/webhook`, { webhook_url: url })
  const sent = await it.api().ask('POST', '/api/user/whatsapp/send', {
    key: by.key,
    body: { sender_id: sender.id, template_id: sender.template, recipient_phone: '+14155550142' },
  })
  await it.simulate(by, 'receipt', { message_sid: sent.body.message_sid, status: 'delivered' })
  await it.minutes(0)
  expect(received[1]?.body).toMatchObject({
    event: 'message_status',
    whatsapp_message_id: sent.body.whatsapp_message_id,
    status: 'delivered',
  })
})
