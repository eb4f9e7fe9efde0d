import { expect, test } from 'vitest'
import { createClient } from '../../src/client/create-client.ts'
import { remoteTransport } from '../../src/client/transport/remote-transport.ts'
import { serveRemoteInspector } from '../../src/inspector/remote-inspector.ts'
import { sleep } from '../support/abortable-sleep.ts'
import { afterFile } from '../support/cleanup.ts'
import { agreementTo, inspectedServer, send } from './inspected-server.ts'

const platform = await inspectedServer({ vocabulary: 'public' })

async function remote(key = platform.key as string, base = platform.url) {
  const transport = remoteTransport(base, { env: {}, insecure: false })
  const { createCodec } = await import('../../src/contract/vocabulary/vocabulary.ts')
  const { publicVocabulary } = await import('../../src/contract/vocabulary/public-vocabulary.ts')
  const call = createClient({
    transport,
    key: async () => key,
    codec: createCodec(publicVocabulary),
    retries: 0,
    sleep,
    random: Math.random,
    now: Date.now,
  })
  const served = await serveRemoteInspector({
    call,
    profile: 'production',
    platform: base,
    version: '1.0.0',
    log: () => {},
  })
  afterFile(async () => {
    await served.close()
    await transport.close()
  })
  const { headers } = await send(`${served.url}${served.path}`, 'GET', {})
  const signedIn = { cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '', 'parley-inspector': '1' }
  return (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
    send(`${served.url}/_parley${path}`, method, { ...signedIn, ...headers }, body && JSON.stringify(body))
}

test('a remote platform is read through the client, in neutral words', async () => {
  const ask = await remote()
  expect((await ask('GET', '/session')).json).toMatchObject({
    mode: 'remote',
    read_only: true,
    platform: platform.url,
    profile: 'production',
    accounts: [{ id: 1, name: 'Northwind Dental' }],
    pages: { overview: true, timeline: true, numbers: true, deliveries: 'This page needs a local platform.' },
  })
  const { status, json } = await ask('GET', '/api/api/user/assistants/get')
  const neutral = await (await platform.page())('GET', '/api/user/assistants/get')
  const shownOf = ({ id, name, llm_temperature, status, uuid }: Record<string, unknown>) => ({
    id,
    name,
    llm_temperature,
    status,
    uuid,
  })
  expect({ status, data: json.body.data.map(shownOf), command: json.command }).toEqual({
    status: 200,
    data: neutral.json.body.data.map(shownOf),
    command: 'parley assistants list',
  })
  expect((await ask('GET', '/api/api/user/calls?per_page=1')).json.body.data).toHaveLength(1)
})

test('nothing is written, and no control route is reached', async () => {
  const ask = await remote()
  expect(await ask('POST', '/api/api/user/label', { name: 'x' })).toMatchObject({
    status: 403,
    json: { body: { message: expect.stringContaining('only reads') } },
  })
  const asked = await ask('DELETE', '/api/api/user/calls/1')
  expect(asked).toMatchObject({ status: 202, json: { confirm: { question: expect.any(String) } } })
  expect((await ask('DELETE', '/api/api/user/calls/1', undefined, agreementTo(asked))).status).toBe(403)
  expect((await ask('GET', '/api/control/status')).status).toBe(404)
  expect((await ask('GET', '/changes')).status).toBe(404)
})

test('the page does not get the key, and sees why a platform does not answer', async () => {
  const ask = await remote('1|wrong')
  const refused = await ask('GET', '/api/api/user/tools')
  expect(refused.status).toBe(401)
  expect(refused.body).not.toContain('wrong')
  const gone = await remote('1|x', 'http://127.0.0.1:1')
  expect(await gone('GET', '/api/api/user/tools')).toMatchObject({
    status: 502,
    json: { body: { message: expect.any(String) } },
  })
  expect((await gone('GET', '/session')).status).toBe(200)
})
