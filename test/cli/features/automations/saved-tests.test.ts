import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { code, hook, http, respond } from '../../../support/flow-definitions.ts'
import { type Operator, operator } from '../../../support/operator.ts'

const order = {
  trigger: hook,
  steps: [
    code('({ total: inputs.n * 2, at: Date.now() % 1 })', { n: "{{trigger['body']['n']}}" }),
    code('Math.random()'),
    code('"Hello " + inputs.phone', { phone: "{{trigger['body']['phone']}}" }),
    respond({ total: '{{step_1.total}}' }),
  ],
}
const sample = JSON.stringify({ n: 21, phone: '+491711234567', api_key: 'sent-secret-1' })

/** An operator with the automation "Orders" and a run of it, saved in tests/order.yaml. */
async function withSaved(): Promise<Operator & { readonly file: string }> {
  const by = operator()
  writeFileSync(join(by.cwd, 'orders.json'), JSON.stringify(order))
  await by.run(['automate', 'create', '--name', 'Orders', '--file', 'orders.json', '--sample', sample])
  const saved = await by.run('automate runs save last --as-test tests/order.yaml')
  expect(saved, saved.stderr).toMatchObject({ exitCode: 0, stdout: 'Saved the run as tests/order.yaml.\n' })
  return { ...by, file: join(by.cwd, 'tests/order.yaml') }
}

describe('automate runs save --as-test', () => {
  test('saves payload and expectations without personal data, secrets and what depends on chance', async () => {
    const by = await withSaved()
    const text = readFileSync(by.file, 'utf8')
    expect(text).not.toMatch(/491711234567|sent-secret-1/)
    const saved = parse(text)
    expect(saved).toMatchObject({
      automation: 'Orders',
      payload: { body: { n: 21, phone: '+14155550142', api_key: '••• hidden' } },
      expect: {
        status: 'SUCCEEDED',
        steps: ['step_1', 'step_2', 'step_3', 'step_4'],
        outputs: { step_1: { total: 42 }, step_3: 'Hello +14155550142' },
        response: { status: 200, body: { total: 42 } },
      },
    })
    expect(Object.keys(saved.expect.outputs)).not.toContain('step_2')
  })

  test('keeps an existing file, and needs a run, a file and a Parley server', async () => {
    const by = await withSaved()
    const before = readFileSync(by.file, 'utf8')
    for (const [line, exitCode, text] of [
      ['last --as-test tests/order.yaml', 2, 'exists'],
      ['last --as-test - --keep payload.nothing', 2, '--keep payload.nothing: the run has no such value.'],
      ['nothing --as-test -', 4, 'not found'],
      ['--as-test -', 2, 'Missing run'],
    ] as const)
      expect(await by.run(`automate runs save ${line}`)).toMatchObject({
        exitCode,
        stderr: expect.stringContaining(text),
      })
    expect(readFileSync(by.file, 'utf8')).toBe(before)
    expect(await by.run('automate runs save last --as-test tests/order.yaml --force')).toMatchObject({ exitCode: 0 })
    expect((await by.run('automate runs save last --as-test -')).stdout).toContain('automation: Orders')
    expect(await by.run('automate runs save last --as-test -', { through: notParleyServer })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('does not have the capability "runs"'),
    })
  })

  test('a step that reached another system becomes a mock, or an error where it failed', async () => {
    const by = operator()
    const send = http('GET', 'https://127.0.0.1:1/{{trigger.body.n}}')
    writeFileSync(join(by.cwd, 'flow.json'), JSON.stringify({ trigger: hook, steps: [send, code('1')] }))
    await by.run(['automate', 'create', '--name', 'Ask', '--file', 'flow.json', '--sample', '{"n": 7}'])
    await by.run('automate runs save last --as-test tests/ask.yaml')
    const saved = parse(readFileSync(join(by.cwd, 'tests/ask.yaml'), 'utf8'))
    expect(saved).toMatchObject({
      failures: { step_1: expect.any(String) },
      expect: { status: 'FAILED', steps: ['step_1'] },
    })
    expect(await by.run('automate test tests')).toMatchObject({ exitCode: 0 })
    const { failures: _, ...mocked } = saved
    writeFileSync(
      join(by.cwd, 'tests/ask.yaml'),
      stringify({
        ...mocked,
        mocks: { step_1: { status: 200, body: {} } },
        expect: { status: 'SUCCEEDED', inputs: { step_1: { url: 'https://127.0.0.1:1/7' } }, outputs: { step_2: 1 } },
      }),
    )
    const ran = await by.run('automate test tests')
    expect(ran, ran.stdout).toMatchObject({ exitCode: 0 })
    expect(ran.requests.filter((it) => !it.startsWith('GET'))).toEqual([])
  })
})

describe('a run that failed because of a personal value', () => {
  const picky = {
    trigger: hook,
    steps: [
      code('(() => { if (inputs.phone.startsWith("+49")) throw new Error("no +49"); return 1 })()', {
        phone: "{{trigger['body']['phone']}}",
      }),
    ],
  }
  const failing = async (): Promise<Operator> => {
    const by = operator()
    writeFileSync(join(by.cwd, 'picky.json'), JSON.stringify(picky))
    const flags = ['--sample', '{"phone": "+491711234567", "email": "eva@example.org"}']
    await by.run(['automate', 'create', '--name', 'Picky', '--file', 'picky.json', ...flags])
    return by
  }

  test('is saved with exit code 20, which names the value and how to keep it', async () => {
    const by = await failing()
    const saved = await by.run('automate runs save last')
    expect(saved, saved.stderr).toMatchObject({ exitCode: 20 })
    expect(saved.stdout).toMatch(/^Saved the run as automation-tests\/picky-\w{8}\.yaml\.\n$/)
    expect(saved.stderr).toContain('The run was FAILED, and is SUCCEEDED locally.')
    expect(saved.stderr).toContain('--keep payload.body.phone')
    expect(saved.stderr).not.toContain('payload.body.email')
  })

  test('fails again with --keep, and other personal values are replaced', async () => {
    const by = await failing()
    const again = await by.run('automate runs save last --keep payload.body.phone')
    expect(again, again.stderr).toMatchObject({ exitCode: 0 })
    const [, file = ''] = /as (\S+)\.\n/.exec(again.stdout) ?? []
    expect(parse(readFileSync(join(by.cwd, file), 'utf8'))).toMatchObject({
      payload: { body: { phone: '+491711234567', email: 'person@example.com' } },
      expect: { status: 'FAILED', error: expect.stringContaining('no +49') },
    })
    expect(await by.run('automate test automation-tests')).toMatchObject({ exitCode: 0 })
  })
})

describe('automate test <folder>', () => {
  test('passes for the definition of the run, and fails with what changed', async () => {
    const by = await withSaved()
    const passed = await by.run('automate test tests')
    expect(passed, passed.stderr).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^PASS Orders \w{8} \(tests\/order\.yaml.*\)\n1 passed\.\n$/),
    })
    mkdirSync(join(by.cwd, 'automations'))
    const changed = {
      ...order,
      steps: [code('({ total: inputs.n * 3 })', { n: "{{trigger['body']['n']}}" }), ...order.steps.slice(1)],
    }
    writeFileSync(join(by.cwd, 'automations/orders.yaml'), stringify({ name: 'Orders', flow: changed }))
    const failed = await by.run('automate test tests --junit junit.xml --annotations github')
    expect(failed.exitCode).toBe(20)
    expect(failed.stdout).toMatch(/FAIL Orders .*\n {2}outputs\.step_1:\n/)
    expect(failed.stdout).toContain('0 passed, 1 failed.')
    expect(failed.stderr).toMatch(/^::error file=tests\/order\.yaml,line=\d+,title=Orders/m)
    const xml = readFileSync(join(by.cwd, 'junit.xml'), 'utf8')
    expect(xml).toContain('<testsuite name="parley automate test" tests="1" failures="1"')
    expect(xml).toContain('classname="Orders"')
    const [result] = JSON.parse((await by.run('automate test tests --json')).stdout)
    expect(result).toMatchObject({
      verdict: 'failed',
      findings: [
        { expectation: 'outputs.step_1' },
        {
          expectation: 'response.body',
          expected: expect.stringContaining('42'),
          happened: expect.stringContaining('63'),
        },
      ],
    })
  })

  test('names every file and field that is wrong, and runs nothing', async () => {
    const by = operator()
    mkdirSync(join(by.cwd, 'tests'))
    expect(await by.run('automate test tests')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('has no tests'),
    })
    writeFileSync(
      join(by.cwd, 'tests/a.yaml'),
      'automation: Orders\npayload: {}\nexpect: { status: DONE, answer: 1 }\n',
    )
    writeFileSync(join(by.cwd, 'tests/b.yaml'), '- 1')
    writeFileSync(join(by.cwd, 'tests/c.yaml'), 'a: [')
    const { exitCode, stderr } = await by.run('automate test tests')
    expect(exitCode).toBe(2)
    for (const file of ['tests/a.yaml:3: expect.status', 'tests/b.yaml: A test must be', 'tests/c.yaml'])
      expect(stderr).toContain(file)
    expect(stderr).toContain('answer')
    expect(await by.run('automate test tests --sample {}')).toMatchObject({ exitCode: 2 })
    expect(await by.run('automate test --file x.json --junit a.xml')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('require a folder'),
    })
    expect(existsSync(join(by.cwd, 'a.xml'))).toBe(false)
  })
})
