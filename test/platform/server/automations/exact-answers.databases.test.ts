import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { code, hook, http } from '../../../support/flow-definitions.ts'
import { automationPlatform } from '../../../support/platform/automation-platform.ts'

const printing = { trigger: hook, steps: [code('(console.log(1), 1)', { a: "{{trigger['body']['none']}}" })] }
const step = { name: 'step_1', status: 'SUCCEEDED', classification: 'ok', error: null }
const plain = {}

describe.each(databases)('responses about automations on $name have exactly the specified fields', (database) => {
  const platform = automationPlatform(database)

  test('in the test of a create and of an update', async () => {
    const by = await platform.owner()
    const { body, headers } = await platform.create(by, { flow: printing }, plain)
    expect(body.test).toEqual({ run_status: 'SUCCEEDED', steps: [step] })
    expect(headers['parley-run']).toMatch(/^\w{21}$/)
    expect((await platform.update(by, body.automation_id, { flow: printing }, plain)).body.test.steps).toEqual([step])
    expect((await platform.update(by, body.automation_id, { flow: printing })).body.test.steps).toMatchObject([
      { ...step, log: ['1'], attempts: 1 },
    ])
  })

  test('in lists of runs and in a run', async () => {
    const by = await platform.owner()
    const { body } = await platform.create(by, { flow: printing }, plain)
    const [run] = (await platform.runs(by, body.automation_id, '', plain)).body.runs
    expect(Object.keys(run)).toEqual(['id', 'status', 'start_time', 'duration_ms'])
    const one = (await platform.runs(by, body.automation_id, `?run_id=${run.id}`, plain)).body.run
    expect(one).toEqual({ ...run, steps: [step] })
    expect((await platform.runs(by, body.automation_id)).body.runs).toEqual([{ ...run, testing: true }])
  })

  test('in errors about definitions', async () => {
    const by = await platform.owner()
    const invalid = { flow: { trigger: hook, steps: [code('1 +* 2')] } }
    const sending = { flow: { trigger: hook, steps: [http('POST', 'https://there.example/')] } }
    expect(Object.keys((await platform.create(by, invalid, plain)).body)).toEqual(['message', 'error'])
    expect(Object.keys((await platform.create(by, sending, plain)).body)).toEqual(['message', 'error'])
    expect((await platform.create(by, invalid)).body).toMatchObject({
      error: 'invalid_definition',
      problems: [{ step: 'step_1' }],
    })
    expect((await platform.create(by, sending)).body).toMatchObject({
      error: 'side_effects_require_confirmation',
      steps: ['Ask'],
    })
  })

  test('in parameters of templates', async () => {
    const by = await platform.owner()
    const ask = async (headers: Record<string, string>) =>
      (await platform.api().ask('GET', '/api/user/automate/templates', { key: by.key, headers })).body.data
    const known = ['key', 'label', 'description', 'required', 'default', 'example', 'auto']
    const params = (await ask(plain)).flatMap((one: { params: object[] }) => one.params)
    expect(params.length).toBeGreaterThan(0)
    for (const param of params) expect(known).toEqual(expect.arrayContaining(Object.keys(param)))
    expect(JSON.stringify(await ask({ 'parley-details': 'full' }))).toContain('"choices"')
  })
})
