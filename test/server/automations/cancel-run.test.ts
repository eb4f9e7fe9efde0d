import { describe, expect, test } from 'vitest'
import { databases } from '../../support/databases.ts'
import { delay, hook, http, respond } from '../../support/flow-definitions.ts'
import { automationPlatform, type Owner } from '../../support/platform/automation-platform.ts'

describe.each(databases)('cancelling a run on $name', (database) => {
  let onRequest = (): void => {}
  let hang = false
  const requests: string[] = []
  const it = automationPlatform(database, {
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
  const cancel = ({ key }: Owner, run: string) => it.api().ask('POST', `/api/user/automate/runs/${run}/cancel`, { key })
  const read = async ({ key }: Owner, run: string) =>
    (await it.api().ask('GET', `/api/user/automate/runs/${run}`, { key })).body.data
  const listed = async ({ key }: Owner, status: string) =>
    (await it.api().ask('GET', `/api/user/automate/runs?status=${status}&test=false`, { key })).body.data.map(
      ({ id }: { id: string }) => id,
    )

  async function started(by: Owner, steps: object[]): Promise<{ readonly id: string; readonly run: string }> {
    const { body } = await it.create(by, { flow: { trigger: hook, steps }, confirm_side_effects: true })
    const { headers } = await it.call(body.automation_id, '', {})
    return { id: body.automation_id, run: headers['x-webhook-id'] as string }
  }

  test('a waiting run starts no further step, and a retry continues it', async () => {
    const by = await it.owner()
    const { id, run } = await started(by, [delay({ unit: 'minutes', delayFor: 10 }), send])
    await it.wait(0)
    expect((await read(by, run)).status).toBe('PAUSED')
    const other = await it.owner()
    expect((await cancel(other, run)).status).toBe(404)
    const { status, body } = await cancel(by, run)
    expect([status, body.data.status, body.data.error]).toEqual([200, 'CANCELLED', 'Cancelled.'])
    requests.length = 0
    await it.wait(3_600_000)
    expect(requests).toEqual([])
    expect(await read(by, run)).toMatchObject({
      status: 'CANCELLED',
      steps: [{ status: 'FAILED', error: 'Cancelled.' }],
    })
    expect([await listed(by, 'CANCELLED'), await listed(by, 'FAILED')]).toEqual([[run], []])
    expect((await cancel(by, run)).body.data.end_time).toBe(body.data.end_time)
    // The wait starts again: cancelling does not make a later retry skip it.
    await it.retry(by, id, run)
    expect((await read(by, run)).status).toBe('PAUSED')
    await it.wait(600_000)
    await expect.poll(async () => (await read(by, run)).status).toBe('SUCCEEDED')
    expect(requests).toEqual([after])
  })

  test('a step that is running is abandoned, and its result is not stored', async () => {
    const by = await it.owner()
    hang = true
    const requested = new Promise<void>((resolve) => (onRequest = resolve))
    const { body } = await it.create(by, {
      flow: { trigger: hook, steps: [delay({ unit: 'minutes', delayFor: 10 }), send, respond({ done: true })] },
      confirm_side_effects: true,
    })
    const run = (await it.call(body.automation_id, '', {})).headers['x-webhook-id'] as string
    await it.wait(0)
    void it.wait(600_000)
    await requested
    expect((await cancel(by, run)).body.data.status).toBe('CANCELLED')
    hang = false
    onRequest = () => {}
    await it.wait(3_600_000)
    const { status, steps } = await read(by, run)
    expect([status, steps.map((step: { status: string }) => step.status)]).toEqual([
      'CANCELLED',
      ['SUCCEEDED', 'FAILED'],
    ])
  })

  test('a run that has ended is not changed', async () => {
    const by = await it.owner()
    const { run } = await started(by, [respond({ hello: 'you' })])
    await it.wait(0)
    await expect.poll(async () => (await read(by, run)).status).toBe('SUCCEEDED')
    const { status, body } = await cancel(by, run)
    expect([status, body.data.status]).toEqual([200, 'SUCCEEDED'])
    expect((await cancel(by, 'nothing')).status).toBe(404)
  })
})
