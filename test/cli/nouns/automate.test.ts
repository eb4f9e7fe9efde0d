import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { notParleyServer } from '../../support/altered-responses.ts'
import { code, delay, hook, http, respond } from '../../support/flow-definitions.ts'
import { type Operator, operator } from '../../support/operator.ts'

const greet = (words: string) => ({
  trigger: hook,
  steps: [
    code('({ hello: inputs.name })', { name: "{{trigger['body']['name']}}" }),
    respond({ text: `${words} {{step_1['hello']}}` }),
  ],
})
const failing = { trigger: hook, steps: [code('inputs.missing.field', { x: "{{trigger['body']['x']}}" })] }
const sending = { trigger: hook, steps: [{ ...http('POST', 'https://a.test/note'), displayName: 'Write a note' }] }

function withFiles(files: Readonly<Record<string, unknown>>): Operator {
  const by = operator()
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(by.cwd, name), typeof content === 'string' ? content : JSON.stringify(content))
  return by
}

/** The statuses of the automations of these names. */
const statuses = async (json: Operator['json'], ...names: readonly string[]): Promise<string[]> =>
  (await json('automate list'))
    .filter((it: { name: string }) => names.includes(it.name))
    .map((it: { status: string }) => it.status)

const idIn = (stdout: string): string => /Id: (\w+)$/m.exec(stdout)?.[1] ?? ''

describe('automations', () => {
  test('are created from a definition alone, tested, and live immediately', async () => {
    const { run, json } = withFiles({ 'flow.json': greet('Hello') })
    const made = await run('automate create --name Greeting --file flow.json --sample \'{"name": "Ada"}\'')
    expect(made).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Automation created, tested and live\. Id: \w{21}\n$/),
    })
    expect(made.stderr).toContain(`/automate/api/v1/webhooks/${idIn(made.stdout)}`)
    expect(await json('automate list')).toContainEqual({
      id: idIn(made.stdout),
      name: 'Greeting',
      status: 'enabled',
      binding: null,
      last_run: null,
      recent_runs: 0,
      recent_failures: 0,
    })
    expect(await json('automations get Greeting')).toMatchObject({
      name: 'Greeting',
      definition: { nextAction: { name: 'step_1' } },
    })
  })

  test('whose test ends at a step that waits are not called tested, and the local test runs them to the end', async () => {
    const waiting = (text: string) => ({ trigger: hook, steps: [delay({ unit: 'hours', delayFor: 2 }), code(text)] })
    const { run } = withFiles({ 'flow.json': waiting('1'), 'other.json': waiting('2') })
    const ended = 'Its test ended at step_1, which waits: what follows was not tested.'
    const made = await run('automate create --name Reminder --file flow.json')
    const id = idIn(made.stdout)
    expect(made).toMatchObject({ exitCode: 0, stdout: `Automation created and live. ${ended} Id: ${id}\n` })
    const hint = `To run it to its end without sending anything: parley automate test ${id}`
    expect(made.stderr).toContain(hint)
    const updated = await run('automate update Reminder --file other.json')
    expect(updated.stdout).toBe(`Automation updated and live (version 2). ${ended} Id: ${id}\n`)
    expect(updated.stderr).toContain(hint)
    await run('automate disable Reminder')
    expect((await run('automate update Reminder --file flow.json')).stdout).toBe(
      `Automation updated (version 3). ${ended} It stays disabled. Id: ${id}\n`,
    )
    const local = await run(`automate test ${id}`)
    expect(local.stdout).toContain('Test passed. Nothing was sent.')
    const [test_] = JSON.parse((await run('automate runs list Reminder --test --json')).stdout)
    expect((await run(`automate runs get ${test_.id}`)).stdout).toContain('paused (a test ends where it waits)')
  })

  test('are created from a document with a name, and YAML numbers are read as numbers', async () => {
    const { run, json } = withFiles({
      'automation.yaml': `name: Waiting
flow:
  trigger: { name: trigger, type: PIECE_TRIGGER, settings: { pieceName: "@engine/piece-webhook", triggerName: catch_webhook, input: { authType: none } } }
  steps:
    - { type: PIECE, settings: { pieceName: "@engine/piece-delay", actionName: delayFor, input: { unit: hours, delayFor: 2 } } }
`,
      'flow.yaml': `trigger: { name: trigger, type: PIECE_TRIGGER, settings: { pieceName: "@engine/piece-webhook", triggerName: catch_webhook, input: { authType: none } } }
steps:
  - { type: PIECE, settings: { pieceName: "@engine/piece-delay", actionName: delayFor, input: { unit: hours, delayFor: 3 } } }
`,
    })
    expect(await json('automate create --file automation.yaml')).toMatchObject({
      status: 'active',
      test: { run_status: 'PAUSED' },
    })
    expect(await json('automate create --name Longer --file flow.yaml')).toMatchObject({ status: 'active' })
    const hours = async (name: string) =>
      (await json(`automate get ${name}`)).definition.nextAction.settings.input.delayFor
    expect([await hours('Waiting'), await hours('Longer')]).toEqual([2, 3])
    expect(await run('automate create --file flow.yaml')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Missing --name'),
    })
  })

  test('that fail their test are disabled: exit 20, with the step and the error', async () => {
    const { run, json } = withFiles({ 'flow.json': failing })
    const made = await run('automate create --name Broken --file flow.json')
    expect(made).toMatchObject({
      exitCode: 20,
      stdout: expect.stringMatching(/its test failed\. The automation is disabled\. Id: \w{21}\n$/),
    })
    expect(made.stderr).toContain('step_1 failed: ')
    expect(made.stderr).toContain(`Next: parley automate runs list ${idIn(made.stdout)}`)
    expect(made.stderr).toContain(
      `To repair it: parley automate update ${idIn(made.stdout)} --file <file>, with --sample <json> for other trigger input. Creating it again makes a second automation.`,
    )
    const asJson = await run('automate create --name Again --file flow.json --json')
    expect(asJson.exitCode).toBe(20)
    expect(JSON.parse(asJson.stdout)).toMatchObject({ status: 'test_failed', test: { run_status: 'FAILED' } })
    expect(await statuses(json, 'Broken', 'Again')).toEqual(['disabled', 'disabled'])
    expect(await json('automate runs Broken')).toMatchObject([{ status: 'FAILED' }])
    expect(await json('automate runs Broken --run last')).toMatchObject({
      status: 'FAILED',
      steps: [{ name: 'step_1', classification: 'wiring_error' }],
    })
    const shown = await run('automate runs Broken --run last')
    expect(shown.stdout).toMatch(/^step_1 "Compute" \(CODE\) {2}failed, \d+ ms\n {2}Error {5}/m)
    const retried = await run('automate retry Broken --json')
    expect([retried.exitCode, JSON.parse(retried.stdout)]).toMatchObject([20, { status: 'FAILED' }])
    expect(await run('automate retry Broken --run nobody')).toMatchObject({ exitCode: 4 })
  })

  test('with steps that send real messages require confirmation: exit 10 names them, a terminal asks', async () => {
    const { run, json } = withFiles({ 'flow.json': sending })
    const line = 'automate create --name Note --file flow.json'
    const refused = await run(`${line} --yes`)
    expect(refused).toMatchObject({ exitCode: 10, stdout: '' })
    expect(refused.stderr).toMatch(/Write a note[\s\S]*--confirm-side-effects/)
    const asked = 'Run these steps with real effects in the test, and enable the automation?'
    expect(await run(line, { answers: [[asked, false]] })).toMatchObject({
      exitCode: 10,
      stderr: expect.stringContaining('Write a note'),
    })
    expect(await statuses(json, 'Note')).toEqual([])
    const bodies: { confirm_side_effects?: boolean }[] = []
    await run(line, {
      answers: [[asked, true]],
      through: (handle, request) => {
        if (request.method === 'POST') bodies.push(JSON.parse(String(request.body)))
        return request.method === 'POST' && bodies.length > 1
          ? Promise.resolve({ status: 422, headers: {}, body: '{}' })
          : handle(request)
      },
    })
    expect(bodies.map((it) => it.confirm_side_effects)).toEqual([undefined, true])
  })

  test('are renamed, disabled, enabled, updated and deleted', async () => {
    const { run, json } = withFiles({ 'flow.json': greet('Hello'), 'other.json': greet('Bye') })
    await json('automate create --name Greeting --file flow.json')
    expect(await json('automate update Greeting --name Morning')).toMatchObject({ name: 'Morning', updated: true })
    expect((await run('automate disable Morning')).stdout).toMatch(/^Automation updated\. It is disabled\. Id: \w+\n$/)
    expect((await run('automate disable Morning')).stdout).toMatch(/^No changes\./)
    expect(await json('automate enable Morning')).toMatchObject({ status: 'enabled', updated: true })
    expect((await run('automate update Morning --file other.json')).stdout).toMatch(
      /^Automation updated, tested, and live \(version 2\)\./,
    )
    expect(JSON.stringify(await json('automate get Morning'))).toContain('Bye')
    expect(await run('automate update Morning')).toMatchObject({ exitCode: 2 })
    expect(await run('automate delete Morning')).toMatchObject({ exitCode: 10 })
    expect(await json('automate delete Morning --yes')).toMatchObject({ message: 'Automation deleted successfully' })
    expect(await run('automate get Morning')).toMatchObject({ exitCode: 4 })
  })

  test('show their steps as a tree, and secrets only with --unmask', async () => {
    const keyed = {
      trigger: hook,
      steps: [http('GET', 'https://a.test/', { headers: { Authorization: 'Bearer abcdef' } })],
    }
    const branch = {
      type: 'BRANCH',
      displayName: 'Known?',
      settings: { conditions: [[{ operator: 'EXISTS', firstValue: '1' }]] },
      onSuccessAction: code('1'),
      onFailureAction: code('2'),
    }
    const { run } = withFiles({ 'flow.json': { trigger: hook, steps: [branch] }, 'keyed.json': keyed })
    expect(await run('automate create --name Tree --file flow.json')).toMatchObject({ exitCode: 0 })
    const { stdout } = await run('automate get Tree')
    const tree = stdout.slice(stdout.indexOf('trigger:'))
    expect(tree).toMatch(
      /^trigger: .*\nstep_1: Known\? \(BRANCH\)\n {2}on success:\n {4}step_\d: Compute \(CODE\)\n {2}on failure:\n {4}step_\d: Compute \(CODE\)\n$/,
    )
    await run('automate create --name Keyed --file keyed.json')
    expect((await run('automate get Keyed --json')).stdout).not.toContain('abcdef')
    expect((await run('automate get Keyed --json --unmask')).stdout).toContain('abcdef')
  })
})

describe('checking a definition', () => {
  test('needs no platform: exit 20 names the step and the error, 0 means no problems', async () => {
    const { run } = withFiles({
      'good.json': greet('Hello'),
      'bad.json': {
        trigger: hook,
        steps: [{ type: 'PIECE', settings: { pieceName: '@engine/piece-nothing', actionName: 'x' } }],
      },
    })
    expect(await run('automate lint --file good.json')).toMatchObject({ exitCode: 0, requests: [] })
    const bad = await run('automate lint --file bad.json --json')
    expect(bad).toMatchObject({ exitCode: 20, requests: [] })
    expect(JSON.parse(bad.stdout)).toMatchObject([{ level: 'error', step: 'step_1' }])
    expect(await run('automate lint')).toMatchObject({ exitCode: 2 })
  })
})

test.each([
  ['automate test a.yaml', 'parley automate test --file a.yaml'],
  ['automate diff a.json', 'parley automate diff <automation> --file a.json'],
])('%s, where a file takes a flag, names it', async (line, hint) => {
  expect(await operator().run(line)).toMatchObject({
    exitCode: 4,
    stderr: expect.stringContaining(`found.\nhint: To read a file: ${hint}\n`),
  })
})

describe('restoring', () => {
  const begin = async (): Promise<Operator> => {
    const by = withFiles({ 'flow.json': greet('Hello'), 'other.json': greet('Bye') })
    await by.json('automate create --name Greeting --file flow.json')
    await by.json('automate update Greeting --file other.json')
    return by
  }

  test('restores the previous version, prints the differences, saves the live version, and can be undone', async () => {
    const { run, json } = await begin()
    const restored = await run('automate restore Greeting --yes')
    expect(restored.exitCode).toBe(0)
    expect(restored.stdout).toMatch(
      /~ step_2 \(Answer\) changed\n {4}settings\.input\.fields\.body\.text: "Bye .*" -> "Hello .*"\n/,
    )
    expect(restored.stderr).toMatch(/Undo: parley automate restore \w{21} --to \d+\n/)
    const [, saved = ''] = /Compare with the replaced version: parley (history diff \d+)\n/.exec(restored.stderr) ?? []
    expect(JSON.stringify(JSON.parse((await run(`${saved} --json`)).stdout))).toMatch(/"copy":.*Bye.*"live":.*Hello/)
    expect(JSON.stringify(await json('automate get Greeting'))).toContain('Hello')
    expect(await json('automate restore Greeting --yes')).toMatchObject({
      name: 'Greeting',
      difference: { added: [], changed: [{ step: 'step_2' }] },
    })
    expect(JSON.stringify(await json('automate get Greeting'))).toContain('Bye')
  })

  test('lists versions: what each one changed, and which one is live', async () => {
    const { run, json } = await begin()
    await run('automate restore Greeting --yes')
    expect(await json('automate versions Greeting')).toMatchObject([
      {
        number: 3,
        live: true,
        restored_from: 1,
        changes: { changed: [{ step: 'step_2', fields: ['settings.input.fields.body.text'] }] },
      },
      { number: 2, live: false, restored_from: null },
      { number: 1, live: false, changes: null },
    ])
    const [, first] = (await run('automate versions Greeting', { env: { TZ: 'UTC' } })).stdout.split('\n')
    expect(first).toMatch(/^3\t.*\tlive, restored from 1\t~ step_2 \(settings\.input\.fields\.body\.text\)\t0\t0$/)
    expect(await json('automate versions Greeting --limit 1')).toHaveLength(1)
    expect(await run('automate versions Greeting --limit 51')).toMatchObject({ exitCode: 2 })
  })

  test('asks for the name of an enabled automation on a terminal, and elsewhere requires --yes or --confirm', async () => {
    const { run } = await begin()
    const asked = /^\[local · simulated\] Restore version \d of .* of "Greeting" \(\w+\)\?/
    expect(await run('automate restore Greeting')).toMatchObject({
      exitCode: 10,
      stderr: expect.stringContaining('--confirm "Greeting"'),
    })
    expect(await run('automate restore Greeting', { answers: [[asked, 'Another']] })).toMatchObject({ exitCode: 10 })
    expect(await run('automate restore Greeting', { answers: [[asked, 'Greeting']] })).toMatchObject({ exitCode: 0 })
    expect(await run('automate restore Greeting --confirm Greeting')).toMatchObject({ exitCode: 0 })
  })

  test('exits with 5 if there is no previous version', async () => {
    const { run, json } = withFiles({ 'flow.json': greet('Hello') })
    await json('automate create --name Greeting --file flow.json')
    expect(await run('automate restore Greeting --yes')).toMatchObject({
      exitCode: 5,
      stdout: '',
      stderr: expect.stringContaining('There is no previous version'),
    })
  })

  test('a draft is not shown where the platform could ignore --draft', async () => {
    const { run } = await begin()
    const refused = await run('automate get Greeting --draft', { through: notParleyServer })
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' })
    expect(refused.requests.filter((it) => it.includes('automate'))).toEqual([])
    expect(refused.stderr).toMatch(
      /capability "when-tested", which --draft of "parley automate get" requires[\s\S]*Remove --draft/,
    )
  })

  test('reports that the draft is restored and not live if it could not be published', async () => {
    const { run, json } = await begin()
    await json('server faults create engine.publish --error automate.publish_failed --times 1')
    const refused = await run('automate restore Greeting --yes')
    expect(refused).toMatchObject({ exitCode: 8, stdout: '' })
    expect(refused.stderr).toMatch(/restored as a draft and is not live[\s\S]*parley automate get \w{21} --draft/)
    expect(JSON.stringify(await json('automate get Greeting'))).toContain('Bye')
    expect(JSON.stringify(await json('automate get Greeting --draft'))).toContain('Hello')
  })
})

describe('connections and events of a local platform', () => {
  test('are created, broken and deleted, and events are fired', async () => {
    const { run, json } = operator()
    expect(await json('server connections create --kind mail')).toMatchObject({
      id: 1,
      kind: 'mail',
      name: 'mail',
      status: 'active',
    })
    expect(await json('server connections break mail')).toMatchObject({ status: 'expired' })
    expect(await json('server connections list')).toMatchObject([{ name: 'mail', status: 'expired' }])
    expect(await json('server connections delete mail --yes')).toMatchObject({ id: 1 })
    expect(await json('events fire conversation_ended --assistant Recall')).toMatchObject({
      kind: 'conversation_ended',
      holder: null,
      run_id: null,
    })
    expect(await run('events fire')).toMatchObject({ exitCode: 2 })
  })

  test('of the kind custom have a valid base URL and headers', async () => {
    const { run, json } = operator()
    const create = (secret: object) =>
      `server connections create --kind custom --name api --secret '${JSON.stringify(secret)}'`
    const refused = async (secret: object) => (await run(create(secret))).stderr
    expect(await refused({ base_url: 'api.test' })).toContain('The secret.base_url field must be an http or https URL.')
    expect(await refused({ headers: { a: 'b' } })).toContain('secret.base_url field is required')
    expect(await refused({ base_url: 'https://api.test', headers: { a: 1 } })).toContain('secret.headers')
    for (const headers of [{ 'a b': 'c' }, { 'a:': 'c' }])
      expect(await refused({ base_url: 'https://api.test', headers })).toMatch(/secret\.headers .*invalid header name/)
    for (const value of ['zł', 'one\ntwo'])
      expect(await refused({ base_url: 'https://api.test', headers: { a: value } })).toContain('secret.headers.a')
    expect(await json(create({ base_url: 'https://api.test', headers: { a: 'b' } }))).toMatchObject({ kind: 'custom' })
    expect(await json(create({ token: 't' }))).toMatchObject({ kind: 'custom', name: 'api' })
  })
})
