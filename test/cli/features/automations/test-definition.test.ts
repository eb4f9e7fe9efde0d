import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { code, delay, event, hook, http, respond } from '../../../support/flow-definitions.ts'
import { type Operator, operator } from '../../../support/operator.ts'

function withFlow(flow: object, more: Readonly<Record<string, object>> = {}): Operator {
  const by = operator()
  for (const [name, content] of Object.entries({ 'flow.json': flow, ...more }))
    writeFileSync(join(by.cwd, name), JSON.stringify(content))
  return by
}
const asking = {
  trigger: hook,
  steps: [
    http('POST', 'https://crm.example/find', { body: { data: { of: "{{trigger['body']['name']}}" } } }),
    code('inputs.name + " is " + inputs.age', {
      name: "{{trigger['body']['name']}}",
      age: "{{step_1['body']['age']}}",
    }),
    respond({ text: '{{step_2}}' }),
  ],
}

describe('a definition that is tested locally', () => {
  test('evaluates branches, code and responses for real, and sends nothing', async () => {
    const { run, json } = withFlow(asking, { 'answer.json': { status: 200, body: { age: 36 } } })
    const done = await run('automate test --file flow.json --sample \'{"name": "Ada"}\' --mock step_1=@answer.json')
    expect(done).toMatchObject({ exitCode: 0, requests: [] })
    expect(done.stdout).toContain('Response: 200 {"text":"Ada is 36"}')
    expect(done.stdout).toContain('Test passed. Nothing was sent.')
    const { steps } = await json(
      'automate test --file flow.json --sample \'{"name": "Ada"}\' --mock step_1=@answer.json',
    )
    expect(steps.map((it: { name: string; status: string }) => [it.name, it.status])).toEqual([
      ['step_1', 'MOCKED'],
      ['step_2', 'SUCCEEDED'],
      ['step_3', 'SUCCEEDED'],
    ])
  })

  test('reports which steps did not run, and which expressions were empty because of that', async () => {
    const { run } = withFlow(asking)
    const { exitCode, stdout, stderr } = await run('automate test --file flow.json --json')
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout).steps).toMatchObject([
      { status: 'NOT_RUN', output: null },
      { unresolved: expect.arrayContaining(["step_1['body']['age']"]) },
      {},
    ])
    expect(stderr).toContain('--mock step_1=@answer.json')
  })

  test('that fails exits with 20 and reports the step and the error', async () => {
    const { run } = withFlow({ trigger: hook, steps: [code('inputs.missing.field', {})] })
    const { exitCode, stdout } = await run('automate test --file flow.json')
    expect(exitCode).toBe(20)
    expect(stdout).toMatch(/step_1\s+failed\s+.*undefined/)
    expect(stdout).toContain('Test failed.')
  })

  test('that references a missing step inserts nothing, and names the step as lint does', async () => {
    const { run } = withFlow({ trigger: hook, steps: [code('inputs.x', { x: '{{step_9.body}}' })] })
    const { exitCode, stdout, stderr } = await run('automate test --file flow.json')
    expect(exitCode).toBe(0)
    expect(stdout).toContain('no value for step_9.body')
    const sentence = '{{step_9.body}} is always empty: there is no step named step_9.'
    expect(stderr).toContain(`step_1 settings.input.x: ${sentence}`)
    expect((await run('automate lint --file flow.json --json')).stdout).toContain(sentence)
  })

  test('ends delays immediately, runs loops, and keeps stored values during the test', async () => {
    const each = {
      type: 'LOOP_ON_ITEMS',
      name: 'each',
      settings: { items: "{{trigger['body']['items']}}" },
      firstLoopAction: { ...code('inputs.number * 2', { number: "{{each['item']}}" }), name: 'double' },
    }
    const { json } = withFlow({ trigger: hook, steps: [delay({ unit: 'days', delayFor: 3 }), each] })
    const { status, steps } = await json('automate test --file flow.json --sample \'{"items": [1, 2]}\'')
    expect(status).toBe('SUCCEEDED')
    expect(
      steps.map((it: { path: string; output: unknown }) => [it.path, it.path.endsWith('double') ? it.output : null]),
    ).toEqual([
      ['step_1', null],
      ['each', null],
      ['each[1]/double', 2],
      ['each[2]/double', 4],
    ])
  })

  test('gets the payload of its event as the sample if none is passed', async () => {
    const { json } = withFlow({
      trigger: event('phoneCallEnded', { assistant: 1 }),
      steps: [code('inputs.phone', { phone: "{{trigger['customer_phone']}}" })],
    })
    expect((await json('automate test --file flow.json')).steps).toMatchObject([
      { status: 'SUCCEEDED', output: '+15005550111' },
    ])
  })

  test('may be the live definition of an automation', async () => {
    const { run } = operator()
    expect((await run('automate test "Opening hours" --sample \'{"day": "sunday"}\'')).stdout).toContain(
      '"hours":"closed"',
    )
  })

  test.each([
    ['--file flow.json --mock step_9=1', 'step "step_9" not found', 'Steps: step_1, step_2, step_3.'],
    ['--file flow.json --mock step_1', 'Use step=json', ''],
    ['--file flow.json --mock step_1=@nothing.json', '--mock step_1: Could not read nothing.json: no such file.', ''],
    ['', 'Missing automation or --file.', ''],
    ['Greeting --file flow.json', 'not both', ''],
  ])('is refused with %j', async (words, message, hint) => {
    const { exitCode, stderr, requests } = await withFlow(asking).run(`automate test ${words}`)
    expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: [] })
    expect(stderr).toContain(message)
    expect(stderr).toContain(hint)
  })

  test('that is invalid is reported step by step', async () => {
    const { exitCode, stderr } = await withFlow({
      trigger: hook,
      steps: [{ type: 'PIECE', settings: { pieceName: '@engine/piece-nobody' } }],
    }).run('automate test --file flow.json')
    expect(exitCode).toBe(2)
    expect(stderr).toContain('step_1')
  })
})

test('shows which branch a ROUTER took, and what the steps are that it was converted to', async () => {
  const by = operator()
  const branch = (branchName: string, limit: string) => ({
    branchType: 'CONDITION',
    branchName,
    conditions: [[{ firstValue: '{{trigger.body.n}}', operator: 'NUMBER_IS_LESS_THAN', secondValue: limit }]],
  })
  const branches = [branch('Small', '10'), branch('Large', '1000'), { branchType: 'FALLBACK', branchName: 'Rest' }]
  const children = ['s', 'l', 'r'].map((name) => ({ ...code(`'${name}'`), name }))
  for (const [executionType, name] of [
    ['EXECUTE_FIRST_MATCH', 'step_1'],
    ['EXECUTE_ALL_MATCH', 'route_otherwise'],
  ]) {
    const router = {
      name: 'route',
      type: 'ROUTER',
      displayName: 'Size',
      settings: { executionType, branches },
      children,
    }
    writeFileSync(join(by.cwd, 'router.json'), JSON.stringify({ trigger: hook, steps: [router] }))
    const { stdout } = await by.run(['automate', 'test', '--file', 'router.json', '--sample', '{"n": 50}'])
    expect(stdout).toContain('route\tsucceeded\ttook "Large"\t')
    expect(stdout).toMatch(new RegExp(`^${name}\tsucceeded\tbranch "(?:Large|Otherwise)" of the ROUTER\t`, 'm'))
  }
})
