import { expect, test } from 'vitest'
import { sqlite } from '../../../support/databases.ts'
import { simulationPlatform } from '../../../support/platform/simulation-platform.ts'
import { webhookReceiver } from '../../../support/platform/webhook-receiver.ts'

const platform = simulationPlatform(sqlite, { vocabulary: 'public' })

test('payloads use the vocabulary of the server', async () => {
  const { url, received } = await webhookReceiver()
  const by = await platform.owner({ conversation_inactivity_timeout: 1 })
  expect((await platform.enable(by, 'conversation-ended', url)).status).toBe(200)
  const sender = await platform.sender(by)
  await platform.control(`simulate/message`, {
    account: by.id,
    sender: sender.id,
    from: '+14155550142',
    text: 'Hello messaging',
  })
  await platform.minutes(0)
  await platform.minutes(2)
  expect(received).toHaveLength(1)
  expect(received[0]?.body).toMatchObject({ type: 'whatsapp', transcript: [{ content: 'Hello messaging' }, {}] })
  await platform.api().control('PUT', `/control/accounts/${by.id}/senders/${sender.id}/webhook`, { webhook_url: url })
  const sent = await platform.api().ask('POST', '/api/user/whatsapp/send', {
    key: by.key,
    body: { sender_id: sender.id, template_id: sender.template, recipient_phone: '+14155550142' },
  })
  await platform.simulate(by, 'receipt', { message_sid: sent.body.message_sid, status: 'delivered' })
  await platform.minutes(0)
  expect(received[1]?.body).toMatchObject({
    event: 'message_status',
    whatsapp_message_id: sent.body.whatsapp_message_id,
    status: 'delivered',
  })
})
