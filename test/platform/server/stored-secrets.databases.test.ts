import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { databases } from '../../support/databases.ts'
import { code, hook, http as httpStep, respond } from '../../support/flow-definitions.ts'
import type { Place } from '../../support/platform/platform-api.ts'
import { newPlace, openAt, tablesOf } from '../../support/platform/test-platforms.ts'

/** Files of a data folder that hold secrets on purpose, and that only the owner can read. */
const secretFiles = new Set(['secret.key', 'credentials.json'])

function filesIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const file = join(folder, name)
    return statSync(file).isDirectory() ? filesIn(file) : secretFiles.has(name) ? [] : [file]
  })
}

/** Returns the rows of all tables of a place on PostgreSQL, by table. Bytes are in hexadecimal digits. */
async function storedRows({ database }: Place): Promise<readonly { table: string; text: string }[]> {
  if (database === undefined) return []
  const client = new pg.Client({ connectionString: database })
  await client.connect()
  try {
    const tables = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    const found: { table: string; text: string }[] = []
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ text: string }>(`select stored::text as text from ${name} stored`)
      found.push(...rows.map(({ text }) => ({ table: name, text })))
    }
    return found
  } finally {
    await client.end()
  }
}

/** Returns a text as it may be in a row: also as bytes, and as it is written inside JSON. */
const spellings = (value: string): readonly string[] => [
  value,
  Buffer.from(value).toString('hex'),
  JSON.stringify(value).slice(1, -1).replaceAll('/', '\\/'),
]

describe.each(databases)('secrets on $name', (database) => {
  test('a calendar key that an earlier version saved is readable, and encrypted by the next update', async () => {
    const place = await newPlace(database)
    const api = await openAt(place, { seed: 7 })
    const key = 'planted-calendar-key-1'
    const { id } = (await api.ask('GET', '/api/user/assistants/get')).body.data[0]
    const tables = await tablesOf(place)
    const settingsOf = async (): Promise<string> =>
      (await tables.read.selectFrom('assistant').select('settings').where('id', '=', id).executeTakeFirstOrThrow())
        .settings
    const tools = [{ type: 'calendar_integration', cal_a_api_key: key, cal_a_event_slug: 'visit' }]
    const settings = JSON.stringify({ ...JSON.parse(await settingsOf()), tools })
    await tables.write('everything', (query) =>
      query.updateTable('assistant').set({ settings }).where('id', '=', id).execute(),
    )
    const read = async () =>
      (await api.ask('GET', '/api/user/assistants/get')).body.data.find((it: { id: number }) => it.id === id).tools
    expect(await read()).toMatchObject([{ cal_a_api_key: key }])
    expect((await api.ask('PUT', `/api/user/assistant/${id}`, { body: { max_duration: 120 } })).status).toBe(200)
    expect(await settingsOf()).not.toContain(key)
    expect(await read()).toMatchObject([{ cal_a_api_key: key }])
    await api.platform.close()
  })

  /** Every secret of a resource, by its place. Each has its own value, so that a failure names the place. */
  const planted = {
    toolHeader: 'planted-tool-header-1',
    toolField: 'planted-tool-field-2',
    toolUrl: 'planted-tool-url-3',
    toolUser: 'planted-tool-user-4',
    calendarA: 'planted-calendar-a-5',
    calendarB: 'planted-calendar-b-6',
    sipPassword: 'planted-sip-password-7',
    stepHeader: 'planted-step-header-8',
    draftHeader: 'planted-draft-header-9',
    connection: 'planted-connection-10',
    senderSecret: 'planted-sender-secret-11',
    echoedHeader: 'planted-echoed-header-12',
    echoedField: 'planted echoed/field-13',
    echoedUrl: 'planted-echoed-url-14',
    echoedPassword: 'planted-echoed-password-15',
  } as const

  test('no file and no row has a secret of a resource in plain text: records, answers, requests, drafts', async () => {
    const place = await newPlace(database)
    const { dataDir } = place
    // A server whose answers repeat what it received, also decoded.
    const http = {
      send: async ({ url, headers, body }: { url: string; headers: object; body?: unknown }) => {
        if (url.includes('hidden.example')) return { status: 200, headers: {}, body: Buffer.from('{}') }
        const text = String(body ?? '')
        const basic = /Basic ([\w+/=]+)/.exec(JSON.stringify(headers))?.[1] ?? ''
        const said = {
          url,
          headers,
          text,
          form: [...new URLSearchParams(text)],
          basic: Buffer.from(basic, 'base64').toString(),
        }
        return {
          status: url.includes('broken') ? 500 : 200,
          headers: { 'content-type': 'application/json' },
          body: Buffer.from(JSON.stringify(said)),
        }
      },
    }
    const api = await openAt(place, { seed: 7, requestLog: true, automationPorts: { http } })
    let keys = 0
    const ask = async (method: string, url: string, body?: unknown, isKeyed = method !== 'GET') => {
      const headers = isKeyed ? { 'idempotency-key': `key-${++keys}` } : {}
      const asked = { headers, ...(body !== undefined && { body }) }
      const answer = await api.ask(method, url, asked)
      if (isKeyed) expect((await api.ask(method, url, asked)).text).toBe(answer.text)
      return answer
    }
    const ok = async (...asked: Parameters<typeof ask>) => {
      const answer = await ask(...asked)
      expect([asked[0], asked[1], answer.status < 300 || answer.text]).toEqual([asked[0], asked[1], true])
      return answer.body
    }

    const tool = {
      name: 'look_up',
      description: 'Returns a value.',
      endpoint: `https://ada:${planted.toolUser}@example.com/x?api_key=${planted.toolUrl}`,
      method: 'POST',
      headers: [{ name: 'X-Clinic', value: planted.toolHeader }],
      static_fields: [{ key: 'password', value: planted.toolField }],
    }
    const { data } = await ok('POST', '/api/user/tools', tool)
    await ok('PUT', `/api/user/tools/${data.id}`, { description: 'Returns another value.' })
    await ok('GET', '/api/user/tools')

    const { id: assistant, uuid } = (await ok('GET', '/api/user/assistants/get')).data[0]
    const tools = [
      { type: 'calendar_integration', cal_a_api_key: planted.calendarA, cal_a_event_slug: 'visit' },
      {
        type: 'calendar_integration',
        calendar_type: 'cal_b',
        cal_b_api_key: planted.calendarB,
        cal_b_event_type_uri: 'https://api.example.com/event_types/b',
      },
    ]
    await ok('PUT', `/api/user/assistant/${assistant}`, { tools })
    const read = (await ok('GET', '/api/user/assistants/get')).data[0].tools
    expect(read).toMatchObject([{ cal_a_api_key: planted.calendarA }, { cal_b_api_key: planted.calendarB }])

    const trunk = {
      sip_trunk_type: 'number',
      phone_number: '+14155550188',
      sip_username: 'parley',
      sip_password: planted.sipPassword,
      sip_address: 'sip.example.com',
      sip_calling_format: '+e164',
      inbound_authorization_type: 'auth',
      country_code: 'US',
    }
    await ok('POST', '/api/user/phone-numbers/sip-trunks', trunk)

    const flow = (secret: string, steps: object[]) => ({
      trigger: hook,
      steps: [
        httpStep('GET', 'https://hidden.example/a', { headers: { Authorization: `Bearer ${secret}` } }),
        ...steps,
      ],
    })
    const made = await ask('POST', '/api/user/automate/flows', {
      name: 'Lookup',
      flow: flow(planted.stepHeader, [respond({ text: 'done' })]),
    })
    expect(made.status).toBe(201)
    const draft = await ask('PUT', `/api/user/automate/flows/${made.body.automation_id}`, {
      flow: flow(planted.draftHeader, [code('inputs.missing.value'), respond({ text: 'done' })]),
      sample: {},
    })
    expect(draft.body.status).toBe('test_failed')
    await ok('GET', `/api/user/automate/flows/${made.body.automation_id}?include_secrets=true`)

    const { data: accounts } = (await api.control('GET', '/control/accounts')).body
    const account = accounts[0].id
    const secret = { token: planted.connection }
    const kinds = await api.control('POST', `/control/accounts/${account}/connections`, { kind: 'crm-b', secret })
    expect([kinds.status, kinds.status < 300 || kinds.text]).toEqual([kinds.status, true])
    const sender = (await ok('GET', '/api/user/messaging/senders')).data[0].id
    const webhook = { webhook_url: 'https://example.com/status', webhook_secret: planted.senderSecret }
    expect(await api.control('PUT', `/control/accounts/${account}/senders/${sender}/webhook`, webhook)).toMatchObject({
      status: 200,
    })

    const basic = Buffer.from(`ada:${planted.echoedPassword}`).toString('base64')
    for (const [n, more] of [
      { endpoint: `https://example.com/fine?api_key=${planted.echoedUrl}`, method: 'POST' },
      { endpoint: `https://example.com/broken?api_key=${planted.echoedUrl}`, method: 'POST', body_format: 'form' },
      { endpoint: `https://ada:${planted.echoedPassword}@example.com/fine`, method: 'GET' },
    ].entries()) {
      const echoing = await ok('POST', '/api/user/tools', {
        name: `find_patient_${n}`,
        description: 'Find a patient.',
        ...more,
        headers: [
          { name: n === 1 ? 'Authorization' : 'X-Api-Key', value: n === 1 ? `Basic ${basic}` : planted.echoedHeader },
        ],
        static_fields: [{ key: 'password', value: planted.echoedField }],
      })
      await ok('PUT', `/api/user/assistant/${assistant}`, { tool_ids: [echoing.data.id] })
      const started = await ok('POST', '/api/conversations', { assistant_id: uuid, type: 'test' })
      const id = started.conversation_id
      const said = await ok('POST', `/api/conversations/${id}/messages`, { message: 'Find the patient, please.' })
      expect(said.function_calls).toMatchObject([{ name: `find_patient_${n}`, result: expect.anything() }])
      expect(JSON.stringify(said)).toContain('••• hidden')
      expect(JSON.stringify(await ok('GET', `/api/conversations/${id}`))).not.toContain('planted')
    }

    const { api_key } = await ok('POST', '/api/user/api-keys', { name: 'ci' })

    await api.platform.close()
    const values = Object.entries({ ...planted, newKey: api_key.token.split('|')[1] as string })
    const found = filesIn(dataDir).flatMap((file) => {
      const bytes = readFileSync(file)
      return values.flatMap(([place, value]) =>
        bytes.includes(value) ? [`${place} in ${file.slice(dataDir.length)}`] : [],
      )
    })
    expect(found).toEqual([])
    const rows = await storedRows(place)
    expect(
      values.flatMap(([secretOf, value]) =>
        rows
          .filter(({ text }) => spellings(value).some((it) => text.includes(it)))
          .map(({ table }) => `${secretOf} in ${table}`),
      ),
    ).toEqual([])
    // What is not secret is found, so that the search reads what was stored: SQLite copies its log into the file at its end.
    const stored =
      database.name === 'sqlite'
        ? readFileSync(join(dataDir, 'platform.db')).includes('Returns another value.')
        : rows.some(({ text }) => text.includes('Returns another value.'))
    expect(stored).toBe(true)
    expect(readFileSync(join(dataDir, 'requests.ndjson'), 'utf8')).toContain('/api/user/phone-numbers/sip-trunks')
  })
})
