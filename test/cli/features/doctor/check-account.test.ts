import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Finding } from '../../../../src/cli/features/doctor/finding.ts'
import { inProcessTransport } from '../../../../src/client/transport/in-process-transport.ts'
import { openPlatform } from '../../../../src/platform/compose.ts'
import { altered, at, type Body, item, notParleyServer, withheld } from '../../../support/altered-responses.ts'
import { type Operator, operator, type RunOptions, today } from '../../../support/operator.ts'
import { tidyAccount } from '../../../support/tidy-account.ts'

interface Examined {
  readonly exitCode: number
  readonly found: readonly Finding[]
  readonly requests: readonly string[]
}

async function examine(options: RunOptions = {}, more = '', given?: Operator): Promise<Examined> {
  const by = given ?? (await tidyAccount(operator()))
  const { exitCode, stdout, stderr, requests } = await by.run(`doctor --voice --json ${more}`, options)
  expect(stderr).not.toContain('"error"')
  return { exitCode, found: JSON.parse(stdout) as Finding[], requests }
}

test('an account without problems results in its balance and one sentence, from reads only, also in the plain doctor', async () => {
  const by = await tidyAccount(operator())
  const { exitCode, found, requests } = await examine({}, '', by)
  expect({ exitCode, found: found.map(({ check, status, detail }) => [check, status, detail]) }).toEqual({
    exitCode: 0,
    found: [
      ['balance', 'ok', 'The balance is 25.00 USD.'],
      ['account', 'ok', 'No problems found: 2 assistants, 4 tools, 5 numbers, 3 campaigns, 3 automations.'],
    ],
  })
  expect(requests.every((it) => it.startsWith('GET '))).toBe(true)
  // Each list once.
  expect(requests.length).toBe(new Set(requests).size)
  expect((await by.json('doctor')).at(-1)).toMatchObject({ check: 'account', status: 'ok' })
})

test('a model that the platform no longer lists has no finding about its mode, which is unknown', async () => {
  const { found } = await examine(assistant(1, { llm_model_id: 9999 }))
  expect(found.filter(({ check }) => check === 'model_mode')).toEqual([])
})

test('on a machine without an account nothing is created', async () => {
  const by = operator({ fresh: true })
  expect((await examine({}, '', by)).found).toMatchObject([
    { check: 'account', status: 'ok', detail: expect.stringContaining('Not created yet') },
  ])
  expect(existsSync(by.dataDir)).toBe(false)
})

const assistant = (id: number, fields: Readonly<Record<string, unknown>>): RunOptions =>
  altered({ [at.assistants]: item(id, fields) })
const campaign = (id: number, fields: Readonly<Record<string, unknown>>): RunOptions =>
  altered({ [at.campaigns]: item(id, fields) })

describe.each<readonly [title: string, options: RunOptions, finding: Partial<Finding>]>([
  [
    'a deleted tool',
    assistant(1, { tool_ids: [1, 99] }),
    {
      check: 'reference',
      status: 'failed',
      noun: 'assistants',
      id: 1,
      name: 'Front desk',
      detail: 'Assistant "Front desk" (1) references tool 99 in tool_ids[1], which does not exist.',
      hint: "parley assistants update 1 --tool-ids '[1]'",
    },
  ],
  [
    'a deleted number',
    assistant(2, { phone_number_id: 77 }),
    { check: 'reference', hint: 'parley assistants update 2 --unset phone_number_id' },
  ],
  [
    'a deleted label',
    assistant(1, { label_ids: [1, 8] }),
    { check: 'reference', hint: "parley assistants update 1 --label-ids '[1]'" },
  ],
  [
    'a deleted assistant that it transfers to',
    assistant(1, { tools: [{ type: 'assistant_transfer', assistant_id: 50 }] }),
    {
      check: 'reference',
      detail: expect.stringContaining('assistant 50 in tools[0].assistant_id'),
      hint: 'parley assistants update 1 --edit',
    },
  ],
  [
    'a draft campaign with a deleted sender',
    campaign(2, { messaging_sender_id: 44 }),
    { check: 'reference', status: 'warning', noun: 'campaigns', id: 2 },
  ],
  [
    'a template of another sender',
    campaign(2, { messaging_sender_id: 2 }),
    { check: 'reference', detail: expect.stringContaining('which does not belong to sender 2') },
  ],
  [
    'a voice of another language',
    assistant(1, { language_id: 2 }),
    {
      check: 'voice_language',
      status: 'warning',
      detail: expect.stringContaining('speaks Spanish but uses "Amelia", a voice for English'),
    },
  ],
  [
    'a voice its mode does not have',
    assistant(2, { voice_id: 1 }),
    { check: 'voice_mode', status: 'failed', hint: 'parley assistants update 2 --voice-id 43' },
  ],
  [
    'a voice of another synthesizer',
    assistant(1, { synthesizer_provider_id: 2 }),
    {
      check: 'voice_synthesizer',
      detail: expect.stringContaining('"Amelia", a voice of "Standard", with the synthesizer "Studio"'),
      hint: 'parley assistants update 1 --unset synthesizer_provider_id',
    },
  ],
  [
    'a model of another mode',
    assistant(1, { llm_model_id: 21 }),
    { check: 'model_mode', status: 'failed', hint: 'parley assistants update 1 --llm-model-id 1' },
  ],
  [
    'a mode without its model',
    assistant(1, { llm_model_id: null }),
    { check: 'mode', detail: expect.stringContaining('The llm model id field is required when mode is pipeline.') },
  ],
  [
    'an inbound assistant without a number',
    assistant(1, { phone_number_id: null }),
    { check: 'inbound_number', status: 'warning', hint: 'parley assistants update 1 --phone-number-id 1' },
  ],
  [
    'an inbound assistant on a caller id',
    assistant(1, { phone_number_id: 3 }),
    { check: 'inbound_number', status: 'failed', detail: expect.stringContaining('which cannot receive calls') },
  ],
  [
    'a number that is released',
    altered({ [at.numbers]: item(4, { ends_at: '2026-08-15T12:00:00Z' }) }),
    { check: 'number_ending', status: 'warning', noun: 'assistants' },
  ],
  [
    'a trunk without allowed callers',
    altered({ [at.assistants]: item(1, { phone_number_id: 5 }), [at.trunks]: item(5, { allowed_inbound_ips: [] }) }),
    { check: 'sip_trunk', noun: 'sip-trunks', id: 5 },
  ],
  [
    'a campaign that sends SMS from a number without',
    campaign(3, { status: 'in-progress', sms_from_phone_number_id: 2 }),
    { check: 'sms_number', status: 'failed', noun: 'campaigns' },
  ],
  [
    'a campaign whose sender is offline',
    campaign(2, { messaging_sender_id: 4, messaging_template_id: 14 }),
    { check: 'sender_offline', status: 'warning' },
  ],
  [
    'a campaign that runs with a template that is not approved',
    campaign(2, { status: 'in-progress', messaging_template_id: 7 }),
    { check: 'template_status', status: 'failed', hint: 'parley messaging templates 1' },
  ],
  [
    'a campaign that runs without leads',
    altered({
      [at.campaigns]: item(1, { status: 'in-progress' }),
      [at.leads]: (body: Body) => ({ ...body, data: [], total: 0 }),
    }),
    { check: 'campaign_leads', status: 'warning', hint: 'parley leads create --campaign 1' },
  ],
  [
    'a campaign that calls without a number',
    campaign(1, { status: 'in-progress', assistant_id: 2 }),
    { check: 'campaign_number', status: 'warning' },
  ],
  [
    'a campaign whose assistant is inactive',
    altered({ [at.assistants]: item(1, { status: 'inactive' }), [at.campaigns]: item(1, { status: 'scheduled' }) }),
    { check: 'campaign_assistant', status: 'failed' },
  ],
  [
    'two assistants that answer the same number',
    altered({ [at.assistants]: (body: Body) => item(2, { type: 'inbound', phone_number_id: 4 })(body) }),
    {
      check: 'number_conflict',
      status: 'failed',
      id: 2,
      detail: expect.stringContaining('and assistant "Front desk" (id 1) both answer'),
    },
  ],
  [
    'two automations on one event',
    altered({
      [at.flows]: (body: Body) =>
        void body.data.map((flow: Body) =>
          Object.assign(flow, {
            status: 'enabled',
            binding: { type: 'post_call', assistant_id: 1, assistant_name: 'Front desk' },
          }),
        ),
    }),
    {
      check: 'event_conflict',
      status: 'failed',
      noun: 'automate',
      hint: expect.stringContaining('parley automate disable '),
    },
  ],
  [
    'two automations on one event of an assistant whose id is above 2^53',
    altered({
      [at.flows]: (body: Body) =>
        void body.data.map((flow: Body) =>
          Object.assign(flow, { status: 'enabled', binding: { type: 'post_call', assistant_id: '9007199254740993' } }),
        ),
    }),
    { check: 'event_conflict', status: 'failed' },
  ],
  [
    'an event an automation and a webhook hold',
    altered({
      [at.assistants]: item(1, { is_webhook_active: true }),
      [at.flows]: (body: Body) =>
        void Object.assign(body.data[0], {
          status: 'enabled',
          binding: { type: 'post_call', assistant_id: 1, assistant_name: 'Front desk' },
        }),
    }),
    { check: 'event_conflict', status: 'warning', hint: 'parley assistants disable-webhook 1 --event post-call' },
  ],
  [
    'an address no platform asks',
    altered({ [at.tools]: item(1, { endpoint: 'http://169.254.169.254/latest' }) }),
    { check: 'address', status: 'failed', noun: 'tools', id: 1 },
  ],
])('%s', (_, options, finding) => {
  test(`is found: ${finding.check}`, async () => {
    const { exitCode, found } = await examine(options)
    expect(found).toContainEqual(expect.objectContaining(finding))
    for (const finding of found.filter(({ status }) => status !== 'ok'))
      expect(finding).toMatchObject({
        noun: expect.any(String),
        id: expect.anything(),
        hint: expect.stringMatching(/^parley /),
      })
    expect(exitCode).toBe(found.some(({ status }) => status === 'failed') ? 20 : 0)
    expect((await examine(options, '--strict')).exitCode).toBe(20)
  })
})

test('an enabled automation with an invalid definition, and one with a deleted sender, are reported', async () => {
  const by = await tidyAccount(operator())
  const [flow] = await by.json('automate list')
  const path = `${at.flows}/${flow.id}`
  const step = (settings: object) => ({
    name: 'step_1',
    type: 'PIECE',
    displayName: 'Write',
    valid: true,
    settings: { pieceVersion: '~0.1.0', ...settings },
  })
  const withStep = (settings: object): RunOptions =>
    altered({ [path]: (body: Body) => void Object.assign(body.data.definition, { nextAction: step(settings) }) })
  const refused = await examine(
    withStep({ pieceName: '@engine/piece-nobody', actionName: 'nothing', input: {} }),
    '',
    by,
  )
  expect(refused.found).toContainEqual(
    expect.objectContaining({
      check: 'automation_definition',
      status: 'failed',
      id: flow.id,
      hint: `parley automate get ${flow.id}`,
    }),
  )
  const sends = (sender: unknown) =>
    withStep({
      pieceName: '@platform/piece-voice',
      actionName: 'sendMessage',
      input: { sender, to: '+14155550111', body: 'Hello' },
    })
  expect((await examine(sends(44), '', by)).found).toContainEqual(
    expect.objectContaining({
      check: 'reference',
      detail: `Automation "Opening hours" (${flow.id}) references sender 44 in step_1.sender ("Write"), which does not exist.`,
    }),
  )
  expect((await examine(sends('4'), '', by)).found).toContainEqual(
    expect.objectContaining({ check: 'sender_offline', status: 'failed' }),
  )
  // The value of an expression is not known.
  expect((await examine(sends("{{trigger['body']['sender']}}"), '', by)).found.map(({ check }) => check)).toEqual([
    'balance',
    'account',
  ])
})

test('code is checked where the platform has no versions, which it would have checked before', async () => {
  const by = await tidyAccount(operator())
  const [flow] = await by.json('automate list')
  const { through } = altered({
    [`${at.flows}/${flow.id}`]: (body: Body) => {
      body.data.definition.nextAction.settings.sourceCode.code = 'export const code = async () => ({ hours: ?? })'
    },
  })
  const elsewhere: RunOptions = {
    through: (handle, request) => through((inner) => notParleyServer(handle, inner), request),
  }
  expect((await examine(elsewhere, '', by)).found).toContainEqual(
    expect.objectContaining({ check: 'automation_definition', status: 'failed', id: flow.id }),
  )
})

test('a refused list is a warning, a missing list a note, and neither makes references dangling', async () => {
  const refused = await examine(withheld(403, at.tools, at.numbers))
  expect(refused.exitCode).toBe(0)
  expect(refused.found.filter(({ status }) => status !== 'ok')).toMatchObject([
    {
      check: 'account_lists',
      status: 'warning',
      detail: expect.stringContaining('Could not be read: tools (Forbidden)'),
    },
  ])
  const absent = await examine(withheld(501, at.campaigns))
  expect(absent.found.at(-1)).toMatchObject({
    check: 'account_lists',
    status: 'ok',
    detail: 'Not checked, because the platform does not list them: campaigns.',
  })
})

test('a remote deployment is not expected to reach private addresses', async () => {
  const by = await tidyAccount(operator())
  const tools = altered({ [at.tools]: item(1, { endpoint: 'https://desk.local/{{customer_phone}}' }) })
  expect((await examine(tools, '', by)).found).toMatchObject([
    { check: 'balance', status: 'ok' },
    { check: 'account', status: 'ok' },
  ])
  const { key } = JSON.parse(readFileSync(join(by.dataDir, 'credentials.json'), 'utf8'))
  const { found, exitCode } = await examine(
    {
      ...tools,
      env: { PARLEY_API_KEY: key, PARLEY_BASE_URL: 'https://assistants.example' },
      async connect() {
        const platform = await openPlatform({
          dataDir: by.dataDir,
          wall: () => today,
          pid: process.pid,
          isAlive: () => true,
        })
        return {
          ...inProcessTransport(platform.handle),
          base: 'https://assistants.example',
          close: () => platform.close(),
        }
      },
    },
    '',
    by,
  )
  expect(found.map(({ check, status, noun, id }) => [check, status, noun, id])).toEqual([
    ['balance', 'ok', null, null],
    ['address', 'warning', 'tools', 1],
    ['address', 'warning', 'tools', 4],
  ])
  expect(found[1]).toMatchObject({
    detail: expect.stringContaining('desk.local, a private address'),
    hint: 'parley tools get 1',
  })
  expect(exitCode).toBe(0)
})

describe('--reach', () => {
  const url = 'http://127.0.0.1'

  test('requests each URL once with OPTIONS, without key or payload, and names those that do not respond', async () => {
    const asked: string[] = []
    const connect: RunOptions['connect'] = async (base) => ({
      base,
      async send({ method, url: path, headers, body }) {
        asked.push(`${method} ${base}${path}`)
        expect([Object.keys(headers).sort(), body]).toEqual([['accept', 'user-agent'], undefined])
        return { status: base.includes('practice') ? 503 : 405, headers: {}, body: '' }
      },
      close: async () => {},
    })
    const { found, exitCode } = await examine({ connect }, '--reach')
    expect(asked.sort()).toEqual([
      `OPTIONS ${url}/automate/api/v1/webhooks/Vq3tR8mKx2LpZc5WnYd7a/sync`,
      'OPTIONS https://practice.northwind.example/',
      'OPTIONS https://practice.northwind.example/',
      'OPTIONS https://practice.northwind.example/appointments',
    ])
    expect(found.filter(({ status }) => status === 'warning').map(({ id }) => id)).toEqual([1, 2, 3])
    expect(exitCode).toBe(0)
    expect(found.at(-1)?.detail).toContain('Sent OPTIONS to 4 addresses from this machine')
  })

  test('never contacts a metadata service', async () => {
    const options = altered({
      [at.tools]: (body: Body) =>
        void body.map((it: Body) => Object.assign(it, { endpoint: 'http://metadata.google.internal/v1' })),
    })
    const connect: RunOptions['connect'] = async () => {
      throw new Error('asked')
    }
    const { found, exitCode } = await examine({ ...options, connect }, '--reach')
    expect(exitCode).toBe(20)
    expect(found.find(({ check }) => check === 'webhooks')?.detail).toContain(
      'an address to which requests are never sent',
    )
  })
})

test('is readable on a terminal, and names the direction without a URL', async () => {
  const by = operator()
  const options = assistant(1, { tool_ids: [99] })
  const { stdout, exitCode } = await by.run('doctor --voice', { ...options, terminal: true, columns: 200 })
  expect(exitCode).toBe(20)
  expect(stdout).toMatch(
    /^failed {3}Reference +Assistant "Front desk" \(1\) references tool 99 in tool_ids\[0\], which does not exist\.$/m,
  )
  expect(stdout).toMatch(/^ +-> parley assistants update 1 --tool-ids '\[\]'$/m)
  expect(await by.run('doctor --voice --conformance')).toMatchObject({ exitCode: 2 })
})

test('text from a platform is never part of a suggested command', async () => {
  const by = operator()
  const evil = `https://hooks.example/a'$(reboot)'`
  const options = altered({
    [at.tools]: item(1, { endpoint: evil }),
    [at.assistants]: item(1, { tool_ids: [1, 99, "'; reboot '"], language_id: '$(reboot)' }),
    [at.flows]: (body: Body) => void Object.assign(body.data[0], { id: '$(reboot)' }),
  })
  const connect: RunOptions['connect'] = async () => {
    throw new Error('not reached')
  }
  const { found } = await examine({ ...options, connect }, '--reach', by)
  expect(found.length).toBeGreaterThan(2)
  // Within quotes there is no quote that ends them early.
  for (const { hint } of found.filter((it) => it.hint?.includes('reboot')))
    expect(hint).toMatch(/^curl -i -X OPTIONS '[^']*'$/)
})
