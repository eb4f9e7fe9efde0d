import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { callWebhook } from '../../../support/call-webhook.ts'
import { code, hook, http, respond } from '../../../support/flow-definitions.ts'
import { type Operator, operator } from '../../../support/operator.ts'

const source = 'export const code = async (inputs) => {\n  return inputs.a.missing.field\n}'
const failing = {
  trigger: hook,
  steps: [
    code('inputs.n + 1', { n: 1, 'x-api-key': 'k-secret-123456' }),
    {
      type: 'CODE',
      displayName: 'Look',
      settings: { sourceCode: { code: source, packageJson: '{}' }, input: { a: "{{trigger['body']}}" } },
    },
  ],
}
const greet = { trigger: hook, steps: [respond({ hello: 'you' })] }

/** An operator with two automations: "Broken", whose test failed, and "Greeting", whose test passed. */
async function withRuns(): Promise<Operator> {
  const by = operator()
  writeFileSync(join(by.cwd, 'broken.json'), JSON.stringify(failing))
  writeFileSync(join(by.cwd, 'greet.json'), JSON.stringify(greet))
  await by.run('automate create --name Broken --file broken.json')
  by.wait(60_000)
  await by.run('automate create --name Greeting --file greet.json')
  return by
}

describe('automate runs list', () => {
  test('shows runs of every automation, newest first, and those of one', async () => {
    const by = await withRuns()
    const all = await by.json('automate runs list')
    expect(all.slice(0, 2)).toMatchObject([
      { automation_name: 'Greeting', status: 'SUCCEEDED', testing: true, version: 1 },
      { automation_name: 'Broken', status: 'FAILED', testing: true, error: expect.stringContaining('TypeError') },
    ])
    expect(await by.json('automate runs list Broken')).toEqual([all[1]])
    expect(await by.json('automate runs list --status FAILED --test --since 1h')).toEqual([all[1]])
    expect(await by.json('automate runs list Broken --live')).toEqual([])
    expect((await by.run('automate runs list --limit 1 -o id')).stdout).toBe(`${all[0].id}\n`)
    expect((await by.run('automate runs list --per-page 1 --page 2 -o id')).stdout).toBe(`${all[1].id}\n`)
    expect((await by.json('automate runs list --all --per-page 1')).length).toBe(all.length)
    expect((await by.run('automate runs list --page 99')).stderr).toBe('Page 99 is empty. There are fewer pages.\n')
    expect(await by.run('automate runs list --test --live')).toMatchObject({ exitCode: 2 })
    expect(await by.run('automate runs list --since soon')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('Invalid --since "soon". Use a time such as'),
    })
  })

  test('works in its older form, with its older fields', async () => {
    const by = await withRuns()
    const [run] = await by.json('automate runs Broken')
    expect(run).toMatchObject({
      id: expect.any(String),
      status: 'FAILED',
      start_time: expect.any(String),
      duration_ms: expect.any(Number),
      testing: true,
    })
    expect(await by.json('automate runs Broken --run last')).toMatchObject({
      id: run.id,
      steps: [{ name: 'step_1', classification: 'ok' }, { name: 'step_2' }],
    })
    expect(await by.json(`automate runs Broken --run ${run.id}`)).toMatchObject({ id: run.id })
    expect(await by.run(`automate runs Greeting --run ${run.id}`)).toMatchObject({ exitCode: 4 })
  })

  test('--follow prints new runs until Ctrl-C', async () => {
    const by = await withRuns()
    const stop = new AbortController()
    const followed = by.run('automate runs list --follow --limit 1 -o ndjson')
    const endless = by.run('automate runs list Greeting --follow', { interrupt: stop })
    let isOver = false
    void followed.finally(() => (isOver = true))
    while (!isOver) await by.run('automate update Greeting --file greet.json --yes')
    const { exitCode, stdout } = await followed
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ automation_name: 'Greeting' })
    stop.abort(130)
    const ended = await endless
    expect(ended.exitCode).toBe(130)
    expect(ended.stdout).toMatch(/succeeded {2}\w{21} {2}Greeting {2}\(test\)/)
  })

  test('on another platform combines the documented lists, and reports what they lack', async () => {
    const by = await withRuns()
    const ran = await by.run('automate runs list --json --status FAILED --since 1h', { through: notParleyServer })
    expect(ran.exitCode).toBe(0)
    expect(JSON.parse(ran.stdout)).toMatchObject([
      { automation_name: 'Broken', status: 'FAILED', version: null, testing: null, error: null },
    ])
    expect(ran.stderr).toContain('does not report which version ran')
    expect(
      (await by.json('automate runs list Greeting', { through: notParleyServer })).map(
        (it: { status: string }) => it.status,
      ),
    ).toEqual(['SUCCEEDED'])
    expect(await by.run('automate runs list --test', { through: notParleyServer })).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('which runs are tests'),
    })
  })
})

describe('automate runs get', () => {
  test('shows a block for each step with input, output, and the line of code that failed', async () => {
    const by = await withRuns()
    const [run] = await by.json('automate runs list Broken')
    const { exitCode, stdout } = await by.run(`automate runs get ${run.id}`)
    expect(exitCode).toBe(0)
    expect(stdout).toContain(`Run ${run.id} of "Broken" (${run.automation_id}), version 1, test`)
    expect(stdout).toMatch(/^step_1 "Compute" \(CODE\) {2}succeeded, \d+ ms$/m)
    expect(stdout).toMatch(/^ {2}Input {5}\{"n":1,/m)
    expect(stdout).toMatch(/^ {2}Output {4}2$/m)
    expect(stdout).toMatch(/^step_2 "Look" \(CODE\) {2}failed/m)
    expect(stdout).toMatch(/^ {2}Error {5}.*TypeError/m)
    expect(stdout).toContain('  Line 2    return inputs.a.missing.field')
    expect(stdout).not.toContain('k-secret-123456')
  })

  test('shows the errors of earlier attempts after a retry, on a line each', async () => {
    const by = operator()
    const flow = (source: string) =>
      JSON.stringify({ trigger: hook, steps: [code(source, { n: "{{trigger['body']['n']}}" })] })
    writeFileSync(join(by.cwd, 'bad.json'), flow('inputs.n === 1 ? 1 : inputs.missing.field'))
    writeFileSync(join(by.cwd, 'good.json'), flow('2'))
    writeFileSync(join(by.cwd, 'sample.json'), '{"n":1}')
    await by.run('automate create --name Nightly --file bad.json --sample @sample.json')
    const { id } = (await by.json('automate list')).find((it: { name: string }) => it.name === 'Nightly')
    const run = await callWebhook(by, id, { n: 2 })
    const first = await by.json(`automate runs get ${run}`)
    expect(first).toMatchObject({ status: 'FAILED', steps: [{ earlier_errors: [] }] })
    by.wait(3_600_000)
    await by.run('automate update Nightly --file good.json --yes')
    await by.run(`automate retry ${run} --latest`)
    const record = await by.json(`automate runs get ${run}`)
    expect(record).toMatchObject({
      status: 'SUCCEEDED',
      steps: [
        { error: null, earlier_errors: [{ attempt: 1, failed_at: first.end_time, error: first.steps[0].error }] },
      ],
    })
    const { stdout } = await by.run(`automate runs get ${run}`)
    expect(stdout).toMatch(/^ {2}Attempt 1 failed \d{4}-\d\d-\d\d \d\d:\d\d.*: .*TypeError/m)
  })

  test('shows one step, and an error for an unknown step', async () => {
    const by = await withRuns()
    const [run] = await by.json('automate runs list Broken')
    expect((await by.json(`automate runs get ${run.id} --step step_2`)).steps).toMatchObject([
      { name: 'step_2', error_line: { number: 2 } },
    ])
    expect(await by.run(`automate runs get ${run.id} --step step_9`)).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('no step "step_9"'),
    })
    expect(await by.json('automate runs get last')).toMatchObject({ automation_name: 'Greeting' })
    expect(await by.json('automate runs get last --automation Broken')).toMatchObject({ id: run.id })
    expect(await by.run('automate runs get nothing')).toMatchObject({ exitCode: 4 })
    expect(await by.run('automate runs get')).toMatchObject({ exitCode: 2 })
  })

  test('never shows a secret, in shortened or full output', async () => {
    const by = operator()
    const steps = [
      http('GET', 'https://service.invalid/', { headers: { Authorization: 'Bearer header-secret-1' } }),
      code('1', { 'x-api-key': 'k-secret-123456', url: 'https://a.test/?token=url-secret-1' }),
    ]
    writeFileSync(join(by.cwd, 'flow.json'), JSON.stringify({ trigger: hook, steps: steps.toReversed() }))
    await by.run(`automate create --name Secret --file flow.json --sample '{"password": "sent-secret-1"}'`)
    for (const line of ['', ' --full', ' --json', ' --json --full', ' -o yaml --full']) {
      const { stdout } = await by.run(`automate runs get last${line}`)
      expect(stdout).toContain('••• hidden')
      expect(stdout).not.toMatch(/header-secret-1|k-secret-123456|url-secret-1|sent-secret-1/)
    }
  })

  test('on another platform finds the run through its automation, and reports what the platform does not provide', async () => {
    const by = await withRuns()
    const [run] = await by.json('automate runs list Broken')
    const ran = await by.run(`automate runs get ${run.id} --json`, { through: notParleyServer })
    expect(ran.exitCode).toBe(0)
    expect(JSON.parse(ran.stdout)).toMatchObject({
      id: run.id,
      automation_name: 'Broken',
      trigger: null,
      steps: [
        { name: 'step_1', input: null },
        { name: 'step_2', status: 'FAILED' },
      ],
    })
    const people = await by.run(`automate runs get ${run.id} --automation Broken`, { through: notParleyServer })
    expect(people.stderr).toContain('reports only the status and error of each step')
    expect(await by.run('automate runs get nothing', { through: notParleyServer })).toMatchObject({ exitCode: 4 })
  })
})
