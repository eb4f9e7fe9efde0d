import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { simulationPlatform } from '../../../support/platform/simulation-platform.ts'
import { webhookReceiver } from '../../../support/platform/webhook-receiver.ts'

describe.each(databases)('the messaging channel on $name', (database) => {
  const platform = simulationPlatform(database)
  type Owner = Awaited<ReturnType<typeof platform.owner>>
  const senders = async (by: Owner) => (await platform.get(by, 'messaging/senders?status=all')).data
  const templates = async (by: Owner, sender: number) =>
    (await platform.get(by, `messaging/senders/${sender}/templates?status=all`)).data
  const post = (by: Owner, path: string, body: object) =>
    platform.api().ask('POST', `/api/user/messaging/${path}`, { key: by.key, body })

  test('takes a sender offline: the platform shows it about 5 minutes later, not before', async () => {
    const by = await platform.owner()
    const sender = await platform.sender(by)
    const { body } = await platform.simulate(by, 'sender', {
      sender: sender.phone,
      status: 'offline',
      quality_rating: 'RED',
      messaging_limit: 5,
    })
    const due = Date.parse(body.data.happens_at) - platform.time.ms
    expect(due).toBeGreaterThan(0)
    expect(due).toBeLessThanOrEqual(5 * 60_000)
    await platform.wait(due - 1000)
    expect(await senders(by)).toMatchObject([{ status: 'online', quality_rating: 'GREEN' }])
    await platform.seconds(1)
    expect(await senders(by)).toMatchObject([{ status: 'offline', quality_rating: 'RED', messaging_limit: 5 }])
    const draft = { sender_id: sender.id, template_id: sender.template, recipient_phone: '+14155550142' }
    expect((await post(by, 'send', draft)).body).toMatchObject({ error_code: 'SENDER_OFFLINE' })
    await platform.simulate(by, 'sender', { sender: sender.id, status: 'online' })
    await platform.minutes(5)
    expect((await post(by, 'send', draft)).status).toBe(200)
  })

  test('rejects and approves a template: the platform shows it about 4 hours later, not before', async () => {
    const by = await platform.owner()
    const sender = await platform.sender(by)
    const [{ name }] = await templates(by, sender.id)
    const { body } = await platform.simulate(by, 'template', { sender: sender.id, template: name, status: 'rejected' })
    const due = Date.parse(body.data.happens_at) - platform.time.ms
    expect(due).toBeLessThanOrEqual(4 * 3_600_000)
    await platform.wait(due - 1000)
    expect(await templates(by, sender.id)).toMatchObject([{ status: 'approved' }])
    await platform.seconds(1)
    expect(await templates(by, sender.id)).toMatchObject([{ status: 'rejected' }])
    await platform.simulate(by, 'template', { sender: sender.id, template: sender.template, status: 'approved' })
    await platform.minutes(240)
    expect(await templates(by, sender.id)).toMatchObject([{ status: 'approved' }])
  })

  test('is synced once, however many syncs were missed', async () => {
    const by = await platform.owner()
    const sender = await platform.sender(by)
    await platform.simulate(by, 'sender', { sender: sender.id, status: 'offline' })
    await platform.api().control('POST', '/control/clock/freeze', { at: new Date(platform.time.ms).toISOString() })
    const { done } = (await platform.api().control('POST', '/control/clock/advance', { by: '25h' })).body
    await platform.api().control('POST', '/control/clock/resume')
    expect(
      done.filter(
        (one: { kind: string; subject: string }) => one.kind === 'senders.sync' && one.subject === String(by.id),
      ),
    ).toHaveLength(1)
  })

  test('reports the delivery status of a message, only forward; the webhook of the sender gets each status, signed with its secret', async () => {
    const { createHmac } = await import('node:crypto')
    const { url, received } = await webhookReceiver()
    const by = await platform.owner()
    const sender = await platform.sender(by)
    const hook = await platform.api().control('PUT', `/control/accounts/${by.id}/senders/${sender.id}/webhook`, {
      webhook_url: url,
      webhook_secret: 'hush',
    })
    expect(hook.body.data).toMatchObject({ webhook_url: url, webhook_secret: 'hush' })
    const sent = (
      await post(by, 'send', { sender_id: sender.id, template_id: sender.template, recipient_phone: '+14155550142' })
    ).body
    const report = (status: string, more: object = {}) =>
      platform.simulate(by, 'receipt', { message_sid: sent.message_sid, status, ...more })
    for (const [status, changed] of [
      ['sent', true],
      ['delivered', true],
      ['sent', false],
      ['failed', false],
      ['read', true],
      ['delivered', false],
    ] as const)
      expect((await report(status)).body.data.changed).toBe(changed)
    await platform.minutes(0)
    await platform.minutes(1)
    expect(received.map((one) => one.body.status)).toEqual(['sent', 'delivered', 'read'])
    const [first] = received
    expect(first?.headers['x-signature-256']).toBe(
      `sha256=${createHmac('sha256', 'hush')
        .update(first?.text ?? '')
        .digest('hex')}`,
    )
    expect(Object.keys(first?.body ?? {}).sort()).toEqual(
      'assistant_id channel_message_id conversation_id direction error_code error_description error_message event from message_sid meta_message_id provider_timestamp sender status timestamp to'.split(
        ' ',
      ),
    )
    expect(first?.body).toMatchObject({
      event: 'message_status',
      message_sid: sent.message_sid,
      direction: 'outbound',
      to: '+14155550142',
      from: sender.phone,
    })
    expect((await platform.simulate(by, 'receipt', { message_sid: 'nothing', status: 'read' })).status).toBe(404)
  })

  test('does not retry a status that the receiver rejects, unless it asks for a retry', async () => {
    const { url, received } = await webhookReceiver({ status: 404 })
    const by = await platform.owner()
    const sender = await platform.sender(by)
    await platform.api().control('PUT', `/control/accounts/${by.id}/senders/${sender.id}/webhook`, { webhook_url: url })
    const sent = (
      await post(by, 'send', { sender_id: sender.id, template_id: sender.template, recipient_phone: '+14155550142' })
    ).body
    await platform.simulate(by, 'receipt', {
      message_sid: sent.message_sid,
      status: 'undelivered',
      error_code: '63024',
      error_message: 'Not reachable.',
    })
    for (let n = 0; n < 3; n++) await platform.minutes(2)
    expect(received).toHaveLength(1)
    expect(received[0]?.body).toMatchObject({ error_code: '63024', error_message: 'Not reachable.' })
  })

  test('receives messages of customers, which open the window; the assistant answers, and 25 hours later only a template reopens it', async () => {
    const by = await platform.owner()
    await platform.api().control('PUT', `/control/accounts/${by.id}`, { balance: 5 })
    const sender = await platform.sender(by)
    const draft = { sender_id: sender.id, recipient_phone: '+14155550142' }
    expect((await post(by, 'send-freeform', { ...draft, message: 'Hi' })).body.error_code).toBe('SESSION_EXPIRED')
    const { body } = await platform.simulate(by, 'message', {
      sender: sender.id,
      from: '+1 415 555 0142',
      text: 'Are you open?',
      name: 'Clara',
    })
    await platform.minutes(0)
    const shown = (await platform.api().ask('GET', `/api/conversations/${body.data.conversation_id}`, { key: null }))
      .body
    expect(shown.history.map((one: { role: string }) => one.role)).toEqual(['user', 'assistant'])
    expect(shown.customer).toEqual({ name: 'Clara', phone: '+14155550142' })
    expect((await post(by, 'send-freeform', { ...draft, message: 'Hi' })).status).toBe(200)
    await platform.minutes(25 * 60)
    expect((await post(by, 'send-freeform', { ...draft, message: 'Hi' })).body.error_code).toBe('SESSION_EXPIRED')
    expect((await post(by, 'send', { ...draft, template_id: sender.template })).status).toBe(200)
    expect((await post(by, 'send-freeform', { ...draft, message: 'Hi' })).status).toBe(200)
    expect(
      (
        await platform.simulate(await platform.owner(), 'message', {
          sender: sender.id,
          from: '+14155550142',
          text: 'x',
        })
      ).status,
    ).toBe(404)
  })
})
