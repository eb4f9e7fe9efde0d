import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { code, hook } from '../../../support/flow-definitions.ts'
import { automationPlatform } from '../../../support/platform/automation-platform.ts'
import type { TestAccount } from '../../../support/platform/platform-api.ts'
import { verify, webhookReceiver } from '../../../support/platform/webhook-receiver.ts'

const seconds = (n: number): number => n * 1000

describe.each(databases)('deliveries on $name', (database) => {
  const platform = automationPlatform(database, { privateAddresses: true })
  const enable = (by: TestAccount & { assistant: number }, url: string, what = 'conversation-ended-webhook') =>
    platform.api().ask('POST', `/api/user/assistants/enable-${what}`, {
      key: by.key,
      body: { assistant_id: by.assistant, webhook_url: url },
    })
  const disable = (by: TestAccount & { assistant: number }, what = 'conversation-ended-webhook') =>
    platform
      .api()
      .ask('POST', `/api/user/assistants/disable-${what}`, { key: by.key, body: { assistant_id: by.assistant } })
  const secretOf = async ({ id }: TestAccount): Promise<string> =>
    (await platform.api().control('GET', `/control/accounts/${id}/webhook-secret`)).body.secret
  const list = async ({ id }: TestAccount, query = '') =>
    (await platform.api().control('GET', `/control/deliveries?account=${id}${query}`)).body.data
  const show = async (id: number) => (await platform.api().control('GET', `/control/deliveries/${id}`)).body.data
  const ended = (by: TestAccount & { assistant: number }, more: object = {}) =>
    platform.fire(by, 'conversation_ended', by.assistant, more)

  async function owner(url: string) {
    const by = await platform.owner()
    expect((await enable(by, url)).status).toBe(200)
    return by
  }

  test('are signed according to Standard Webhooks, and accepted by an independent verifier', async () => {
    const { url, received } = await webhookReceiver()
    const by = await owner(`${url}/hook`)
    expect((await ended(by, { payload: { conversation_id: 'c', text: 'Grüße' } })).body).toMatchObject({
      message: 'The event was queued for the webhook.',
      data: { holder: 'webhook' },
    })
    await platform.wait(0)
    expect(received).toHaveLength(1)
    const [message] = received
    expect(message).toMatchObject({
      path: '/hook',
      headers: { 'content-type': 'application/json' },
      body: { conversation_id: 'c', text: 'Grüße' },
    })
    const secret = await secretOf(by)
    expect(secret).toMatch(/^whsec_/)
    expect(verify(secret, message as never, platform.time.ms)).toEqual(message?.body)
    expect(() =>
      verify(secret, { ...(message as never as { headers: object }), text: '{}' } as never, platform.time.ms),
    ).toThrow('No signature matches.')
    expect(() => verify(`whsec_${Buffer.alloc(32, 7).toString('base64')}`, message as never, platform.time.ms)).toThrow(
      'No signature matches.',
    )
    const [row] = await list(by)
    expect(row).toMatchObject({
      status: 'delivered',
      attempts: 1,
      last_status: 200,
      url: `${url}/hook`,
      message_id: message?.headers['webhook-id'],
      event: 'conversation_ended',
    })
  })

  test('have all digits of large integers, and the record of the delivery does, too', async () => {
    const { url, received } = await webhookReceiver()
    const by = await owner(`${url}/hook`)
    await ended(by, { payload: { conversation_id: 'c', extracted: { n: 9007199254740993n } } })
    await platform.wait(0)
    expect(received[0]?.text).toContain('"n":9007199254740993')
    verify(await secretOf(by), received[0] as never, platform.time.ms)
    const [{ id }] = await list(by)
    const { status, body } = await platform.api().platform.handle({
      method: 'GET',
      url: `/control/deliveries/${id}`,
      headers: { 'parley-control': platform.api().platform.credentials().control },
    })
    expect([status, body]).toEqual([200, expect.stringContaining('"n":9007199254740993')])
  })

  test('report a failed live run to the webhook of the account', async () => {
    const { url, received } = await webhookReceiver()
    const by = await platform.owner()
    const set = (webhook_url: string | null) =>
      platform.api().control('PUT', `/control/accounts/${by.id}/run-webhook`, { webhook_url })
    const { body } = await platform.create(by, {
      flow: { trigger: hook, steps: [code('inputs.a.b.c', { a: "{{trigger['body']['x']}}" })] },
      sample: { x: { b: 1 } },
    })
    expect((await set(`${url}/failed`)).body.data).toEqual({ id: by.id, webhook_url: `${url}/failed` })
    const fail = async (): Promise<string> => {
      const { headers } = await platform.call(body.automation_id, '', {})
      await platform.wait(0)
      await platform.wait(0)
      return headers['x-webhook-id'] as string
    }
    const run = await fail()
    expect(received).toMatchObject([
      {
        path: '/failed',
        body: { run_id: run, automation_id: body.automation_id, status: 'FAILED', error: expect.any(String) },
      },
    ])
    expect(verify(await secretOf(by), received[0] as never, platform.time.ms)).toMatchObject({ run_id: run })
    expect(await list(by)).toMatchObject([{ event: 'automation_run_failed', status: 'delivered', assistant_id: null }])
    await platform.call(body.automation_id, '', { x: { b: 1 } })
    await platform.wait(0)
    await set(null)
    await fail()
    expect(received).toHaveLength(1)
  })

  test('are retried after 30, 60 and 120 seconds under the same id, then fail; every attempt is saved', async () => {
    const { url, received } = await webhookReceiver({ status: 500, body: { oh: 'no' } })
    const by = await owner(url)
    await ended(by)
    await platform.wait(0)
    for (const [wait, tries] of [
      [29, 1],
      [1, 2],
      [59, 2],
      [1, 3],
      [119, 3],
      [1, 4],
      [10_000, 4],
    ] as const) {
      await platform.wait(seconds(wait))
      expect(received).toHaveLength(tries)
    }
    expect(new Set(received.map((one) => one.headers['webhook-id'])).size).toBe(1)
    expect(new Set(received.map((one) => one.text)).size).toBe(1)
    const [row] = await list(by)
    expect(row).toMatchObject({
      status: 'failed',
      attempts: 4,
      attempts_left: 0,
      last_status: 500,
      last_error: 'The receiver returned status 500.',
      next_attempt_at: null,
    })
    expect((await show(row.id)).tries).toMatchObject(
      [1, 2, 3, 4].map((number) => ({ number, status: 500, answer: '{"oh":"no"}', error: null })),
    )
  })

  test('wait as long as the receiver asks for, but at least the usual time', async () => {
    const { url, received } = await webhookReceiver(
      { status: 429, headers: { 'retry-after': '100' } },
      { status: 503, headers: { 'retry-after': '1' } },
      {},
    )
    const by = await owner(url)
    await ended(by)
    await platform.wait(0)
    await platform.wait(seconds(99))
    expect(received).toHaveLength(1)
    await platform.wait(seconds(1))
    await platform.wait(seconds(59))
    expect(received).toHaveLength(2)
    await platform.wait(seconds(1))
    expect((await list(by))[0]).toMatchObject({ status: 'delivered', attempts: 3 })
  })

  test('end immediately if the receiver is gone (410), which disables its webhook', async () => {
    const { url, received } = await webhookReceiver({ status: 410 })
    const by = await owner(url)
    await ended(by)
    await platform.wait(0)
    await platform.wait(seconds(10_000))
    expect(received).toHaveLength(1)
    expect((await list(by))[0]).toMatchObject({ status: 'failed', last_status: 410 })
    expect((await ended(by)).body.data).toMatchObject({ holder: null })
  })

  test('stop when the webhook is disabled, also pending ones, and use the new URL when it is changed', async () => {
    const [down, other] = [await webhookReceiver({ status: 500 }), await webhookReceiver()]
    const [by, moved] = [await owner(down.url), await owner(down.url)]
    await ended(by)
    await ended(moved)
    await platform.wait(0)
    expect(down.received).toHaveLength(2)
    expect((await disable(by)).status).toBe(200)
    await enable(moved, other.url)
    await platform.wait(seconds(30))
    expect(down.received).toHaveLength(2)
    expect(other.received).toHaveLength(1)
    expect((await list(by))[0]).toMatchObject({ status: 'failed', last_error: 'The webhook was disabled.' })
    expect((await list(moved))[0]).toMatchObject({ status: 'delivered', url: other.url })
    await ended(by)
    await platform.wait(seconds(1000))
    expect(down.received).toHaveLength(2)
  })

  test('of one conversation keep their order, others overtake them', async () => {
    const { url, received, answers } = await webhookReceiver({ status: 500 }, {})
    const by = await owner(url)
    await ended(by, { payload: { conversation_id: 'a', n: 1 } })
    await ended(by, { payload: { conversation_id: 'a', n: 2 } })
    await platform.wait(0)
    await ended(by, { payload: { conversation_id: 'b', n: 3 } })
    await platform.wait(0)
    expect(received.map((one) => one.body.n)).toEqual([1, 3])
    // One that waits for an earlier one has no time of its own.
    expect(
      (await list(by)).map(({ status, next_attempt_at: next }: { status: string; next_attempt_at: string | null }) => [
        status,
        next !== null,
      ]),
    ).toEqual([
      ['delivered', false],
      ['pending', false],
      ['pending', true],
    ])
    await platform.wait(seconds(30))
    expect(received.map((one) => one.body.n)).toEqual([1, 3, 1, 2])
    expect(answers).toHaveLength(1)
  })

  test('sent twice under one key are delivered once', async () => {
    const { url, received } = await webhookReceiver()
    const by = await owner(url)
    for (const key of ['a', 'a', 'b']) await ended(by, { key })
    await platform.wait(0)
    expect(received).toHaveLength(2)
  })

  test('can be replayed: one, or all that failed since a time', async () => {
    const { url, received, answers } = await webhookReceiver({ status: 500 })
    const by = await owner(url)
    for (let n = 0; n < 3; n++) await ended(by, { payload: { conversation_id: String(n) } })
    for (const wait of [0, 30, 60, 120]) await platform.wait(seconds(wait))
    expect(await list(by, '&failed=true')).toHaveLength(3)
    answers.splice(0, 1, {})
    const replay = (body: object) => platform.api().control('POST', '/control/deliveries/replay', body)
    const [last] = await list(by)
    expect((await replay({ id: last.id })).body).toEqual({ message: 'Deliveries queued for resending: 1.', count: 1 })
    await platform.wait(0)
    expect(await list(by, '&failed=true')).toHaveLength(2)
    expect((await replay({ account: by.id, failed: true, since: '1m' })).body.count).toBe(0)
    expect((await replay({ account: by.id, failed: true, since: '1h' })).body.count).toBe(2)
    await platform.wait(0)
    expect(await list(by, '&failed=true')).toHaveLength(0)
    const ids = received.map((one) => one.headers['webhook-id'])
    expect(new Set(ids).size).toBe(3)
    expect((await replay({ id: 999_999 })).status).toBe(404)
    expect((await replay({ account: by.id })).status).toBe(422)
    expect((await replay({ since: 'soon' })).body.errors.since[0]).toContain('how long ago')
  })

  test('are also signed with the previous secret for a day after a change', async () => {
    const { url, received } = await webhookReceiver()
    const by = await owner(url)
    const before = await secretOf(by)
    const { body } = await platform.api().control('POST', `/control/accounts/${by.id}/webhook-secret`)
    expect(body).toMatchObject({ message: 'Webhook secret rotated successfully.', secret: await secretOf(by) })
    expect(body.secret).not.toBe(before)
    await ended(by)
    await platform.wait(0)
    for (const secret of [before, body.secret]) verify(secret, received[0] as never, platform.time.ms)
    await platform.wait(seconds(24 * 3600))
    await ended(by)
    await platform.wait(0)
    verify(body.secret, received[1] as never, platform.time.ms)
    expect(() => verify(before, received[1] as never, platform.time.ms)).toThrow('No signature matches.')
  })
})

describe.each(databases)('deliveries of a platform without access to private addresses on $name', (database) => {
  const platform = automationPlatform(database)

  test('are not sent to them', async () => {
    const { url, received } = await webhookReceiver()
    const by = await platform.owner()
    const body = { assistant_id: by.assistant, webhook_url: url }
    await platform.api().ask('POST', '/api/user/assistants/enable-conversation-ended-webhook', { key: by.key, body })
    await platform.fire(by, 'conversation_ended', by.assistant)
    await platform.wait(0)
    expect(received).toHaveLength(0)
    const [row] = (await platform.api().control('GET', `/control/deliveries?account=${by.id}`)).body.data
    expect(row).toMatchObject({
      status: 'pending',
      attempts: 1,
      last_status: null,
      last_error: expect.stringContaining('private network'),
    })
  })
})

describe.each(databases)('deliveries to slow receivers on $name', (database) => {
  const platform = automationPlatform(database, { privateAddresses: true })
  const enable = (by: TestAccount & { assistant: number }, url: string) =>
    platform.api().ask('POST', '/api/user/assistants/enable-conversation-ended-webhook', {
      key: by.key,
      body: { assistant_id: by.assistant, webhook_url: url },
    })

  test('do not delay other deliveries or API responses', async () => {
    const [slow, quick] = [await webhookReceiver({ hangs: true }), await webhookReceiver()]
    const running = platform.api().platform.due.start()
    const pending = async (): Promise<unknown[]> =>
      (await platform.api().control('GET', '/control/deliveries?most=1000&status=pending')).body.data
    try {
      for (let n = 0; n < 60; n++) {
        const by = await platform.owner()
        await enable(by, `${slow.url}/${n}`)
        await platform.fire(by, 'conversation_ended', by.assistant)
      }
      const by = await platform.owner()
      await enable(by, quick.url)
      await platform.fire(by, 'conversation_ended', by.assistant)
      await expect.poll(() => quick.received.length).toBe(1)
      expect((await platform.api().ask('GET', '/api/user/me', by)).status).toBe(200)
      await expect.poll(() => slow.received.length).toBe(60)
      await expect.poll(async () => (await pending()).length).toBe(60)
    } finally {
      await running.stop()
    }
    expect(await pending()).toHaveLength(60)
  })
})
