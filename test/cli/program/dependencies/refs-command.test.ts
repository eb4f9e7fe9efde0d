import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { altered, at, type Body, item, withheld, withoutCapability } from '../../../support/altered-responses.ts'
import { operator, type RunOptions } from '../../../support/operator.ts'

interface Row {
  readonly direction: string
  readonly noun: string
  readonly id: number | string | null
  readonly name: string | null
  readonly field: string
  readonly live: boolean | null
  readonly state: string
  readonly loss: string | null
}

/** A platform that has references in its lists only. */
const listsOnly = withoutCapability('reference-search')

const brief = (rows: readonly Row[]): string[] =>
  rows.map(
    (row) =>
      `${row.direction} ${row.noun} ${row.id} ${row.field} ${row.state}${row.live === null ? '' : row.live ? ' live' : ' idle'}`,
  )

test.each<readonly [line: string, rows: readonly string[]]>([
  ['tools lookup_patient', ['used_by assistants 1 tool_ids[0] present live']],
  ['tool 4', ['used_by assistants 2 tool_ids[0] present live', 'uses automate Vq3tR8mKx2LpZc5WnYd7a endpoint present']],
  [
    'numbers 4',
    ['used_by assistants 1 phone_number_id present live', 'used_by campaigns 3 sms_from_phone_number_id present idle'],
  ],
  [
    'numbers "Front desk" --used-by',
    ['used_by assistants 1 phone_number_id present live', 'used_by campaigns 3 sms_from_phone_number_id present idle'],
  ],
  ['numbers 2', []],
  ['knowledge "Practice handbook"', ['used_by assistants 1 knowledgebase_id present live']],
  ['folders 2', ['used_by assistants 2 folder_id present idle']],
  ['label production', ['used_by assistants 1 label_ids[0] present idle']],
  [
    'senders +14155550170',
    ['used_by campaigns 2 messaging_sender_id present idle', 'uses assistants 1 assistant_id present'],
  ],
  ['templates 1', ['used_by campaigns 2 messaging_template_id present idle']],
  [
    'campaigns Reminders',
    ['uses senders 1 messaging_sender_id present', 'uses templates 1 messaging_template_id present'],
  ],
  ['sip-trunks Reception', []],
  ['models 21', ['used_by assistants 2 multimodal_model_id present live']],
  ['synthesizers standard --uses', []],
  [
    'assistants Recall --uses',
    [
      'uses voices 43 voice_id present',
      'uses languages 1 language_id present',
      'uses models 21 multimodal_model_id present',
      'uses models 1 chat_llm_fallback_id present',
      'uses folders 2 folder_id present',
      'uses tools 4 tool_ids[0] present',
    ],
  ],
])('parley refs %s', async (line, rows) => {
  const { json, run } = operator()
  expect(brief(await json(`refs ${line}`))).toEqual(rows)
  const ids = rows.map((it) => `${it.split(' ')[2]}\n`).join('')
  expect((await run(`refs ${line} -o id`)).stdout).toBe(ids)
})

test('has the same content in every output format, and an empty list causes a note for people', async () => {
  const { run, json } = operator()
  const rows = await json('refs numbers 4')
  expect(parse((await run('refs numbers 4 -o yaml')).stdout)).toEqual(rows)
  expect(
    (await run('refs numbers 4 -o ndjson')).stdout
      .trim()
      .split('\n')
      .map((it) => JSON.parse(it)),
  ).toEqual(rows)
  expect((await run('refs numbers 4 -o tsv')).stdout.split('\n')).toHaveLength(rows.length + 2)
  expect((await run('refs numbers 4 --fields id,field --json')).stdout).not.toContain('loss')
  expect((await run('refs numbers 4')).stdout).toContain(
    'Calls to +14157683069 are no longer answered: "Front desk" (1) loses it.',
  )
  expect(await run('refs numbers 2')).toMatchObject({
    exitCode: 0,
    stderr: 'No references.\n',
  })
})

test('only lists that can reference it are read, each once, and nothing is written', async () => {
  const { requests } = await operator().run('refs folders 1 --used-by', { through: listsOnly })
  expect(requests).toEqual(['GET /api/user/folders?per_page=100', 'GET /api/user/assistants/get?per_page=100'])
})

test('a Parley server searches for the references to a resource with one request', async () => {
  const { requests } = await operator().run('refs folders 1 --used-by')
  expect(requests).toEqual(['GET /api/user/folders?per_page=100', 'GET /api/user/references?kind=folders&id=1'])
})

describe('an automation', () => {
  const flow = `automate create --name Writer --confirm-side-effects --flow '${JSON.stringify({
    trigger: {
      name: 'trigger',
      type: 'PIECE_TRIGGER',
      settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: { authType: 'none' } },
    },
    steps: [
      {
        type: 'PIECE',
        displayName: 'Tell them',
        settings: {
          pieceName: '@platform/piece-voice',
          actionName: 'sendSms',
          input: { from: 4, to: '+14155550111', body: 'Hi' },
        },
      },
      {
        type: 'PIECE',
        displayName: 'Write',
        settings: {
          pieceName: '@platform/piece-voice',
          actionName: 'addLead',
          input: { campaign: '{{trigger.body.campaign}}', phone_number: '+14155550111', variables: {} },
        },
      },
    ],
  })}'`

  test('has references in its steps, and an expression is reported as unknown', async () => {
    const { run, json } = operator()
    await run(flow)
    expect(brief(await json('refs automations Writer'))).toEqual([
      'uses numbers 4 step_1.from present',
      'uses campaigns null step_2.campaign unknown',
    ])
    const used: Row[] = await json('refs numbers 4 --used-by')
    expect(used.find(({ noun }) => noun === 'automate')).toMatchObject({
      field: 'step_1.from',
      loss: 'The automation "Writer" fails at "Tell them".',
    })
    expect((await json('refs campaigns 1')).find(({ noun }: Row) => noun === 'automate')).toMatchObject({
      state: 'unknown',
      name: 'Writer: {{trigger.body.campaign}}',
    })
  })

  test('is referenced by the URL of its webhook', async () => {
    const by = operator()
    const [{ id }] = await by.json('automate list')
    await by.run(`tools update 1 --endpoint https://platform.example/automate/api/v1/webhooks/${id}/sync`)
    expect(await by.json('refs automate "Opening hours"')).toMatchObject([
      {
        noun: 'tools',
        id: 1,
        field: 'endpoint',
        live: true,
        loss: 'The tool "lookup_patient" (1) no longer gets a response from it.',
      },
    ])
    expect(brief(await by.json('refs tools 1 --uses'))).toEqual([`uses automate ${id} endpoint present`])
  })
})

test('a missing referenced resource is reported as missing', async () => {
  const options = altered({ [at.assistants]: item(1, { tool_ids: [99] }) })
  const rows: Row[] = await operator().json('refs assistants 1 --uses', options)
  expect(rows.find(({ field }) => field === 'tool_ids[0]')).toMatchObject({ id: 99, name: null, state: 'missing' })
})

test.each([403, 501])('a list that answers %d is reported and not treated as empty', async (status) => {
  const { run } = operator()
  const through = withoutCapability('reference-search', withheld(status, at.campaigns).through)
  const ran = await run('refs numbers 4', { through })
  expect(ran.exitCode).toBe(0)
  expect(ran.stdout).toContain('Front desk')
  expect(ran.stderr).toMatch(
    status === 403
      ? /^warning: Could not be read: campaigns \(.+\)\. References in them are not listed\.$/m
      : /^Not checked, because the platform does not list them: campaigns\.$/m,
  )
  const own = await run('refs numbers 4', withheld(status, at.numbers))
  expect(own).toMatchObject({ exitCode: status === 403 ? 3 : 8, stdout: '' })
})

test('a missing argument is picked on a terminal, and reported elsewhere', async () => {
  const { run } = operator()
  const picked = await run('refs tools', { answers: [['Which tool?', 'lookup_patient (1)']] })
  expect(picked).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Front desk') })
  expect(await run('refs tools')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('List tools: parley tools list.'),
  })
})

test('a missing resource, an unknown noun and both directions at once are errors', async () => {
  const { run } = operator()
  expect(await run('refs tools nobody')).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining('No tool "nobody" found.'),
  })
  expect(await run('refs numbres 4')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('parley refs numbers'),
  })
  expect(await run('refs tools 1 --uses --used-by')).toMatchObject({ exitCode: 2 })
  const twice = altered({
    [at.tools]: (body: Body) => void body.map((it: Body) => Object.assign(it, { name: 'same' })),
  }) satisfies RunOptions
  expect(await run('refs tools same', twice)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('Several tools are named "same": 1, 2, 3, 4.'),
  })
})
