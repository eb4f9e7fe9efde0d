import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { code, delay, hook, http, respond } from '../../../support/flow-definitions.ts'
import { automationPlatform, type Owner } from '../../../support/platform/automation-platform.ts'

const pieceName = '@activepieces/piece-subflows'
const callable = (exampleData: unknown = { sampleData: { n: 1 } }) => ({
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  settings: { pieceName, triggerName: 'callableFlow', input: { mode: 'simple', exampleData } },
})
const call = (flow: unknown, payload: unknown = {}, waitForResponse = true, more: object = {}) => ({
  type: 'PIECE',
  displayName: 'Call',
  settings: {
    pieceName,
    actionName: 'callFlow',
    input: { flow, mode: 'simple', flowProps: { payload }, waitForResponse, testingProps: {} },
    ...more,
  },
})
const answer = (response: unknown) => ({
  type: 'PIECE',
  displayName: 'Answer',
  settings: { pieceName, actionName: 'returnResponse', input: { mode: 'simple', response: { response } } },
})
const returned = '{{step_1.output}}'
const double = {
  trigger: callable(),
  steps: [code('inputs.n * 2', { n: '{{trigger.data.n}}' }), answer({ doubled: '{{step_1}}' })],
}

describe.each(databases)('automations that call others on $name', (database) => {
  const platform = automationPlatform(database, { ownUrl: () => 'https://platform.test' })

  const create = async (by: Owner, name: string, flow: object) =>
    (await platform.create(by, { name, flow, confirm_side_effects: true })).body
  const read = async ({ key }: Owner, run: string) =>
    (await platform.api().ask('GET', `/api/user/automate/runs/${run}`, { key })).body.data
  const runsOf = async ({ key }: Owner, id: string) =>
    (await platform.api().ask('GET', `/api/user/automate/runs?automation_id=${id}&test=false`, { key })).body.data
  /** Starts a live run of an automation. Returns its id. */
  const started = async (id: string) => (await platform.call(id, '', {})).headers['x-webhook-id'] as string
  const ended = (by: Owner, run: string) =>
    expect
      .poll(async () => {
        await platform.wait(0)
        return (await read(by, run)).status
      })
      .not.toMatch(/PAUSED|RUNNING/)
  const outcome = async (by: Owner, run: string) => {
    await ended(by, run)
    const { status, error, steps } = await read(by, run)
    return { status, error, output: steps[0].output }
  }

  test('a step receives the response of the automation that it calls by id or by name', async () => {
    const by = await platform.owner()
    const child = await create(by, 'Double', double)
    expect(child).toMatchObject({ status: 'active', response: { doubled: 2 } })
    for (const flow of [
      child.automation_id,
      'Double',
      { id: child.automation_id },
      { externalId: child.automation_id },
    ]) {
      const parent = await create(by, 'Parent', { trigger: hook, steps: [call(flow, { n: 21 }), respond(returned)] })
      expect([parent.test.run_status, parent.response]).toEqual([
        'SUCCEEDED',
        { status: 'success', data: { doubled: 42 } },
      ])
      const { status, body } = await platform.call(parent.automation_id, '/sync', {})
      expect([status, JSON.parse(body)]).toEqual([200, { status: 'success', data: { doubled: 42 } }])
    }
    expect(await runsOf(by, child.automation_id)).toHaveLength(4)
  })

  test('the caller continues only when an automation that waits responds', async () => {
    const by = await platform.owner()
    await create(by, 'Slow', { trigger: callable(), steps: [delay({ unit: 'minutes', delayFor: 10 }), answer('late')] })
    const parent = await create(by, 'Parent', {
      trigger: hook,
      steps: [call('Slow'), http('POST', 'https://after.test/')],
    })
    platform.requests.length = 0
    const run = await started(parent.automation_id)
    await expect.poll(async () => (await read(by, run)).status).toBe('PAUSED')
    await platform.wait(60_000)
    expect([(await read(by, run)).status, platform.requests]).toEqual(['PAUSED', []])
    await platform.wait(600_000)
    expect(await outcome(by, run)).toMatchObject({ status: 'SUCCEEDED', output: { status: 'success', data: 'late' } })
    expect(platform.requests).toHaveLength(1)
  })

  test('neither a link of an approval nor a guessed address ends the wait for a called automation', async () => {
    const by = await platform.owner()
    await create(by, 'Slow', { trigger: callable(), steps: [delay({ unit: 'minutes', delayFor: 10 }), answer('late')] })
    const links = { pieceName: '@activepieces/piece-approval', actionName: 'create_approval_links', input: {} }
    const parent = await create(by, 'Parent', {
      trigger: hook,
      steps: [
        { type: 'PIECE', displayName: 'Links', settings: links },
        http('POST', 'https://links.test/', { body_type: 'json', body: { data: '{{step_1}}' } }),
        call('Slow'),
        code('inputs.got.data', { got: '{{step_3}}' }),
      ],
    })
    platform.requests.length = 0
    const run = await started(parent.automation_id)
    await expect.poll(async () => (await read(by, run)).status).toBe('PAUSED')
    const { approvalLink } = JSON.parse(platform.requests[0]?.body ?? '')
    const open = async (path: string) => (await platform.call(path, '', { status: 'success', data: 'forged' })).status
    expect(await open(approvalLink.replace('https://platform.test', ''))).toBe(409)
    for (const wait of [`${run}.step_3`, `call ${run}.step_3`])
      expect(await open(`/automate/api/v1/flow-runs/${encodeURIComponent(wait)}`)).toBeGreaterThanOrEqual(409)
    expect((await read(by, run)).status).toBe('PAUSED')
    await platform.wait(600_000)
    await ended(by, run)
    const { status, steps } = await read(by, run)
    expect([status, steps[3].output]).toEqual(['SUCCEEDED', 'late'])
  })

  test('a call without waiting starts the automation once and continues', async () => {
    const by = await platform.owner()
    const child = await create(by, 'Later', { trigger: callable(), steps: [http('POST', 'https://child.test/')] })
    const parent = await create(by, 'Parent', { trigger: hook, steps: [call('Later', {}, false)] })
    platform.requests.length = 0
    const run = await started(parent.automation_id)
    const { status, output } = await outcome(by, run)
    const live = await runsOf(by, child.automation_id)
    expect([status, output, live.length]).toEqual(['SUCCEEDED', { runId: live[0].id }, 1])
    await ended(by, live[0].id)
    expect(platform.requests).toHaveLength(1)
  })

  test('a call fails with the reason when the automation fails, ends without a response or is cancelled', async () => {
    const by = await platform.owner()
    const fails = await create(by, 'Fails', { trigger: callable(), steps: [http('GET', 'https://broken.test/')] })
    await create(by, 'Silent', { trigger: callable(), steps: [code('1')] })
    const waits = await create(by, 'Waits', { trigger: callable(), steps: [delay({ unit: 'days', delayFor: 2 })] })
    platform.answers.set('https://broken.test/', { status: 500, body: {} })
    for (const [name, reason] of [
      ['Fails', /^The called automation failed in run \w{21}: Ask: .*500/],
      ['Silent', /ended without a response in run \w{21}\. Add a returnResponse step/],
    ] as const) {
      const parent = await create(by, `Calls ${name}`, { trigger: hook, steps: [call(name)] })
      expect([parent.status, parent.test.steps[0].error]).toEqual(['test_failed', expect.stringMatching(reason)])
    }
    const parent = await create(by, 'Calls Waits', { trigger: hook, steps: [call('Waits')] })
    expect([fails.status, parent.test.run_status]).toEqual(['active', 'PAUSED'])
    const run = await started(parent.automation_id)
    await expect.poll(async () => (await read(by, run)).status).toBe('PAUSED')
    const [child] = await runsOf(by, waits.automation_id)
    await platform.api().ask('POST', `/api/user/automate/runs/${child.id}/cancel`, { key: by.key })
    expect(await outcome(by, run)).toMatchObject({ status: 'FAILED', error: expect.stringContaining('Cancelled.') })
    // A retry calls the automation again.
    await platform.retry(by, parent.automation_id, run)
    expect([(await read(by, run)).status, (await runsOf(by, waits.automation_id)).length]).toEqual(['PAUSED', 2])
    await platform.remove(by, waits.automation_id)
    expect(await outcome(by, run)).toMatchObject({ status: 'FAILED', error: expect.stringContaining('was deleted') })
  })

  test('automations that call each other in a circle stop', async () => {
    const by = await platform.owner()
    const ping = await create(by, 'Ping', { trigger: callable(), steps: [answer('fine')] })
    const pong = await create(by, 'Pong', { trigger: hook, steps: [call('Ping')] })
    const circle = { flow: { trigger: callable(), steps: [call('Ping'), answer('never')] }, confirm_side_effects: true }
    // Its test calls the version that was live before.
    const updated = await platform.update(by, ping.automation_id, circle, { 'parley-publish': 'when-tested' })
    expect(updated.body.status).toBe('active')
    const { status, error } = await outcome(by, await started(pong.automation_id))
    expect([status, error]).toEqual(['FAILED', expect.stringContaining('Calls can be nested at most 10 deep.')])
    expect(await runsOf(by, ping.automation_id)).toHaveLength(10)
  })

  test('a call to an unknown, disabled or uncallable automation names the problem', async () => {
    const by = await platform.owner()
    const other = await platform.owner()
    const foreign = await create(other, 'Foreign', double)
    await create(by, 'Twice', double)
    await create(by, 'Twice', double)
    await create(by, 'Hooked', { trigger: hook, steps: [code('1')] })
    for (const [flow, problem] of [
      ['Nope', 'There is no automation with the name or id "Nope".'],
      [foreign.automation_id, 'There is no automation'],
      ['Twice', '2 automations have the name "Twice". Use an id: '],
      ['Hooked', 'The automation "Hooked" cannot be called: its trigger is not callableFlow.'],
    ]) {
      const { test: tested } = await create(by, 'Parent', { trigger: hook, steps: [call(flow)] })
      expect(tested.steps[0].error).toContain(problem)
    }
    expect((await platform.call(foreign.automation_id, '', {})).status).toBe(410)
  })
})
