import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { code, event, hook } from '../../../../support/flow-definitions.ts'
import { type Operator, operator } from '../../../../support/operator.ts'

const by = operator({ lasts: 'file' })
const write = (name: string, content: unknown, at: Operator = by): void =>
  writeFileSync(join(at.cwd, name), name.endsWith('.yaml') ? stringify(content) : JSON.stringify(content))

const steps = [
  {
    ...code('inputs.name', { name: "{{trigger['body']['name']}}" }),
    name: 'step_1',
    displayName: 'Shape',
    valid: true,
  },
]
const nested = { ...hook, name: 'trigger', displayName: 'Called', valid: true, nextAction: steps[0] }
const exported = { displayName: 'Inner name', schemaVersion: '16', valid: true, notes: [], trigger: nested }

const shapes: readonly (readonly [title: string, document: unknown, name: string | undefined])[] = [
  ['fields of a request', { name: 'Request', flow: { trigger: hook, steps } }, 'Request'],
  ['fields of a request and a nested definition', { name: 'Nested', flow: { trigger: nested } }, 'Nested'],
  ['a definition', { trigger: hook, steps }, undefined],
  ['a definition with a name', { name: 'Named', trigger: hook, steps }, 'Named'],
  ['a trigger alone', nested, undefined],
  ['a trigger alone of another editor', { ...nested, type: 'PIECE_TRIGGER', stepIndex: 1 }, undefined],
  [
    'what get prints',
    {
      id: 'a'.repeat(21),
      name: 'Read',
      status: 'disabled',
      updated_at: '2026-08-04T12:00:00.000Z',
      definition: nested,
      binding: null,
    },
    'Read',
  ],
  [
    'an answer of get',
    {
      data: {
        id: 'a'.repeat(21),
        name: 'Answer',
        status: 'enabled',
        updated_at: '2026-08-04T12:00:00.000Z',
        definition: nested,
        binding: null,
      },
    },
    'Answer',
  ],
  ['what pull writes', { name: 'Pulled', enabled: true, flow: { trigger: hook, steps } }, 'Pulled'],
  [
    'a template with flows',
    {
      id: 'x',
      name: 'Template',
      type: 'SHARED',
      tags: [{ title: 'a', color: '#fff' }],
      categories: [],
      metadata: null,
      tables: [],
      flows: [exported],
    },
    'Template',
  ],
  [
    'an older template',
    {
      name: 'Older',
      description: 'd',
      template: exported,
      pieces: ['@engine/piece-webhook'],
      blogUrl: '',
      pinned: false,
    },
    'Older',
  ],
  ['a single export', { name: 'Single', flow: exported }, 'Single'],
  [
    'a version',
    { id: 'x', status: 'ENABLED', publishedVersionId: 'y', version: { ...exported, connectionIds: [] } },
    'Inner name',
  ],
  ["a request to import it, for an editor's API", { type: 'IMPORT_FLOW', request: exported }, 'Inner name'],
  [
    'a trigger with a list of actions',
    { displayName: 'Actions', trigger: hook, actions: steps, schemaVersion: '1' },
    'Actions',
  ],
  ['a flow without anything around it', exported, 'Inner name'],
  ['a list with one flow', [exported], 'Inner name'],
  [
    'a page of flows with one in it',
    { data: [{ id: 'x', status: 'ENABLED', version: exported }], next: null, previous: null },
    'Inner name',
  ],
]

describe.each(shapes)('%s', (title, document, name) => {
  const file = `${title.replaceAll(/\W+/g, '-')}.json`

  test('is linted, tested and created', async () => {
    write(file, document)
    expect(await by.run(`automate lint --file ${file}`), 'lint').toMatchObject({ exitCode: 0, requests: [] })
    expect(await by.run(`automate test --file ${file} --sample '{"name": "Ada"}'`), 'test').toMatchObject({
      exitCode: 0,
      requests: [],
    })
    const made = await by.json(`automate create --file ${file} ${name === undefined ? '--name Given' : ''}`)
    expect(made).toMatchObject({ status: 'active' })
    expect(await by.json(`automate get ${made.automation_id}`)).toMatchObject({
      name: name ?? 'Given',
      definition: { nextAction: { name: 'step_1' } },
    })
    expect((await by.run(`automate diff ${made.automation_id} --file ${file}`)).exitCode).toBe(0)
  })

  test('replaces a definition, as YAML too', async () => {
    write('other.yaml', document)
    write('before.json', { name: 'Before', flow: { trigger: hook, steps: [code('1', {})] } })
    const { automation_id: id } = await by.json('automate create --file before.json')
    const { exitCode, stderr } = await by.run(`automate update ${id} --file other.yaml`)
    expect(exitCode, stderr).toBe(0)
    const renames = ['Request', 'Nested', 'Named', 'Read', 'Answer', 'Pulled'].includes(name ?? '')
    expect(await by.json(`automate get ${id}`)).toMatchObject({
      name: renames ? name : 'Before',
      definition: { nextAction: { displayName: 'Shape' } },
    })
  })
})

test('the output of get can be sent unchanged, and -v lists what is not sent', async () => {
  const at = operator()
  const { stdout } = await at.run('automate get "Opening hours" --json')
  writeFileSync(join(at.cwd, 'read.json'), stdout)
  const { exitCode, stderr } = await at.run('automate update "Opening hours" --file read.json -v')
  expect(exitCode, stderr).toBe(0)
  expect(stderr).toContain('Not sent, read-only: id, status, updated_at, binding, webhook_url, live_version.')
})

describe('an assistant in a file', () => {
  const bound = event('newConversation')
  const bindings = [
    ['fields of a request move the automation', { assistant_id: 2, flow: { trigger: bound, steps } }, 2],
    ['what get prints does not', { id: 'a'.repeat(21), definition: { ...nested, ...bound }, assistant_id: 2 }, 1],
    [
      'an answer of get does not',
      { data: { id: 'a'.repeat(21), definition: { ...nested, ...bound }, binding: { assistant_id: 2 } } },
      1,
    ],
  ] as const
  test.each(bindings)('%s', async (_, document, assistant) => {
    const at = operator()
    write('before.json', { trigger: bound, steps: [code('1', {})] }, at)
    write('moved.json', document, at)
    const { automation_id: id } = await at.json('automate create --name Bound --file before.json --assistant-id 1')
    const { exitCode, stderr } = await at.run(`automate update ${id} --file moved.json --yes`)
    expect(exitCode, stderr).toBe(0)
    expect(await at.json(`automate get ${id}`)).toMatchObject({
      binding: { assistant_id: assistant },
      definition: { nextAction: { displayName: 'Shape' } },
    })
  })
})

describe('a file with several flows', () => {
  const file = {
    name: 'Collection',
    flows: [exported, { ...exported, displayName: 'Second' }, { ...exported, displayName: 'second' }],
  }

  test.each(['lint', 'test', 'create', 'update "Opening hours"', 'diff "Opening hours"'])(
    'is exit 2 with the list, for %s',
    async (verb) => {
      write('several.json', file)
      const { exitCode, stderr } = await by.run(`automate ${verb} --file several.json`)
      expect(exitCode).toBe(2)
      expect(stderr).toMatch(/several.json contains 3 flows:\n +1 {2}Inner name\n +2 {2}Second\n +3 {2}second/)
      expect(stderr).toContain('--flow <name|number>')
    },
  )

  test.each(['2', 'Second', '"inner NAME"'])('uses the one that --flow %s names', async (flow) => {
    write('several.json', file)
    expect(await by.run(`automate lint --file several.json --flow ${flow}`)).toMatchObject({ exitCode: 0 })
    expect(await by.run(`automate test --file several.json --flow ${flow}`)).toMatchObject({ exitCode: 0 })
    expect(await by.json(`automate create --file several.json --flow ${flow}`)).toMatchObject({ status: 'active' })
  })

  test('lists them if --flow matches none or two', async () => {
    write('several.json', file)
    expect((await by.run('automate lint --file several.json --flow Third')).stderr).toMatch(
      /several.json has no flow "Third". Its flows:\n +1 {2}Inner name/,
    )
    expect((await by.run('automate lint --file several.json --flow SECOND')).stderr).toContain(
      '2 flows of several.json are named "SECOND"',
    )
  })

  test('prompts for one on a terminal', async () => {
    write('several.json', file)
    const { exitCode, stderr } = await by.run('automate lint --file several.json', {
      answers: [['Which flow?', 'Second']],
    })
    expect(exitCode).toBe(0)
    expect(stderr).toContain('--flow 2')
  })

  test('names a new automation after the flow, not the collection', async () => {
    const at = operator()
    write('several.json', file, at)
    const { automation_id } = await at.json('automate create --file several.json --flow 2')
    expect(await at.json(`automate get ${automation_id}`)).toMatchObject({ name: 'Second' })
  })
})

describe('a file that holds no automation', () => {
  test.each([
    [
      'an n8n workflow',
      { name: 'x', nodes: [], connections: {} },
      'an n8n workflow, an object with name, nodes, connections',
    ],
    [
      'a tool',
      { name: 'x', endpoint: 'https://a.test', method: 'GET' },
      'a mid-call tool, an object with name, endpoint, method',
    ],
    ['an empty list', [], 'an empty list'],
    ['an export without flows', { name: 'x', flows: [] }, 'an object with name, flows'],
  ])('is described in the error: %s', async (_, document, what) => {
    write('other.json', document)
    for (const verb of ['lint', 'test', 'create', 'update "Opening hours"', 'diff "Opening hours"']) {
      const { exitCode, stderr } = await by.run(`automate ${verb} --file other.json`)
      expect(exitCode, verb).toBe(2)
      expect(stderr, verb).toContain(`other.json contains no automation. It is ${what}`)
      expect(stderr).toContain('Accepted: {name, flow: {trigger, steps}}')
    }
  })
})

test('a file of another user does not confirm side effects', async () => {
  const send = {
    type: 'PIECE',
    name: 'step_1',
    settings: {
      pieceName: '@engine/piece-http',
      actionName: 'send_request',
      input: { method: 'POST', url: 'https://a.test/' },
    },
  }
  write('sending.json', {
    name: 'Sends',
    confirm_side_effects: true,
    flows: [{ ...exported, trigger: { ...nested, nextAction: send } }],
  })
  expect(await by.run('automate create --file sending.json')).toMatchObject({ exitCode: 10 })
})

describe('a pulled file', () => {
  test('can be created, linted, tested and compared with names in place of ids', async () => {
    const at = operator()
    const [{ id, name }] = await at.json('assistants list')
    const flow = { trigger: event('phoneCallEnded', { assistant: name }), steps: [code('1', {})] }
    write('pulled.yaml', { name: 'After calls', enabled: true, assistant_id: name, flow }, at)
    expect(await at.run('automate lint --file pulled.yaml')).toMatchObject({ exitCode: 0, requests: [] })
    expect(await at.run('automate test --file pulled.yaml')).toMatchObject({ exitCode: 0, requests: [] })
    const made = await at.json('automate create --file pulled.yaml')
    expect(made).toMatchObject({ status: 'active', binding: { type: 'post_call', assistant_id: id } })
    expect((await at.run(`automate diff ${made.automation_id} --file pulled.yaml`)).exitCode).toBe(0)
    expect((await at.run(`automate update ${made.automation_id} --file pulled.yaml`)).exitCode).toBe(0)
    write('wrong.yaml', { name: 'x', assistant_id: 'Nobody at all', flow }, at)
    expect(await at.run('automate create --file wrong.yaml')).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('"Nobody at all"'),
    })
  })

  test('with enabled: false creates a disabled automation', async () => {
    const at = operator()
    write('off.yaml', { name: 'Off', enabled: false, flow: { trigger: hook, steps } }, at)
    const { exitCode, stderr } = await at.run('automate create --file off.yaml')
    expect(exitCode).toBe(0)
    expect(stderr).toContain('Disabled, because the file has enabled: false.')
    expect((await at.json('automate list')).find((it: { name: string }) => it.name === 'Off')).toMatchObject({
      status: 'disabled',
    })
  })
})
