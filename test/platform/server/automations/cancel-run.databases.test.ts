import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { delay, hook, http, respond } from '../../../support/flow-definitions.ts'
import { automationPlatform, type Owner } from '../../../support/platform/automation-platform.ts'

const pieceName = '@activepieces/piece-subflows'
const callable = {
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  settings: { pieceName, triggerName: 'callableFlow', input: {} },
}
const callFlow = (flow: string, waitForResponse: boolean) => ({
  type: 'PIECE',
  settings: { pieceName, actionName: 'callFlow', input: { flow, flowProps: {}, waitForResponse } },
})

describe.each(databases)('cancelling a run on $name', (database) => {
  let onRequest = (): void => {}
  let hang = false
  const requests: string[] = []
  const platform = automationPlatform(database, {
    automationPorts: {
      http: {
        send: ({ url }) => {
          requests.push(url)
          onRequest()
          if (hang) return new Promise(() => {})
          return Promise.resolve({ status: 200, headers: {}, body: Buffer.from('') })
        },
      },
    },
  })
  const after = 'https://after.example/'
  const send = http('POST', after)
  const cancel = ({ key }: Owner, run: string) =>
    platform.api().ask('POST', `/api/user/automate/runs/${run}/cancel`, { key })
  const read = async ({ key }: Owner, run: string) =>
    (await platform.api().ask('GET', `/api/user/automate/runs/${run}`, { key })).body.data
  const listed = async ({ key }: Owner, status: string) =>
    (await platform.api().ask('GET', `/api/user/automate/runs?status=${status}&test=false`, { key })).body.data.map(
      ({ id }: { id: string }) => id,
    )

  async function started(by: Owner, steps: object[]): Promise<{ readonly id: string; readonly run: string }> {
    const { body } = await platform.create(by, { flow: { trigger: hook, steps }, confirm_side_effects: true })
    const { headers } = await platform.call(body.automation_id, '', {})
    return { id: body.automation_id, run: headers['x-webhook-id'] as string }
  }

  test('a waiting run starts no further step, and a retry continues it', async () => {
    const by = await platform.owner()
    const { id, run } = await started(by, [delay({ unit: 'minutes', delayFor: 10 }), send])
    await platform.wait(0)
    expect((await read(by, run)).status).toBe('PAUSED')
    const other = await platform.owner()
    expect((await cancel(other, run)).status).toBe(404)
    const { status, body } = await cancel(by, run)
    expect([status, body.data.status, body.data.error]).toEqual([200, 'CANCELLED', 'Cancelled.'])
    requests.length = 0
    await platform.wait(3_600_000)
    expect(requests).toEqual([])
    expect(await read(by, run)).toMatchObject({
      status: 'CANCELLED',
      steps: [{ status: 'FAILED', error: 'Cancelled.' }],
    })
    expect([await listed(by, 'CANCELLED'), await listed(by, 'FAILED')]).toEqual([[run], []])
    expect((await cancel(by, run)).body.data.end_time).toBe(body.data.end_time)
    // The wait starts again: cancelling does not make a later retry skip it.
    await platform.retry(by, id, run)
    expect((await read(by, run)).status).toBe('PAUSED')
    await platform.wait(600_000)
    await expect.poll(async () => (await read(by, run)).status).toBe('SUCCEEDED')
    expect(requests).toEqual([after])
  })

  test('a step that is running is abandoned, and its result is not stored', async () => {
    const by = await platform.owner()
    hang = true
    const requested = new Promise<void>((resolve) => (onRequest = resolve))
    const { body } = await platform.create(by, {
      flow: { trigger: hook, steps: [delay({ unit: 'minutes', delayFor: 10 }), send, respond({ done: true })] },
      confirm_side_effects: true,
    })
    const run = (await platform.call(body.automation_id, '', {})).headers['x-webhook-id'] as string
    await platform.wait(0)
    void platform.wait(600_000)
    await requested
    expect((await cancel(by, run)).body.data.status).toBe('CANCELLED')
    hang = false
    onRequest = () => {}
    await platform.wait(3_600_000)
    const { status, steps } = await read(by, run)
    expect([status, steps.map((step: { status: string }) => step.status)]).toEqual([
      'CANCELLED',
      ['SUCCEEDED', 'FAILED'],
    ])
  })

  test('a run that has ended is not changed', async () => {
    const by = await platform.owner()
    const { run } = await started(by, [respond({ hello: 'you' })])
    await platform.wait(0)
    await expect.poll(async () => (await read(by, run)).status).toBe('SUCCEEDED')
    const { status, body } = await cancel(by, run)
    expect([status, body.data.status]).toEqual([200, 'SUCCEEDED'])
    expect((await cancel(by, 'nothing')).status).toBe(404)
  })

  test('cancels the runs that it waits for, but not those that it started without waiting', async () => {
    const by = await platform.owner()
    const days = delay({ unit: 'days', delayFor: 2 })
    const make = async (name: string, steps: object[]) =>
      (await platform.create(by, { name, flow: { trigger: callable, steps }, confirm_side_effects: true })).body
        .automation_id
    const [inner, middle, aside] = [
      await make('Inner', [days]),
      await make('Middle', [callFlow('Inner', true)]),
      await make('Aside', [days]),
    ]
    const { run, id } = await started(by, [callFlow('Aside', false), callFlow('Middle', true), send])
    const live = async (automation: string) =>
      (
        await platform
          .api()
          .ask('GET', `/api/user/automate/runs?automation_id=${automation}&test=false`, { key: by.key })
      ).body.data
    await expect.poll(async () => (await live(inner))[0]?.status).toBe('PAUSED')
    await expect.poll(async () => (await read(by, run)).status).toBe('PAUSED')
    const [[innerRun], [middleRun], [asideRun]] = [await live(inner), await live(middle), await live(aside)]
    expect((await read(by, run)).steps.map((step: { called_run: string | null }) => step.called_run)).toEqual([
      null,
      middleRun.id,
    ])
    requests.length = 0
    const { body } = await cancel(by, run)
    expect(body.data).toMatchObject({ id: run, status: 'CANCELLED', also_cancelled: [middleRun.id, innerRun.id] })
    const statuses = async () =>
      Promise.all([run, middleRun.id, innerRun.id, asideRun.id].map(async (it) => (await read(by, it)).status))
    expect(await statuses()).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED', 'PAUSED'])
    await platform.wait(3 * 86_400_000)
    await expect.poll(async () => (await read(by, asideRun.id)).status).toBe('SUCCEEDED')
    expect([await statuses(), requests]).toEqual([['CANCELLED', 'CANCELLED', 'CANCELLED', 'SUCCEEDED'], []])
    expect((await cancel(by, run)).body.data.also_cancelled).toEqual([])
    // A retry calls again instead of reading the result of the cancelled run.
    await platform.retry(by, id, run)
    await expect
      .poll(async () => (await live(inner)).map((it: { status: string }) => it.status))
      .toEqual(['PAUSED', 'CANCELLED'])
  })

  test('abandons the step that is running in a called run', async () => {
    const by = await platform.owner()
    hang = true
    const requested = new Promise<void>((resolve) => (onRequest = resolve))
    const child = await platform.create(by, {
      name: 'Child',
      flow: { trigger: callable, steps: [delay({ unit: 'minutes', delayFor: 1 }), send] },
      confirm_side_effects: true,
    })
    const { run } = await started(by, [callFlow('Child', true)])
    await expect.poll(async () => (await read(by, run)).status).toBe('PAUSED')
    void platform.wait(60_000)
    await requested
    const { also_cancelled } = (await cancel(by, run)).body.data
    hang = false
    onRequest = () => {}
    const calls = (
      await platform.api().ask('GET', `/api/user/automate/runs?automation_id=${child.body.automation_id}&test=false`, {
        key: by.key,
      })
    ).body.data
    expect([calls.length, also_cancelled, calls[0].status]).toEqual([1, [calls[0].id], 'CANCELLED'])
  })
})
