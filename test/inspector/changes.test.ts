import { get } from 'node:http'
import { describe, expect, test } from 'vitest'
import { agree, inspectedServer } from './inspected-server.ts'

const server = await inspectedServer()
const cookie = await server.signIn()
const call = await server.page()

/** Follows the changes of the server. */
async function follow(headers: Record<string, string> = {}) {
  let text = ''
  const open = await new Promise<{ close(): void; headers: object; ended: Promise<void> }>((resolve, reject) => {
    const sent = get(`${server.url}/_parley/changes`, { headers: { cookie, ...headers } }, (response) => {
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      const ended = new Promise<void>((done) => response.on('close', () => done()))
      resolve({ close: () => sent.destroy(), headers: response.headers, ended })
    })
    sent.on('error', reject)
  })
  const events = () =>
    text
      .split('\n\n')
      .filter((it) => it.includes('event: '))
      .map((part) => ({
        event: /^event: (.*)$/m.exec(part)?.[1],
        id: /^id: (.*)$/m.exec(part)?.[1],
        data: JSON.parse(/^data: (.*)$/m.exec(part)?.[1] ?? '{}'),
      }))
  await expect.poll(() => text).toContain(': connected')
  return { ...open, events, changes: () => events().flatMap((it) => (it.event === 'change' ? [it.data] : [])) }
}

describe('the stream of changes', () => {
  test('reports requests, and what they change', async () => {
    const page = await follow()
    expect(page.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    await fetch(`${server.url}/api/user/tools`, { headers: { authorization: `Bearer ${server.key}` } })
    await expect.poll(page.changes).toContainEqual({
      kind: 'request',
      id: expect.stringMatching(/^\d+$/),
      account: null,
      at: expect.any(String),
      status: '200',
    })
    await call('POST', '/control/clock/freeze', {})
    await expect.poll(page.changes).toContainEqual(expect.objectContaining({ kind: 'clock', status: 'frozen' }))
    await call('POST', '/control/clock/resume', {})
    await call('POST', '/control/faults', { endpoint: 'tools.list', status: 500 })
    await expect.poll(page.changes).toContainEqual(expect.objectContaining({ kind: 'fault', status: 'tools.list' }))
    await agree(call, 'DELETE', '/control/faults')
    await expect.poll(page.changes).toContainEqual(expect.objectContaining({ kind: 'fault', status: 'deleted' }))
    page.close()
  })

  test('reports the messages of a conversation', async () => {
    const page = await follow()
    const { json } = await call('GET', '/api/user/assistants/get')
    const [{ uuid }] = json.body.data
    const started = await agree(call, 'POST', '/api/conversations', { assistant_id: uuid, type: 'widget' })
    expect(started.status).toBeLessThan(300)
    await expect
      .poll(() => page.changes().map((it) => it.kind))
      .toEqual(expect.arrayContaining(['conversation', 'event']))
    page.close()
  })

  test('continues after the event that the page saw last', async () => {
    const first = await follow()
    await call('POST', '/api/user/label', { name: 'First' })
    await expect.poll(() => first.events().length).toBeGreaterThan(0)
    const last = first.events().at(-1)?.id as string
    first.close()
    await fetch(`${server.url}/api/user/labels`, { headers: { authorization: `Bearer ${server.key}` } })
    const second = await follow({ 'last-event-id': last })
    await expect.poll(() => second.changes().map((it) => it.kind)).toContain('request')
    expect(second.events().some((it) => it.event === 'resync')).toBe(false)
    second.close()
  })

  test('asks the page to load again when it cannot continue', async () => {
    const page = await follow({ 'last-event-id': 'other-5' })
    await expect.poll(() => page.events().map((it) => it.event)).toContain('resync')
    page.close()
  })

  test('ends when the server stops', async () => {
    const page = await follow()
    await server.stop({ limitMs: 5000 })
    await page.ended
  })
})
