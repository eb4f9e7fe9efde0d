import { beforeEach, describe, expect, test } from 'vitest'
import type { AutomationNode } from '../../../src/contract/automations/automation-node.ts'
import { callKey } from '../../../src/platform/runs/called-runs.ts'
import { databases } from '../../support/databases.ts'
import { type Bench, bench, chain, done } from './fake-steps.ts'

const day = 24 * 3600 * 1_000_000

describe.each(databases)('runs that call other runs on $name', (database) => {
  let platform: Bench
  /** How the step `begin` starts the called run, with its deduplication key. Returns its id. */
  let start: (dedupe: string) => Promise<string>
  let called: string

  beforeEach(async () => {
    platform = await bench(await database.fresh(), {
      extra: {
        forever: () => ({ kind: 'pause', until: null }),
        begin: async ({ resumed, key }) => {
          if (resumed) return done(resumed.payload)
          called = await start(callKey(key))
          return { kind: 'pause', until: null, call: called }
        },
      },
    })
  })

  const caller = chain({ name: 'a', does: 'begin' }, { name: 'b', does: 'echo', input: { got: '{{a}}' } })
  /** Waits until the caller has ended, and compares what it got. */
  const sees = (run: string, got: unknown) =>
    expect
      .poll(async () => {
        await platform.due.drain()
        const { outcome, steps } = await platform.see(run)
        return [outcome, JSON.parse(steps[1]?.output ?? 'null')?.got]
      })
      .toEqual(['SUCCEEDED a:SUCCEEDED b:SUCCEEDED', got])
  const begins = (first: AutomationNode) => {
    start = (dedupe) => platform.run(first, { dedupe })
    return platform.run(caller)
  }

  test('a run that responds before its caller waits is not missed', async () => {
    const run = await begins(chain({ name: 'x', does: 'say', input: { n: 1 } }))
    await sees(run, { status: 'success', data: { n: 1 } })
  })

  test('a run that fails before its caller waits is not missed', async () => {
    const run = await begins(chain({ name: 'x', does: 'fail' }))
    await sees(run, {
      status: 'error',
      errorMessage: expect.stringContaining(`failed in run ${called}: x: It does not work.`),
    })
  })

  test('a run that responds after its caller waits continues it once, at its first response', async () => {
    const run = await begins(
      chain(
        { name: 'w', does: 'wait', input: { micros: 60_000_000 } },
        { name: 'x', does: 'say', input: { n: 2 } },
        { name: 'y', does: 'say', input: { n: 3 } },
        { name: 'z', does: 'fail' },
      ),
    )
    await platform.due.drain()
    expect((await platform.see(run)).outcome).toBe('PAUSED a:PAUSED')
    await platform.clock.advance(60_000_000)
    await sees(run, { status: 'success', data: { n: 2 } })
  })

  test('a run that responds and then waits continues its caller', async () => {
    const run = await begins(chain({ name: 'x', does: 'call' }))
    await sees(run, { status: 'success', data: 'later' })
  })

  test('a run that ends without a response continues its caller with the reason', async () => {
    const run = await begins(chain({ name: 'x', does: 'echo' }))
    await sees(run, { status: 'error', errorMessage: expect.stringContaining(`without a response in run ${called}.`) })
  })

  test('a run that waits too long continues its caller with the reason', async () => {
    start = async (dedupe) => {
      const id = await platform.run(chain({ name: 'x', does: 'forever' }), { dedupe })
      await platform.clock.advance(day)
      return id
    }
    const run = await platform.run(caller)
    await platform.clock.advance(29 * day)
    await sees(run, { status: 'error', errorMessage: expect.stringContaining('Timed out waiting for a callback.') })
  })

  test('only a run that the waiting step called continues it', async () => {
    start = async () => platform.run(chain({ name: 'x', does: 'forever' }))
    const run = await platform.run(caller)
    for (const dedupe of [callKey(`${run}:a:2`), callKey(`${run}:b`), `key ${run}:a`])
      await platform.run(chain({ name: 'x', does: 'say', input: {} }), { dedupe })
    await platform.due.drain()
    expect((await platform.see(run)).outcome).toBe('PAUSED a:PAUSED')
  })

  test('a run that waits for a request is not timed out when a process resumes it too early', async () => {
    const run = await platform.run(chain({ name: 'x', does: 'call' }))
    await platform.runner.resume([{ id: run, account: 1 }])
    expect((await platform.see(run)).outcome).toBe('PAUSED x:PAUSED')
    await platform.clock.advance(31 * day)
    await platform.due.drain()
    expect((await platform.see(run)).outcome).toBe('FAILED x:FAILED')
  })
})
