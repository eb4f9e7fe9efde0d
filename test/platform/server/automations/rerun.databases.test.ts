import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { code, delay, hook, http } from '../../../support/flow-definitions.ts'
import { automationPlatform, type Owner } from '../../../support/platform/automation-platform.ts'

describe.each(databases)('repeating a run on $name', (database) => {
  const platform = automationPlatform(database)
  const url = 'https://effects.example/'
  const send = http('POST', url, { body_type: 'json', body: { data: { n: "{{trigger['body']['n']}}" } } })
  const read = async ({ key }: Owner, run: string) =>
    (await platform.api().ask('GET', `/api/user/automate/runs/${run}`, { key })).body.data
  const rerun = ({ key }: Owner, run: string, body: object = {}, headers: Record<string, string> = {}) =>
    platform.api().ask('POST', `/api/user/automate/runs/${run}/rerun`, { key, body, headers })
  const outputs = ({ steps }: { steps: { output: unknown }[] }) => steps.map(({ output }) => output)
  const toRun = async (id: string): Promise<string> => {
    const run = (await platform.call(id, '', { n: 1 })).headers['x-webhook-id'] as string
    await platform.wait(0)
    platform.requests.length = 0
    return run
  }

  async function flow(by: Owner, steps: object[]): Promise<string> {
    const { body } = await platform.create(by, { flow: { trigger: hook, steps }, confirm_side_effects: true })
    await platform.update(by, body.automation_id, { enabled: true })
    return body.automation_id
  }

  test('starts a new run with the recorded payload, or with another', async () => {
    const by = await platform.owner()
    const id = await flow(by, [send, code('inputs.n * 10', { n: "{{trigger['body']['n']}}" })])
    const run = await toRun(id)
    expect(await rerun(by, run)).toMatchObject({
      status: 422,
      body: { error: 'side_effects_require_confirmation' },
    })
    expect(platform.requests).toEqual([])
    const confirm_side_effects = true
    const first = await rerun(by, run, { confirm_side_effects })
    expect(first).toMatchObject({ status: 200, body: { data: { status: 'SUCCEEDED', testing: false, version: 1 } } })
    expect(first.body.data.id).not.toBe(run)
    const { trigger } = await read(by, first.body.data.id)
    expect(trigger).toEqual((await read(by, run)).trigger)
    const second = await rerun(by, run, { confirm_side_effects, payload: { body: { n: 7 } } })
    expect(outputs(await read(by, second.body.data.id))[1]).toBe(70)
    expect(platform.requests.map(({ url: to }) => to)).toEqual([url, url])
    expect((await read(by, run)).status).toBe('SUCCEEDED')
    const other = await platform.owner()
    expect((await rerun(other, run)).status).toBe(404)
    expect((await rerun(by, 'nothing')).status).toBe(404)
  })

  test('from a step uses the recorded outputs of the steps before it, and does not repeat them', async () => {
    const by = await platform.owner()
    const steps = [send, code('({ at: 5 })'), code('inputs.a.at + 1', { a: '{{step_2}}' })]
    const id = await flow(by, steps)
    const run = await toRun(id)
    const { body } = await rerun(by, run, { from: 'step_3' })
    expect(body.data.status).toBe('SUCCEEDED')
    expect(platform.requests).toEqual([])
    expect(outputs(await read(by, body.data.id)).slice(1)).toEqual([{ at: 5 }, 6])
    expect(await rerun(by, run, { from: 'step_9' })).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining('no step "step_9"') },
    })
    await platform.update(by, id, {
      flow: { trigger: hook, steps: [send, code('({ at: 6 })'), code('inputs.a.at + 100', { a: '{{step_2}}' })] },
      confirm_side_effects: true,
    })
    platform.requests.length = 0
    const latest = await rerun(by, run, { from: 'step_3' }, { 'parley-run-version': 'latest' })
    expect([latest.body.data.version, outputs(await read(by, latest.body.data.id)).slice(1)]).toEqual([
      2,
      [{ at: 5 }, 105],
    ])
    expect(platform.requests).toEqual([])
    await platform.update(by, id, { flow: { trigger: hook, steps: [code('1')] }, confirm_side_effects: true })
    expect((await rerun(by, run, { from: 'step_3' }, { 'parley-run-version': 'latest' })).status).toBe(422)
  })

  test('a failed run begins again, and waits again', async () => {
    const by = await platform.owner()
    const id = await flow(by, [delay({ unit: 'minutes', delayFor: 10 }), code('inputs.missing.field')])
    const run = await toRun(id)
    await platform.wait(600_000)
    expect((await read(by, run)).status).toBe('FAILED')
    const { body } = await rerun(by, run)
    expect(body.data.status).toBe('PAUSED')
    await platform.wait(600_000)
    expect((await read(by, body.data.id)).status).toBe('FAILED')
  })
})
