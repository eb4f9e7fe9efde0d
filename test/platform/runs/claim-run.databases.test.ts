import { describe, expect, test } from 'vitest'
import { claimRuns } from '../../../src/platform/runs/claim-run.ts'
import type { Connection } from '../../../src/platform/store/database/connection.ts'
import { databases } from '../../support/databases.ts'
import { bench, chain } from './fake-steps.ts'

/** Processes that take a run, one after another, and end before any of its steps begins. */
async function restart(connection: Connection, id: string, times: number): Promise<void> {
  for (let n = 0; n < times; n++) await connection.write({ account: 1 }, (query) => claimRuns(query, [id], n))
}

describe.each(databases)('a run on $name whose process ends before a step begins', ({ fresh }) => {
  test('continues after twenty restarts in a row', async () => {
    const connection = await fresh()
    const first = await bench(connection, { owner: 'here:2:dead' })
    const id = (await first.accept(chain({ name: 'step_1', does: 'echo' }, { name: 'step_2', does: 'echo' }))) as string
    await restart(connection, id, 20)
    const next = await bench(connection, { isAlive: (owner) => !owner.includes('dead') })
    await next.due.drain()
    expect((await next.see(id)).outcome).toBe('SUCCEEDED step_1:SUCCEEDED*2 step_2:SUCCEEDED')
  })

  test('fails after 25 restarts in a row, and reports that no step could start', async () => {
    const connection = await fresh()
    const first = await bench(connection, { owner: 'here:2:dead' })
    const id = (await first.accept(chain({ name: 'step_1', does: 'echo' }))) as string
    await restart(connection, id, 25)
    const { run, steps } = await first.see(id)
    const error = 'The platform stopped 25 times before this step could restart. It was not retried.'
    expect(run).toMatchObject({ status: 'FAILED', error: `step_1: ${error}` })
    expect(steps).toMatchObject([{ status: 'FAILED', attempt: 1, error }])
    expect(await connection.read.selectFrom('due').selectAll().execute()).toEqual([])
  })
})
