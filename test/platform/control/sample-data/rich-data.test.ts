import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, onTestFinished, test } from 'vitest'
import { parseYaml } from '../../../../src/node/parse-yaml.ts'
import { type SampleData, type StartOptions, startPlatform, type TestPlatform } from '../../../../src/platform.ts'
import { blocksOf, page } from '../../../docs/documentation-pages.ts'
import { operator } from '../../../support/operator.ts'

async function started(options: StartOptions): Promise<TestPlatform> {
  const platform = await startPlatform(options)
  onTestFinished(() => platform.close())
  return platform
}

const exported = async (platform: TestPlatform, query = ''): Promise<SampleData> =>
  ((await platform.control('GET', `export${query}`)) as { data: SampleData }).data

const schema = JSON.parse(readFileSync('test/golden/sample-data.schema.json', 'utf8'))
const validate = new Ajv2020({ strict: false, allErrors: true, validateFormats: false }).compile(schema)

function expectValid(data: SampleData): void {
  expect([validate(data), validate.errors]).toEqual([true, null])
}

const clinic = blocksOf(page('docs/testing-with-parley.md')).find((it) => it.file === 'clinic.yaml')?.text ?? ''

test('the example of the documentation can be loaded, and agrees with the schema', async () => {
  const data = (await parseYaml(clinic)) as SampleData
  expectValid(data)
  const platform = await started({ data, clock: '2027-03-01T09:00:00Z' })
  const [assistant] = (await platform.client.assistants.list({})).data
  const leads = (await platform.client.leads.list({})).data
  const [conversation] = (await platform.client.conversations.list({})).data
  expect(assistant).toMatchObject({ name: 'Reception', status: 'active', tool_ids: [1], phone_number_id: 1 })
  expect(leads.map((it) => [it.phone_number, it.status, it.created_at])).toEqual([
    ['+14155550142', 'created', '2027-03-01 09:00:00'],
    ['+14155550143', 'completed', '2027-02-26 09:00:00'],
  ])
  expect(conversation).toMatchObject({ message_count: 2, created_at: '2027-03-01 07:00:00' })
  const { history } = await platform.client.conversations.get({ uuid: String(conversation?.id) })
  expect(history.map((it) => it.content)).toEqual(['Are you open today?', 'Yes, until 17:00.'])
  expectValid(await exported(platform))
})

const code = { sourceCode: { code: 'export const code = async () => 1', packageJson: '{}' }, input: {} }
const trigger = (pieceName: string, triggerName: string, input: object): object => ({
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  settings: { pieceName, pieceVersion: '~0.1.0', triggerName, input },
})
const step = { name: 'step_1', displayName: 'One', type: 'CODE', settings: code }
const base = {
  mode: 'multimodal',
  voice_id: 43,
  language_id: 'English',
  timezone: 'UTC',
  initial_message: 'Hello',
  system_prompt: 'Answer.',
  multimodal_model_id: 'Realtime',
}

const rich: SampleData = {
  version: 1,
  accounts: [
    {
      name: 'One',
      kind: 'direct',
      balance: 12.5,
      minute_rate: 0.2,
      max_campaigns: 3,
      connections: [{ kind: 'spreadsheet', name: 'leads', secret: { token: 'abcdef123456' }, status: 'expired' }],
      tools: [
        {
          name: 'crm',
          description: 'Calls the CRM',
          endpoint: 'https://crm.example/{x}',
          method: 'GET',
          headers: [{ name: 'Authorization', value: 'Bearer s3cr3t-token-1' }],
          schema: [{ name: 'x', type: 'string', description: 'What to find' }],
        },
        {
          name: 'flow',
          description: 'Runs the automation',
          endpoint: 'https://parley.example/automate/api/v1/webhooks/x/sync',
          method: 'POST',
          type: 'automation',
          automation_id: 'Hook',
        },
      ],
      sip_trunks: [
        {
          phone_number: '2001',
          sip_trunk_type: 'extension',
          sip_username: 'user',
          sip_password: 'pass-word-1',
          sip_address: 'pbx.example',
          sip_calling_format: 'e164',
          inbound_authorization_type: 'auth',
          country_code: 'US',
        },
      ],
      assistants: [
        {
          ...base,
          name: 'A',
          type: 'outbound',
          tools: [transferTo('B')],
          inbound_webhook_url: 'https://example.com/in',
        },
        {
          ...base,
          name: 'B',
          type: 'inbound',
          phone_number_id: '2001',
          tools: [transferTo('A'), { type: 'end_call' }],
        },
        { ...base, name: 'B', ref: 'second', type: 'outbound', status: 'inactive', tool_ids: ['flow', 'crm'] },
      ],
      senders: [
        {
          phone_number: '+14155550170',
          display_name: 'One',
          messaging_limit: null,
          templates: [{ name: 'hi', body_text: 'Hi' }],
        },
        {
          phone_number: '+14155550171',
          display_name: 'Two',
          assistant_id: 'second',
          templates: [{ name: 'hi', body_text: 'Ho' }],
        },
      ],
      automations: [
        {
          name: 'Hook',
          id: 'a'.repeat(21),
          flow: { trigger: trigger('@engine/piece-webhook', 'catch_webhook', { authType: 'none' }), steps: [step] },
        },
        {
          name: 'Calls',
          assistant_id: 'A',
          flow: { trigger: trigger('@platform/piece-platform', 'phoneCallEnded', { assistant: 'A' }), steps: [step] },
        },
        {
          name: 'Off',
          enabled: false,
          flow: {
            trigger: trigger('@engine/piece-schedule', 'every_hour', {}),
            steps: [
              {
                name: 'step_1',
                displayName: 'Add',
                type: 'PIECE',
                settings: {
                  pieceName: '@platform/piece-platform',
                  pieceVersion: '~0.1.0',
                  actionName: 'addLead',
                  input: { campaign: 'Messages', phone_number: '+14155550142', variables: {} },
                },
              },
            ],
          },
        },
      ],
      campaigns: [
        { name: 'Messages', channel: 'messaging', messaging_sender_id: '+14155550171', messaging_template_id: 'hi' },
        {
          name: 'Calls',
          assistant_id: 'second',
          status: 'paused',
          leads: [
            {
              phone_number: '+14155550150',
              status: 'rescheduled',
              attempts: 1,
              last_attempt_at: '1h ago',
              next_attempt_at: null,
              secondary_contacts: [{ phone_number: '+14155550151', variables: { name: 'x' } }],
            },
          ],
        },
      ],
      conversations: [
        {
          assistant_id: 'second',
          type: 'messaging',
          sender_id: '+14155550171',
          customer_phone: '+14155550142',
          window_until: '2027-03-01T10:00:00.123456Z',
          messages: [{ role: 'assistant', content: 'x', function_calls: [{ name: 'crm', arguments: {}, result: {} }] }],
        },
        { assistant_id: 'A', status: 'ended', total_cost: 0.01, ended_at: '1d ago', ends: 2 },
      ],
      calls: [{ assistant_id: 'A', campaign_id: 'Calls', duration: 61, total_cost: 0.21, evaluation: { ok: true } }],
    },
    { name: 'Two', email: 'two@example.com', keys: [{ name: 'k' }], folders: [{ name: 'F' }] },
  ],
}

function transferTo(assistant: string): object {
  return { type: 'assistant_transfer', assistant_id: assistant, description: 'When asked' }
}

test.each(['', '?include_secrets=true'])('references in every direction survive a round trip (%s)', async (query) => {
  expectValid(rich)
  const first = await started({ data: rich, seed: 7, clock: '2027-03-01T09:00:00Z' })
  const written = await exported(first, query)
  expectValid(written)
  const [account] = written.accounts as unknown as [Record<string, readonly Record<string, unknown>[]>]
  expect(account).toMatchObject({
    assistants: [
      { name: 'A', tools: [{ assistant_id: 'B' }], inbound_webhook_url: 'https://example.com/in' },
      { name: 'B', tools: [{ assistant_id: 'A' }, {}], phone_number_id: '2001' },
      { name: 'B', ref: 'B #2', status: 'inactive', tool_ids: ['flow', 'crm'] },
    ],
    automations: expect.arrayContaining([
      expect.objectContaining({ name: 'Hook' }),
      expect.objectContaining({ name: 'Calls', assistant_id: 'A' }),
      expect.objectContaining({ name: 'Off', enabled: false }),
    ]),
    calls: [{ assistant_id: 'A', campaign_id: 'Calls' }],
    conversations: [{ assistant_id: 'B #2', sender_id: '+14155550171' }, { ends: 2 }],
    tools: [{ name: 'crm' }, { name: 'flow', type: 'automation', automation_id: 'Hook' }],
  })
  expect(JSON.stringify(account.automations)).toContain('"campaign":"Messages"')
  const text = JSON.stringify(written)
  for (const secret of ['s3cr3t-token-1', 'pass-word-1', 'abcdef123456', '"hash"'])
    expect([secret, text.includes(secret)]).toEqual([secret, query !== ''])
  const second = await started({ data: written, seed: 7, clock: '2027-03-01T09:00:00Z' })
  expect(await exported(second, query)).toEqual(written)
  expect(second.key).toBe(first.key)
  expect(await second.control('GET', 'check')).toMatchObject({ problems: [], balances: { wrong: [] } })
})

test('two tools with one name call their own automations', async () => {
  const { tools, automations } = rich.accounts[0] as { tools?: readonly object[]; automations?: readonly object[] }
  const [tool, automation] = [tools?.[1], automations?.[0]]
  const platform = await started({
    data: {
      version: 1,
      accounts: [
        {
          name: 'One',
          tools: [tool, { ...tool, automation_id: 'Other' }],
          automations: [automation, { ...automation, name: 'Other', id: 'b'.repeat(21) }],
        },
      ],
    },
  })
  const [account] = (await exported(platform)).accounts
  expect(account?.tools).toMatchObject([{ automation_id: 'Hook' }, { ref: 'flow #2', automation_id: 'Other' }])
})

test('earlier versions of an automation are loaded, and can be restored; times may be ahead', async () => {
  const flow = (code: string): object => ({
    trigger: trigger('@engine/piece-webhook', 'catch_webhook', { authType: 'none' }),
    steps: [{ ...step, settings: { input: {}, sourceCode: { code, packageJson: '{}' } } }],
  })
  const [first, second, live] = [1, 2, 3].map((n) => `export const code = async () => ${n}`)
  const data: SampleData = {
    version: 1,
    accounts: [
      {
        name: 'Versions',
        automations: [
          {
            name: 'Hook',
            versions: [
              { flow: flow(String(first)), created_at: '3d ago' },
              { flow: flow(String(second)), created_at: '2d ago' },
            ],
            flow: flow(String(live)),
            created_at: '3d ago',
            updated_at: '1d ago',
          },
        ],
        numbers: [{ phone_number: '+14155550123', country_code: 'US', subscription: { period_end: 'in 10d' } }],
      },
    ],
  }
  expectValid(data)
  const platform = await started({ data, clock: '2027-03-01T09:00:00Z' })
  const [automation] = (await platform.client.automate.list({})).data
  const id = String(automation?.id)
  const { versions } = await platform.client.automate.versions({ id })
  expect(versions.map((it) => [it.number, it.published_at, it.live])).toEqual([
    [3, '2027-02-28T09:00:00.000Z', true],
    [2, '2027-02-27T09:00:00.000Z', false],
    [1, '2027-02-26T09:00:00.000Z', false],
  ])
  await platform.client.automate.restoreVersion({ id, number: 1 })
  const [account] = (await exported(platform)).accounts
  expect(JSON.stringify(account?.automations)).toContain(first)
  expect(account?.numbers).toMatchObject([{ subscription: { period_end: '2027-03-11T09:00:00.000000Z' } }])
})

test('the schema is printed for editors', async () => {
  const { exitCode, stdout } = await operator().run('schema sample-data')
  expect([exitCode, JSON.parse(stdout)]).toEqual([0, schema])
})
