import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { code, hook, http, respond } from '../../../support/flow-definitions.ts'
import { operator } from '../../../support/operator.ts'

const by = operator({ lasts: 'file' })
const write = (name: string, it: unknown): void => writeFileSync(join(by.cwd, name), JSON.stringify(it))
const piece = (pieceName: string, actionName: string, input: object = {}, more: object = {}) => ({
  type: 'PIECE',
  settings: { pieceName: `@activepieces/piece-${pieceName}`, actionName, input, ...more },
})
const loop = (items: string, first: object, more: object = {}) => ({
  type: 'LOOP_ON_ITEMS',
  settings: { items },
  firstLoopAction: first,
  ...more,
})

describe('a definition with pieces that Parley does not have', () => {
  const foreign = {
    name: 'Foreign',
    flow: {
      trigger: {
        type: 'PIECE_TRIGGER',
        settings: { pieceName: '@activepieces/piece-hubspot', triggerName: 'new-contact', input: {} },
      },
      steps: [
        { ...piece('serp-api', 'google_search', { query: "{{trigger['email']}}" }), name: 'search' },
        { ...piece('google-sheets', 'get_next_rows'), name: 'rows' },
        {
          ...loop("{{search['results']}}", {
            ...code('inputs.title.length', { title: "{{each['item']['title']}}" }),
            name: 'size',
          }),
          name: 'each',
        },
        {
          name: 'many',
          type: 'BRANCH',
          settings: {
            conditions: [[{ firstValue: "{{search['count']}}", operator: 'NUMBER_IS_GREATER_THAN', secondValue: '0' }]],
          },
          onSuccessAction: { ...code('inputs.to', { to: "{{trigger['email']}}" }), name: 'chosen' },
        },
      ],
    },
  }

  test('is linted: each unknown piece with its replacement, and all other steps', async () => {
    write('foreign.json', {
      ...foreign,
      flow: { ...foreign.flow, steps: [...foreign.flow.steps, code('1', { x: "{{nobody['x']}}" })] },
    })
    const { exitCode, stdout } = await by.run('automate lint --file foreign.json --json')
    expect(exitCode).toBe(20)
    const found = JSON.parse(stdout)
    expect(found.filter((it: { rule: string }) => it.rule === 'unknown-piece')).toMatchObject([
      {
        step: 'trigger',
        level: 'error',
        piece: '@activepieces/piece-hubspot',
        message: expect.stringContaining('Use piece-webhook catch_webhook instead'),
      },
      {
        step: 'search',
        level: 'error',
        piece: '@activepieces/piece-serp-api',
        message: expect.stringContaining('Use piece-http send_request'),
      },
      {
        step: 'rows',
        message: expect.stringContaining(
          'has no action "get_next_rows". Available: insert_row, update_row, delete_row, find_rows.',
        ),
      },
    ])
    expect(found).toContainEqual(expect.objectContaining({ rule: 'unknown-step', piece: null }))
  })

  test('is tested with the outputs of --mock', async () => {
    write('foreign.json', foreign)
    write('search.json', { count: 2, results: [{ title: 'ab' }, { title: 'abcd' }] })
    const { steps, status } = await by.json(
      `automate test --file foreign.json --mock 'trigger={"email": "ada@a.test"}' --mock search=@search.json --mock rows=[]`,
    )
    expect(status).toBe('SUCCEEDED')
    expect(
      steps.map((step: { path: string; status: string; output: unknown }) => [
        step.path,
        step.status,
        step.path === 'search' ? null : step.output,
      ]),
    ).toEqual([
      ['search', 'MOCKED', null],
      ['rows', 'MOCKED', []],
      ['each', 'SUCCEEDED', expect.anything()],
      ['each[1]/size', 'SUCCEEDED', 2],
      ['each[2]/size', 'SUCCEEDED', 4],
      ['many', 'SUCCEEDED', { condition: true }],
      ['chosen', 'SUCCEEDED', 'ada@a.test'],
    ])
  })

  test('is tested with outputs generated from what later steps read', async () => {
    write('foreign.json', foreign)
    const { exitCode, stdout, stderr } = await by.run('automate test --file foreign.json --mock-unknown --json')
    expect(exitCode).toBe(0)
    const { steps, status } = JSON.parse(stdout)
    expect(status).toBe('SUCCEEDED')
    expect(steps).toContainEqual(
      expect.objectContaining({
        name: 'search',
        status: 'GENERATED',
        output: { results: [{ title: 'sample title' }], count: 1 },
      }),
    )
    expect(steps).toContainEqual(expect.objectContaining({ name: 'chosen', output: 'sample@example.com' }))
    expect(stderr).toContain(
      'Generated outputs: search (piece-serp-api google_search), rows (piece-google-sheets get_next_rows)',
    )
  })

  test('is tested with a mix of both: --mock takes precedence', async () => {
    write('foreign.json', foreign)
    const { steps } = await by.json(
      `automate test --file foreign.json --mock-unknown --mock 'search={"results": [], "count": 0}' --sample '{"email": "x"}'`,
    )
    expect(steps.map((it: { name: string; status: string }) => [it.name, it.status])).toEqual([
      ['search', 'MOCKED'],
      ['rows', 'GENERATED'],
      ['each', 'SUCCEEDED'],
      ['many', 'SUCCEEDED'],
    ])
  })

  test('is not tested without them: exit 2 names each step and both options', async () => {
    write('foreign.json', foreign)
    const { exitCode, stderr } = await by.run('automate test --file foreign.json --mock rows=[]')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('foreign.json uses pieces that Parley does not have:')
    expect(stderr).toContain('trigger (piece-hubspot new-contact):')
    expect(stderr).toContain('search (piece-serp-api google_search):')
    expect(stderr).not.toContain('rows (')
    expect(stderr).toContain('--mock trigger=@output.json, or add --mock-unknown')
  })

  test.each(['create', 'update "Opening hours"'])('is refused by %s with the list and a fix', async (verb) => {
    write('foreign.json', foreign)
    const { exitCode, stderr, stdout } = await by.run(`automate ${verb} --file foreign.json`)
    expect({ exitCode, stdout }).toEqual({ exitCode: 6, stdout: '' })
    expect(stderr).toContain(
      'It uses actions or triggers that Parley does not have: @activepieces/piece-google-sheets get_next_rows. It uses pieces that Parley does not have: @activepieces/piece-hubspot, @activepieces/piece-serp-api.',
    )
    expect(stderr).toContain('search (piece-serp-api google_search): Unknown piece')
    expect(stderr).toContain('set skip: true on them')
    expect(stderr).toContain('--mock-unknown')
  })

  test('is compared with what is live', async () => {
    write('foreign.json', foreign)
    expect(await by.run('automate diff "Opening hours" --file foreign.json')).toMatchObject({
      exitCode: 20,
      stdout: expect.stringContaining('+ search'),
    })
  })
})

test('a request that is not sent gets a generated response with --mock-unknown, and an empty one without', async () => {
  write('asks.json', {
    trigger: hook,
    steps: [
      http('GET', 'https://a.test/'),
      {
        ...loop("{{step_1['body']['rows']}}", {
          ...code('inputs.id', { id: "{{step_2['item']['id']}}" }),
          name: 'inner',
        }),
        name: 'step_2',
      },
    ],
  })
  expect(await by.run('automate test --file asks.json')).toMatchObject({ exitCode: 20 })
  expect(await by.run('automate test --file asks.json --mock-unknown')).toMatchObject({ exitCode: 0, requests: [] })
})

test('blank inputs of an export do not stop a test with --mock-unknown, and are listed', async () => {
  const mail = {
    ...piece('gmail', 'send_email', { receiver: ['text 1'], subject: '', body: '', body_type: 'text 2' }),
    name: 'mail',
  }
  write('blank.json', { name: 'x', flows: [{ displayName: 'x', trigger: { ...hook, nextAction: mail } }] })
  const { exitCode, stderr } = await by.run('automate test --file blank.json --mock-unknown')
  expect(exitCode).toBe(0)
  expect(stderr).toContain('mail (piece-gmail send_email): settings.input.body_type: Must be one of plain_text, html.')
  expect(await by.run('automate test --file blank.json')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('mail (piece-gmail send_email)'),
  })
})

describe('a skipped step', () => {
  const broken = [
    { ...piece('slack', 'send_channel_message'), name: 'unknown', skip: true },
    {
      type: 'CODE',
      name: 'unreadable',
      skip: true,
      settings: { sourceCode: { code: 'export const code = (' }, input: { x: "{{nobody['x']}}" } },
    },
    { type: 'ROUTER', name: 'ways', skip: true, settings: { branches: [], executionType: 'SOMETHING' }, children: [] },
    { ...loop('', { ...http('POST', 'https://a.test/'), name: 'inside' }), name: 'loop', skip: true },
    { ...http('POST', ''), name: 'sends', skip: true },
  ]

  test('is not validated, and neither are the steps inside it', async () => {
    write('skipped.json', { name: 'Skips', trigger: hook, steps: [...broken, respond({ ok: true })] })
    const { stdout } = await by.run('automate lint --file skipped.json --json')
    expect(JSON.parse(stdout).map((it: { rule: string; step: string }) => [it.rule, it.step])).toEqual(
      ['unknown', 'unreadable', 'ways', 'loop', 'sends'].map((step) => ['skipped', step]),
    )
    expect(await by.run('automate test --file skipped.json')).toMatchObject({ exitCode: 0 })
  })

  test('neither requires confirmation nor runs when the automation is created', async () => {
    write('skipped.json', { name: 'Skips', trigger: hook, steps: [...broken, respond({ ok: true })] })
    expect(await by.json('automate create --file skipped.json')).toMatchObject({
      status: 'active',
      test: { steps: [{ status: 'SUCCEEDED' }] },
    })
  })

  test('that is a branch or loop skips all its inner steps', async () => {
    const way = (value: string) => ({
      branchType: 'CONDITION',
      branchName: value,
      conditions: [[{ firstValue: value, operator: 'EXISTS' }]],
    })
    const router = {
      type: 'ROUTER',
      name: 'ways',
      skip: true,
      settings: {
        branches: [way('a'), way('b'), { branchType: 'FALLBACK', branchName: 'else' }],
        executionType: 'EXECUTE_ALL_MATCH',
      },
      children: [
        { ...code('1'), name: 'a' },
        { ...code('2'), name: 'b' },
        { ...code('3'), name: 'c' },
      ],
    }
    write('ways.json', { trigger: hook, steps: [router, { ...code('4'), name: 'after' }] })
    expect((await by.json('automate test --file ways.json')).steps.map((it: { name: string }) => it.name)).toEqual([
      'after',
    ])
  })
})

test('steps of editors that name pieces "blocks" are read', async () => {
  const block = {
    name: 'read',
    type: 'BLOCK',
    settings: { blockName: '@openops/block-store', blockVersion: '1', actionName: 'get', input: {} },
  }
  write('blocks.json', {
    name: 'x',
    flow: {
      trigger: {
        name: 'trigger',
        type: 'TRIGGER',
        settings: { blockName: '@openops/block-webhook', triggerName: 'x', input: {} },
        nextAction: block,
      },
    },
  })
  const { stderr } = await by.run('automate create --file blocks.json')
  expect(stderr).toContain('@openops/block-webhook, @openops/block-store')
  expect(await by.run('automate test --file blocks.json --mock-unknown')).toMatchObject({ exitCode: 0 })
})
