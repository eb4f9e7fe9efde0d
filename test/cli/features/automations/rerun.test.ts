import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { code, hook, http, respond } from '../../../support/flow-definitions.ts'
import { operator } from '../../../support/operator.ts'

test('runs rerun starts a new run with the recorded payload or that of a file, from the trigger or a step', async () => {
  const by = operator()
  const steps = [
    code('inputs.n + 1', { n: "{{trigger['body']['n']}}" }),
    code('inputs.x * 2', { x: '{{step_1}}' }),
    respond({ ok: true }),
  ]
  writeFileSync(join(by.cwd, 'flow.json'), JSON.stringify({ trigger: hook, steps }))
  await by.run(['automate', 'create', '--name', 'Orders', '--file', 'flow.json', '--sample', '{"n": 1}'])
  const [{ id }] = await by.json('automate runs list')
  const outputs = async (run: string): Promise<unknown[]> =>
    (await by.json(`automate runs get ${run}`)).steps.map(({ output }: { output: unknown }) => output).slice(0, 2)
  const again = await by.json(`automate runs rerun ${id}`)
  expect(again).toMatchObject({ automation_name: 'Orders', status: 'SUCCEEDED', version: 1 })
  expect(again.id).not.toBe(id)
  expect(await outputs(again.id)).toEqual([2, 4])
  writeFileSync(join(by.cwd, 'payload.yaml'), 'body: { n: 10 }')
  expect(await outputs((await by.json('automate runs rerun last --payload payload.yaml')).id)).toEqual([11, 22])
  expect(await outputs((await by.json(`automate runs rerun ${id} --payload payload.yaml --from step_2`)).id)).toEqual([
    2, 4,
  ])
  const people = await by.run('automate runs rerun last --from step_2')
  expect(people.stdout).toMatch(/^Started run \w{21}\. Status: succeeded$/m)

  const dry = await by.run(`automate runs rerun ${id} --from step_2 --dry-run --json`)
  expect(JSON.parse(dry.stdout)).toMatchObject({
    method: 'POST',
    path: `/api/user/automate/runs/${id}/rerun`,
    body: { from: 'step_2' },
  })
  writeFileSync(join(by.cwd, 'hidden.json'), JSON.stringify({ token: '••• hidden' }))
  for (const [line, text] of [
    [`${id} --payload hidden.json`, 'in place of a secret'],
    [`${id} --payload missing.json`, /^error: --payload: Could not read missing\.json: no such file\.\n$/],
    [`${id} --latest --print-curl`, 'cannot show --latest'],
    ['', 'Missing run'],
  ])
    expect(await by.run(`automate runs rerun ${line}`)).toMatchObject({
      exitCode: 2,
      stderr: typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text as RegExp),
    })
  expect(await by.run('automate runs rerun nothing')).toMatchObject({ exitCode: 4 })
  expect(await by.run(`automate runs rerun ${id} --from step_9`)).toMatchObject({ exitCode: 5 })
  expect(await by.run(`automate runs rerun ${id}`, { through: notParleyServer })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('does not have the capability "runs"'),
  })
})

test('runs rerun exits with 20 when the new run fails', async () => {
  const by = operator()
  writeFileSync(join(by.cwd, 'flow.json'), JSON.stringify({ trigger: hook, steps: [code('inputs.missing.field')] }))
  await by.run('automate create --name Broken --file flow.json')
  const ran = await by.run('automate runs rerun last --json')
  expect(ran.exitCode).toBe(20)
  expect(JSON.parse(ran.stdout)).toMatchObject({ status: 'FAILED', error: expect.stringContaining('TypeError') })
})

test('runs rerun repeats real effects only with consent', async () => {
  const by = operator()
  const steps = [{ ...http('POST', 'https://a.test/note'), displayName: 'Write a note' }]
  writeFileSync(join(by.cwd, 'flow.json'), JSON.stringify({ trigger: hook, steps }))
  await by.run('automate create --name Notes --file flow.json --confirm-side-effects')
  const runs = async (): Promise<number> => (await by.json('automate runs list')).length
  const before = await runs()
  const refused = await by.run('automate runs rerun last')
  expect(refused).toMatchObject({ exitCode: 10, stdout: '' })
  expect(refused.stderr).toContain('steps that really send or call: Write a note')
  expect(refused.stderr).toContain('pass --confirm-side-effects')
  expect(await runs()).toBe(before)
  const confirmed = await by.run('automate runs rerun last --confirm-side-effects')
  expect([0, 20], confirmed.stderr).toContain(confirmed.exitCode)
  expect(await runs()).toBe(before + 1)
})
