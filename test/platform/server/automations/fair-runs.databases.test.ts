import { beforeAll, describe, expect, test } from 'vitest'
import { maxStartedRuns, maxWaitingRuns } from '../../../../src/platform/runs/run-limits.ts'
import { databases } from '../../../support/databases.ts'
import { code, hook, respond } from '../../../support/flow-definitions.ts'
import { automationPlatform, type Owner } from '../../../support/platform/automation-platform.ts'

const request = (url: string) => ({
  name: 'ask',
  type: 'PIECE',
  settings: { pieceName: '@engine/piece-http', actionName: 'send_request', input: { method: 'GET', url } },
})

describe.each(databases)('an account whose receiver does not answer, on $name', (database) => {
  /** Ends the requests to the receiver. */
  const held: (() => void)[] = []
  let isHolding = false
  const platform = automationPlatform(database, {
    automationPorts: {
      http: {
        async send({ url }) {
          if (url.includes('hanging') && isHolding) await new Promise<void>((resolve) => held.push(resolve))
          return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from('{"ok":true}') }
        },
      },
    },
  })
  let slow: Owner
  let other: Owner
  let hanging: string
  let quick: string
  beforeAll(async () => {
    slow = await platform.owner()
    other = await platform.owner()
    const asking = { trigger: hook, steps: [request('https://hanging.example/'), respond({ done: true })] }
    const answering = { trigger: hook, steps: [code('1'), request('https://quick.example/'), respond({ done: true })] }
    hanging = (await platform.create(slow, { flow: asking })).body.automation_id
    quick = (await platform.create(other, { flow: answering })).body.automation_id
  })

  test('does not delay the runs of another account, and its own calls are refused beyond a bound', async () => {
    isHolding = true
    const accepted = []
    for (let n = 0; n < maxStartedRuns; n++) accepted.push((await platform.call(hanging, '', {})).status)
    await expect.poll(() => held.length).toBe(maxStartedRuns)
    // None of these calls was answered when the other account calls.
    expect(await platform.call(quick, '/sync', {})).toMatchObject({ status: 200, body: '{"done":true}' })
    for (let n = 0; n < maxWaitingRuns; n += 8) {
      const calls = Array.from({ length: Math.min(8, maxWaitingRuns - n) }, () => platform.call(hanging, '', {}))
      accepted.push(...(await Promise.all(calls)).map((it) => it.status))
    }
    expect(accepted.filter((status) => status !== 200)).toEqual([])
    const refused = await platform.call(hanging, '', {})
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '10' } })
    expect(JSON.parse(refused.body).message).toBe('Too many runs of this account are waiting. Try again later.')
    expect((await platform.call(hanging, '/sync', {})).status).toBe(503)
    expect(held).toHaveLength(maxStartedRuns)
    for (let n = 0; n < 20; n++)
      expect(await platform.call(quick, '/sync', {})).toMatchObject({ status: 200, body: '{"done":true}' })
    // The accepted runs end when the receiver answers, and no other.
    isHolding = false
    for (const end of held.splice(0)) end()
    const ended = async (): Promise<number> => {
      let count = 0
      for (let cursor = ''; ; ) {
        const { data, next_cursor: next } = (
          await platform
            .api()
            .ask('GET', `/api/user/automate/runs?limit=100&status=SUCCEEDED${cursor}`, { key: slow.key })
        ).body
        count += data.length
        if (!next) return count
        cursor = `&cursor=${next}`
      }
    }
    // One more tested the automation when it was created.
    await expect.poll(ended, { timeout: 120_000, interval: 200 }).toBe(maxStartedRuns + maxWaitingRuns + 1)
    expect((await platform.call(hanging, '/sync', {})).status).toBe(200)
  }, 300_000)
})
