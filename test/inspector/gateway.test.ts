import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openJournal } from '../../src/client/journal/journal.ts'
import type { JournalEntry } from '../../src/client/journal/open-operations.ts'
import { failures } from '../../src/contract/errors/failures.ts'
import { numbers } from '../../src/contract/resources/numbers.ts'
import { tools } from '../../src/contract/resources/tools.ts'
import type { InspectorRequest, InspectorSession } from '../../src/inspector/backend.ts'
import { callApi } from '../../src/inspector/gateway.ts'
import { dataFiles } from '../../src/node/data-files.ts'
import { temporaryFolder } from '../support/databases.ts'
import { agree, agreementTo, inspectedServer } from './inspected-server.ts'

const dataDir = temporaryFolder()
const server = await inspectedServer({ dataDir })
const call = await server.page()

test('the session names the platform and its accounts', async () => {
  const { json } = await server.get('/_parley/session', { cookie: await server.signIn() })
  expect(json).toMatchObject({
    mode: 'local',
    read_only: false,
    platform: server.url,
    account: 1,
    accounts: [{ id: 1, name: expect.any(String) }],
    pages: { overview: true, faults: true },
  })
})

test('a public route answers for the account of the page, with formatted values and the command', async () => {
  const { status, json } = await call('GET', '/api/user/phone-numbers/all')
  expect(status).toBe(200)
  expect(json.command).toBe('parley numbers list')
  const direct = await fetch(`${server.url}/api/user/phone-numbers/all`, {
    headers: { authorization: `Bearer ${server.key}` },
  })
  expect(json.body).toEqual(await direct.json())
})

test('amounts, times and durations are formatted as in the terminal', async () => {
  const { json } = await call('GET', '/api/user/calls')
  const [first] = json.body.data
  expect(json.shown).toMatchObject({
    '/data/0/created_at': expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d$/),
    '/data/0/total_cost': `${Number(first.total_cost)
      .toFixed(6)
      .replace(/0{1,4}$/, '')} USD`,
    '/data/0/duration': expect.stringMatching(/^\d+:\d\d$/),
  })
})

test('another account sees its own resources', async () => {
  const created = await call('POST', '/control/accounts', { name: 'Second', email: 'second@example.com' })
  const { id } = created.json.body.data
  const { json } = await call('GET', '/api/user/tools', undefined, { 'parley-inspector-account': String(id) })
  expect(json.body).toEqual([])
  expect(await call('GET', '/api/user/tools', undefined, { 'parley-inspector-account': '999' })).toMatchObject({
    status: 404,
  })
  expect(await call('GET', '/api/user/tools', undefined, { 'parley-inspector-account': 'x' })).toMatchObject({
    status: 400,
  })
})

test('control routes need no token of the page', async () => {
  const { status, json } = await call('GET', '/control/clock')
  expect({ status, command: json.command }).toEqual({ status: 200, command: 'parley server clock get' })
  expect(json.shown['/now']).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d$/)
})

test('the overview has what doctor finds in the account, with the command that fixes it', async () => {
  const sender = {
    code: 'sender_assistant',
    subject: { noun: 'senders', id: '5' },
    severity: 'warning',
    text: expect.stringMatching(/^Sender \+\d+ \(5\) has no assistant/),
    command: 'parley messaging assign 5 --assistant-id 1',
  }
  const { json: before } = await call('GET', '/control/overview?account=1')
  expect({ command: before.command, attention: before.body.attention }).toEqual({
    command: 'parley open overview',
    attention: [sender],
  })
  expect(await call('PUT', '/api/user/assistant/1', { phone_number_id: null })).toMatchObject({ status: 200 })
  expect(await call('PUT', '/control/accounts/1', { balance: 0 })).toMatchObject({ status: 200 })
  const { json } = await call('GET', '/control/overview?account=1')
  expect(json.body.attention).toEqual([
    {
      code: 'balance',
      subject: null,
      severity: 'warning',
      text: 'The balance is 0.00 USD. Calls and messages are refused.',
      command: expect.stringContaining('parley server accounts update <id> --top-up 10'),
    },
    {
      code: 'inbound_number',
      subject: { noun: 'assistants', id: '1' },
      severity: 'warning',
      text: 'Assistant "Front desk" (1) is inbound and has no number, so it cannot receive calls.',
      command: expect.stringMatching(/^parley assistants update 1 --phone-number-id \d+$/),
    },
    {
      code: 'number_assistant',
      subject: { noun: 'numbers', id: '4' },
      severity: 'warning',
      text: expect.stringMatching(/^Number .+ \(4\) has no assistant, so calls to it are not answered\.$/),
      command: 'parley assistants update 1 --phone-number-id 4',
    },
    sender,
  ])
})

test('the overview starts no thread, because a page asks for it after every change', async () => {
  let threads = 0
  const onThread = (): void => void threads++
  process.on('worker', onThread)
  expect((await call('GET', '/control/overview?account=1')).status).toBe(200)
  process.off('worker', onThread)
  expect(threads).toBe(0)
})

test('errors of a route pass through', async () => {
  const { status, json } = await call('GET', '/api/user/tools/999999')
  expect({ status, message: json.body.message !== undefined }).toEqual({ status: 404, message: true })
  expect(await call('GET', '/api/nothing')).toMatchObject({
    status: 404,
    json: { body: { message: expect.any(String) } },
  })
  expect(await call('POST', '/control/clock/advance', { by: 'x' })).toMatchObject({
    status: 422,
    json: { command: 'parley server clock advance x' },
  })
})

test('an action that cannot be undone is asked for first', async () => {
  const { json } = await call('GET', '/api/user/phone-numbers/all')
  const [number] = json.body.data
  const path = `/api/user/phone-numbers/${number.id}`
  const asked = await call('DELETE', path)
  expect(asked).toMatchObject({
    status: 202,
    json: { confirm: { question: expect.stringMatching(/\?$/), expected: 'yes' } },
  })
  expect(asked.json.confirm.details).toContain('This cannot be undone.')
  expect(await call('DELETE', path, undefined, { 'parley-inspector-confirm': 'no' })).toMatchObject({ status: 202 })
  const refused = [
    { 'parley-inspector-confirm': 'yes' },
    { ...agreementTo(asked), 'parley-inspector-agreement': 'other' },
  ]
  for (const headers of refused) expect(await call('DELETE', path, undefined, headers)).toMatchObject({ status: 202 })
  expect(await call('DELETE', path, undefined, agreementTo(asked))).toMatchObject({ status: 200 })
})

test('a price that changed while its question was open is asked about again, and nothing is sent', async () => {
  let price = 0.9
  const sent: string[] = []
  const number = '+442085346444'
  const backend = {
    session: async () => ({ account: 1 }) as InspectorSession,
    find: async (method: string) => ({ endpoint: method === 'GET' ? numbers.search : numbers.buy, params: {} }),
    send: async ({ method, url }: InspectorRequest) => {
      if (method === 'GET') return { status: 200, body: { data: [{ phone_number: number, price }] } }
      sent.push(url)
      return { status: 201, body: {} }
    },
  }
  const buy = async (headers: Record<string, string> = {}) =>
    (await callApi(backend, {
      method: 'POST',
      url: '/api/user/phone-numbers/purchase',
      headers,
      body: JSON.stringify({ phone_number: number }),
    })) as { status: number; body: { confirm: { details: string[]; expected: string; agreement: string } } }
  const agreement = ({ body }: Awaited<ReturnType<typeof buy>>) => agreementTo({ json: body })
  const asked = await buy()
  expect(asked.body.confirm.details).toContain('Price: 0.90 USD/month until you release it, paid by payment method')
  price = 1.3
  const again = await buy(agreement(asked))
  expect([again.status, sent]).toEqual([202, []])
  expect(again.body.confirm.details).toContain('Price: 1.30 USD/month until you release it, paid by payment method')
  expect((await buy(agreement(again))).status).toBe(201)
  expect(sent).toEqual(['/api/user/phone-numbers/purchase'])
})

test('a purchase is in the operations journal with its price, and an open one stops it', async () => {
  const search = await call('GET', '/api/user/phone-numbers/search?country_code=US')
  const [first, second, third] = search.json.body.data
  const path = '/api/user/phone-numbers/purchase'
  const journal = openJournal({
    file: join(dataDir, dataFiles.journal),
    now: Date.now,
    newId: () => crypto.randomUUID(),
  })
  expect((await agree(call, 'POST', path, { phone_number: first.phone_number })).status).toBe(201)
  const [entry] = journal.list({ texts: [first.phone_number] })
  expect(entry).toMatchObject({
    endpoint: 'numbers.buy',
    profile: 'local',
    state: 'done',
    priceUsd: first.price,
    detail: { status: 201 },
  })
  expect(entry?.keyMark).toBeUndefined()
  // The page repeats a request without a known outcome with its key: one operation, one entry.
  const open = { ...(entry as JournalEntry), input: { phone_number: third.phone_number }, idempotencyKey: 'repeated' }
  const opened = journal.recordIntent({ ...open, endpoint: 'numbers.buy' })
  const asked = await call('POST', path, { phone_number: third.phone_number })
  const headers = { ...agreementTo(asked), 'idempotency-key': 'repeated' }
  expect((await call('POST', path, { phone_number: third.phone_number }, headers)).status).toBe(201)
  expect(journal.list({ keys: new Set(['repeated']) }).map((it) => [it.id, it.state])).toEqual([[opened, 'done']])
  // As a command that was interrupted.
  const { id: _, at: __, state: ___, ...intent } = entry as JournalEntry
  journal.recordIntent({ ...intent, input: { phone_number: second.phone_number }, idempotencyKey: 'other' })
  const refused = await agree(call, 'POST', path, { phone_number: second.phone_number })
  expect([refused.status, refused.json.body.message]).toEqual([409, expect.stringContaining('parley ops reconcile')])
  const { json } = await call('GET', '/api/user/phone-numbers/all')
  expect(json.body.data.map((it: { phone_number: string }) => it.phone_number)).not.toContain(second.phone_number)
})

test('the ledger names the phone number of a renewal, and each balance follows from the one before', async () => {
  await call('POST', '/control/clock/advance', { by: '31d' })
  const { data } = (await call('GET', '/control/accounts/1/ledger')).json.body
  const reasons: string[] = data.map((it: { reason: string }) => it.reason).filter((it: string) => /^Renewal/.test(it))
  expect(reasons.length).toBeGreaterThan(1)
  for (const reason of reasons) expect(reason).toMatch(/^Renewal of \+\d+$/)
  let balance = 0
  for (const entry of data.filter((it: { balance_after: number | null }) => it.balance_after !== null)) {
    balance = Math.round((balance + entry.amount) * 1e6) / 1e6
    expect(entry.balance_after).toBe(balance)
  }
  const times = data.map((it: { created_at: string }) => it.created_at)
  expect(times).toEqual([...times].sort())
})

test('requests have the time of the platform in the timeline and the overview', async () => {
  const { now } = (await call('GET', '/control/clock')).json.body
  expect(Date.parse(now) - Date.now()).toBeGreaterThan(30 * 86_400_000)
  await call('POST', '/api/user/tools', { name: '' })
  const newest = async () => (await call('GET', '/control/timeline?kinds=request&limit=1')).json.body.data[0]
  // The log is written a moment after the response.
  await expect.poll(async () => (await newest()).title).toBe('POST /api/user/tools')
  expect(Math.abs(Date.parse((await newest()).at) - Date.parse(now))).toBeLessThan(60_000)
  const all = (await call('GET', '/control/timeline?kinds=request&account=1&limit=1000')).json.body.data
  const recent = all.filter((it: { at: string }) => Date.parse(it.at) > Date.parse(now) - 86_400_000)
  expect(recent.length).toBeLessThan(all.length)
  expect((await call('GET', '/control/overview?account=1')).json.body.counts.requests.total).toBe(recent.length)
})

test('the attention of a failed automation leads to its failed run', async () => {
  const { json } = await call('GET', '/api/user/automate/flows')
  const { id } = json.body.data.find((it: { name: string }) => it.name === 'Opening hours')
  await fetch(`${server.url}/automate/api/v1/webhooks/${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"day":7}',
  })
  const runs = async () => (await call('GET', `/api/user/automate/runs?automation_id=${id}&limit=1`)).json.body.data
  await expect.poll(async () => (await runs())[0]?.status).toBe('FAILED')
  const { attention } = (await call('GET', '/control/overview?account=1')).json.body
  expect(attention.find((it: { code: string }) => it.code === 'automation_runs').subject).toEqual({
    noun: 'run',
    id: (await runs())[0].id,
  })
})

test('a failed run is one failure, also when a request waited for it, and each count is that of the list that it opens', async () => {
  const overview = async () => (await call('GET', '/control/overview?account=1')).json.body
  const before = (await overview()).counts.failed.total
  const { json } = await call('GET', '/api/user/automate/flows')
  const { id } = json.body.data.find((it: { name: string }) => it.name === 'Opening hours')
  const answer = await fetch(`${server.url}/automate/api/v1/webhooks/${id}/sync`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"day":7}',
  })
  expect(answer.status).toBe(500)
  // A failed request of its own is a failure of its own.
  await call('POST', '/control/faults', { endpoint: 'tools.list', status: 503, times: 1 })
  await fetch(`${server.url}/api/user/tools`, { headers: { authorization: `Bearer ${server.key}` } })
  const listed = async (query: string): Promise<{ id: string; kind: string; status: string }[]> => {
    const { since } = await overview()
    return (await call('GET', `/control/timeline?limit=1000&account=1&since=${since}&${query}`)).json.body.data
  }
  await expect.poll(async () => (await listed('kinds=request'))[0]).toMatchObject({ status: '503' })
  expect((await overview()).counts.failed.total).toBe(before + 2)
  expect((await listed('status=failed')).slice(0, 2).map((it) => it.kind)).toEqual(['request', 'run'])
  const { counts } = await overview()
  for (const [name, query] of [
    ['requests', 'kinds=request'],
    ['messages', 'kinds=message'],
    ['calls', 'kinds=call'],
    ['runs', 'kinds=run'],
    ['deliveries', 'kinds=delivery'],
    ['failed', 'status=failed'],
  ] as const)
    expect((await listed(query)).length, name).toBe(counts[name].total)
})

test('what costs money is confirmed with its price', async () => {
  const detailsOf = async (path: string, body: object): Promise<string[]> =>
    (await call('POST', path, body)).json.confirm.details
  const { json } = await call('GET', '/api/user/phone-numbers/search?country_code=US')
  const [{ phone_number, price }] = json.body.data
  expect(await detailsOf('/api/user/phone-numbers/purchase', { phone_number })).toContain(
    `Price: ${price.toFixed(2)} USD/month until you release it, paid by payment method`,
  )
  expect(await detailsOf('/api/user/sms', { from: 4, to: '+14155550142', body: 'Hello' })).toEqual(
    expect.arrayContaining(['Price: 0.01 USD for each segment']),
  )
  expect(await detailsOf('/api/user/phone-numbers/purchase', { phone_number: 'nonsense' })).toContain(
    'Price: unknown/month until you release it, paid by payment method',
  )
})

test('starting a campaign is confirmed with its leads and its highest price, stopping without a price', async () => {
  const path = '/api/user/campaigns/update-status'
  await call('PUT', '/control/accounts/1', { balance: 10 })
  const { json } = await call('POST', path, { campaign_id: 1, action: 'start' })
  expect(json.confirm).toEqual({
    question: expect.stringMatching(/^Start campaign ".+"\?$/),
    details: [
      expect.stringMatching(/^(Calls|Messages) \d+ new leads?\.$/),
      expect.stringMatching(/^Price: at most \d+\.\d+ USD, with every attempt, .+$/),
      'This is charged to the account.',
    ],
    notes: [expect.stringMatching(/^Balance: [\d.]+ USD$/)],
    expected: 'yes',
    agreement: expect.stringMatching(/^[0-9a-f]{32}$/),
  })
  expect(await agree(call, 'POST', path, { campaign_id: 1, action: 'start' })).toMatchObject({ status: 200 })
  expect((await call('POST', path, { campaign_id: 1, action: 'stop' })).json.confirm).toEqual({
    question: json.confirm.question.replace('Start', 'Stop'),
    details: ['No further leads are contacted until you start it again.'],
    expected: 'yes',
    agreement: expect.any(String),
  })
  expect((await call('POST', path, { campaign_id: 999, action: 'start' })).json.confirm.details).toEqual([
    'Campaign id: 999',
    'Action: start',
    'Price: unknown',
    'This is charged to the account.',
  ])
})

test('a call is confirmed with the price of its maximum duration, a message with that of its template', async () => {
  const { json: call1 } = await call('POST', '/api/user/make_call', {
    assistant_id: 2,
    phone_number: '+14155550142',
  })
  expect(call1.confirm.details).toContainEqual(expect.stringMatching(/^Price: at most [\d.]+ USD, [\d.]+ USD for each/))
})

test('an action on a resource in use is confirmed with its name', async () => {
  const { json: assistants } = await call('GET', '/api/user/assistants/get')
  const [record] = Object.values(assistants.body).find(Array.isArray) ?? assistants.body
  const asked = await call('DELETE', `/api/user/assistant/${record.id}`)
  expect(asked).toMatchObject({ status: 202, json: { confirm: { expected: record.name } } })
  expect((await call('DELETE', `/api/user/assistant/${record.id}`, undefined, agreementTo(asked))).status).not.toBe(202)
})

test('what the inspector reads is not in the log of requests, and what it changes is', async () => {
  const paths = async (): Promise<string[]> => {
    const { json } = await call('GET', '/control/requests')
    return json.body.data.map((it: { method: string; path: string }) => `${it.method} ${it.path}`)
  }
  await call('GET', '/api/user/labels')
  await call('POST', '/api/user/label', { name: 'From the page' })
  await expect.poll(paths).toContain('POST /api/user/label')
  expect(await paths()).not.toContain('GET /api/user/labels')
})

test('the timeline of an account has its requests, and not those of others', async () => {
  const requests = async (query: string): Promise<string[]> => {
    const { json } = await call('GET', `/control/timeline?kinds=request${query}`)
    return json.body.data.map((it: { title: string; account: number | null }) => `${it.account} ${it.title}`)
  }
  await server.get('/api/user/tools', { authorization: `Bearer ${server.key}` })
  await server.get('/api/user/labels', { authorization: 'Bearer wrong' })
  await expect.poll(() => requests('&account=1')).toContain('1 GET /api/user/tools')
  await expect.poll(() => requests('')).toContain('null GET /api/user/labels')
  expect((await requests('&account=1')).filter((it) => !it.startsWith('1 '))).toEqual([])
  expect(await requests('&account=2')).toEqual([])
})

test('limits of requests do not count what the inspector does', async () => {
  const limited = await inspectedServer({ limit: { name: 'all', max: 1, seconds: 600 } })
  const read = await limited.page()
  for (let n = 0; n < 3; n++) expect((await read('GET', '/api/user/tools')).status).toBe(200)
})

test('a server in another vocabulary answers the page in neutral words', async () => {
  const other = await inspectedServer({ vocabulary: 'public' })
  const read = await other.page()
  expect((await read('GET', '/api/user/assistants/get')).status).toBe(200)
  expect((await read('GET', '/api/user/messaging/senders')).status).toBe(200)
})

test('a response after which a change may have been carried out is marked, so that the page repeats it with its key', async () => {
  const keys: unknown[] = []
  const statusOf = async (status: number, body: unknown) => {
    const backend = {
      session: async () => ({ account: 1 }) as InspectorSession,
      find: async () => ({ endpoint: tools.create, params: {} }),
      send: async ({ headers }: InspectorRequest) => {
        keys.push(headers['idempotency-key'])
        return { status, body }
      },
    }
    const headers = { 'idempotency-key': 'k' }
    return (await callApi(backend, { method: 'POST', url: '/api/user/tools', headers, body: '{}' })).body
  }
  const open = { is_open: true }
  expect(await statusOf(503, {})).toMatchObject(open)
  expect(await statusOf(409, { message: failures.idempotency_busy.text })).toMatchObject(open)
  expect(await statusOf(409, { message: 'This name is already used.' })).not.toMatchObject(open)
  expect(await statusOf(422, {})).not.toMatchObject(open)
  expect(keys).toEqual(['k', 'k', 'k', 'k'])
})
