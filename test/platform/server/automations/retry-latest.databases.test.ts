import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { code, hook, http } from '../../../support/flow-definitions.ts'
import { automationPlatform, type Owner } from '../../../support/platform/automation-platform.ts'

describe.each(databases)('retrying a run on the live version on $name', (database) => {
  const platform = automationPlatform(database)
  const url = 'https://effects.example/'
  const send = http('POST', url)
  const broken = code('inputs.missing.field')
  const latest = { 'parley-run-version': 'latest' }
  const retry = ({ key }: Owner, id: string, run: string, headers: Record<string, string> = latest) =>
    platform.api().ask('POST', `/api/user/automate/flows/${id}/runs/${run}/retry`, { key, headers })

  /** Creates an automation whose live run fails at its second step. Returns both. */
  async function failedRun(by: Owner, steps: object[] = [send, broken]) {
    const { body } = await platform.create(by, { flow: { trigger: hook, steps }, confirm_side_effects: true })
    await platform.update(by, body.automation_id, { enabled: true })
    const { headers } = await platform.call(body.automation_id, '', {})
    await platform.wait(0)
    const run = headers['x-webhook-id'] as string
    expect((await read(by, run)).status).toBe('FAILED')
    platform.requests.length = 0
    return { id: body.automation_id as string, run }
  }
  const read = async ({ key }: Owner, run: string) =>
    (await platform.api().ask('GET', `/api/user/automate/runs/${run}`, { key })).body.data
  const publish = (by: Owner, id: string, steps: object[]) =>
    platform.update(by, id, { flow: { trigger: hook, steps }, confirm_side_effects: true })

  test('continues at the failed step, and repeats no step that succeeded', async () => {
    const by = await platform.owner()
    const { id, run } = await failedRun(by)
    await publish(by, id, [send, code('"repaired"'), code('1 + 1')])
    platform.requests.length = 0
    expect((await retry(by, id, run, {})).body).toMatchObject({ status: 'FAILED' })
    expect((await read(by, run)).version).toBe(1)
    expect((await retry(by, id, run)).body).toMatchObject({ run_id: run, status: 'SUCCEEDED' })
    expect(platform.requests).toEqual([])
    const { version, steps } = await read(by, run)
    expect([version, steps.map(({ output }: { output: unknown }) => output).slice(1)]).toEqual([2, ['repaired', 2]])
  })

  test('is refused when the version lacks a step that ran, or has another one in its place', async () => {
    const by = await platform.owner()
    const { id, run } = await failedRun(by)
    for (const steps of [
      [code('1'), code('2')],
      [
        { ...send, name: 'step_7' },
        { ...code('2'), name: 'step_2' },
      ],
    ]) {
      await publish(by, id, steps)
      platform.requests.length = 0
      expect(await retry(by, id, run)).toMatchObject({
        status: 422,
        body: { message: expect.stringContaining('it has no step "step_1", which already ran') },
      })
      expect(platform.requests).toEqual([])
      expect(await read(by, run)).toMatchObject({ status: 'FAILED', version: 1 })
    }
    const other = await retry(by, id, run, { 'parley-run-version': 'newest' })
    expect(other).toMatchObject({ status: 422, body: { message: expect.stringContaining('Parley-Run-Version') } })
  })

  test('continues in the item of a loop that failed', async () => {
    const by = await platform.owner()
    const loop = (second: object) => ({
      type: 'LOOP_ON_ITEMS',
      displayName: 'Each',
      settings: { items: "{{ ['a', 'b'] }}" },
      firstLoopAction: { ...send, name: 'inner', nextAction: { ...second, name: 'check' } },
    })
    const { id, run } = await failedRun(by, [loop(broken)])
    await publish(by, id, [loop(code('"fine"'))])
    platform.requests.length = 0
    expect((await retry(by, id, run)).body.status).toBe('SUCCEEDED')
    expect(platform.requests.map((request) => request.url)).toEqual([url])
  })
})
