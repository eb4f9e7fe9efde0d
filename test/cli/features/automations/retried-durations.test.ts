import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { callWebhook } from '../../../support/call-webhook.ts'
import { code, hook } from '../../../support/flow-definitions.ts'
import { operator } from '../../../support/operator.ts'

const nightMs = 12 * 3_600_000

const loop = (first: object) => ({
  type: 'LOOP_ON_ITEMS',
  displayName: 'Each',
  settings: { items: "{{ ['a', 'b'] }}" },
  firstLoopAction: { name: 'step_3', ...first },
})

const fails = (condition: string) =>
  code(`${condition} ? 'ok' : inputs.missing.field`, { fails: "{{trigger['body']['fails']}}" })

test.each([
  ['a step', [code('1'), fails('!inputs.fails')], [code('1'), fails('true')]],
  ['a step in a loop', [code('1'), loop(fails('!inputs.fails'))], [code('1'), loop(fails('true'))]],
])('the duration of a run that was retried does not include the night before: %s', async (_, steps, repaired) => {
  const by = operator()
  for (const [name, definition] of [
    ['a', steps],
    ['b', repaired],
  ] as const)
    writeFileSync(join(by.cwd, `${name}.json`), JSON.stringify({ trigger: hook, steps: definition }))
  await by.run('automate create --name Orders --file a.json')
  const { id } = (await by.json('automate list')).find((it: { name: string }) => it.name === 'Orders')
  const run = await callWebhook(by, id, { fails: true })
  expect(await by.json(`automate runs get ${run}`)).toMatchObject({ status: 'FAILED' })
  by.wait(nightMs)
  await by.run(`automate retry ${run}`)
  by.wait(nightMs)
  await by.run('automate update Orders --file b.json --yes')
  await by.run(`automate runs retry ${run} --latest`)
  const { status, duration_ms, steps: ran } = await by.json(`automate runs get ${run}`)
  const durations: number[] = [duration_ms, ...ran.map((it: { duration_ms: number }) => it.duration_ms)]
  expect([status, durations.length > 2, durations.filter((it) => !(it < 60_000))]).toEqual(['SUCCEEDED', true, []])
  const [listed] = await by.json('automate runs list Orders --live')
  expect(listed).toMatchObject({ id: run, duration_ms })
  expect(Date.parse(listed.end_time) - Date.parse(listed.start_time)).toBeGreaterThanOrEqual(2 * nightMs)
  for (const on of [{}, { through: notParleyServer }]) {
    const table = await by.run('automate runs list Orders --live', { terminal: true, ...on })
    expect(table.stdout).not.toMatch(/\d h/)
    const shown = await by.run(`automate runs get ${run}`, { terminal: true, ...on })
    expect(shown.stdout).not.toMatch(/took \d+ h|\d h \d/)
  }
})
