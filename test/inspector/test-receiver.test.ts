import { expect, test } from 'vitest'
import { inspectedServer, send } from './inspected-server.ts'

const server = await inspectedServer()
const call = await server.page()
const receiver = `${server.url}/_parley/receiver`
const replay = (body: object) => call('POST', '/control/deliveries/replay', { id: 1, ...body })
const received = async () => (await call('GET', '/received')).json.body.data

test('an edited copy of a delivery is signed again and shown by the test receiver; the original stays', async () => {
  const before = (await call('GET', '/control/deliveries/1')).json.body.data
  const { status, json } = await replay({ url: receiver, payload: { id: 4 }, headers: { 'X-Test': 'yes' } })
  expect({ status, body: json.body }).toEqual({
    status: 200,
    body: { message: 'Delivery 1 was sent as delivery 2.', count: 1, copy: 2 },
  })
  const [request] = await received()
  expect(request).toMatchObject({ method: 'POST', path: '/_parley/receiver', body: '{"id":4}', status: 200 })
  expect(request.headers).toMatchObject({
    'x-test': 'yes',
    'webhook-id': expect.not.stringContaining(before.message_id),
    'webhook-signature': expect.stringMatching(/^v1,/),
    'webhook-timestamp': expect.stringMatching(/^\d+$/),
  })
  expect((await call('GET', '/control/deliveries/1')).json.body.data).toEqual(before)
  const copy = (await call('GET', '/control/deliveries/2')).json.body.data
  expect(copy).toMatchObject({ status: 'delivered', attempts: 1, url: receiver, payload: { id: 4 } })
})

test('headers cannot replace the signature', async () => {
  await replay({ url: receiver, headers: { 'Webhook-Signature': 'forged' } })
  expect((await received())[0].headers['webhook-signature']).toMatch(/^v1,/)
  expect((await replay({ headers: { Host: 'other.example' } })).status).toBe(422)
  expect((await replay({ headers: { a: 'b\r\nc: d' } })).status).toBe(422)
  expect((await replay({ url: 'file:///etc/passwd' })).status).toBe(422)
  expect((await call('POST', '/control/deliveries/replay', { url: receiver })).status).toBe(422)
})

test('the test receiver can fail, and a failed copy is sent again as another copy', async () => {
  const { json } = await replay({ url: `${receiver}?status=503` })
  expect(json.body.message).toContain('which failed: The receiver returned status 503.')
  const again = await call('POST', '/control/deliveries/replay', { id: json.body.copy })
  expect(again.json.body.copy).toBe(json.body.copy + 1)
  expect((await received())[0]).toMatchObject({ status: 503 })
})

test('a replay to a disabled webhook says so, and succeeds after the webhook was enabled', async () => {
  const show = async () => (await call('GET', '/control/deliveries/1')).json.body.data
  const before = await show()
  expect(before.replay_url).toBeNull()
  expect(await replay({})).toMatchObject({
    status: 409,
    json: { body: { message: 'The webhook of this delivery is disabled. Nothing was sent.' } },
  })
  expect((await call('POST', '/control/deliveries/replay', { failed: true })).json.body).toMatchObject({
    count: 0,
    disabled: 1,
    message: 'Deliveries queued for resending: 0. Not queued because their webhook is disabled: 1.',
  })
  expect(await show()).toEqual(before)

  const enabled = await call('POST', '/api/user/assistants/enable-webhook', {
    assistant_id: before.assistant_id,
    webhook_url: receiver,
  })
  expect(enabled.status).toBe(200)
  expect((await show()).replay_url).toBe(receiver)
  expect((await replay({})).json.body).toMatchObject({ count: 1 })
  await expect.poll(show).toMatchObject({ status: 'delivered', url: receiver, last_error: null })
  expect(JSON.parse((await received())[0].body)).toEqual(before.payload)
})

test('what was received is only for the page, and other web pages cannot send to the receiver', async () => {
  expect((await server.get('/_parley/api/received')).status).toBe(401)
  const from = (origin: string) => send(receiver, 'POST', { origin }, '{}')
  expect((await from('https://evil.example')).status).toBe(403)
  const count = (await received()).length
  expect(count).toBeGreaterThan(0)
  expect((await call('DELETE', '/received')).json.body.data).toEqual([])
})
