import { describe, expect, test } from 'vitest'
import { minute } from '../../../src/contract/values/micros.ts'
import { StoreError } from '../../../src/store/database/store-error.ts'
import { databases } from '../../support/databases.ts'
import { bench, chain, type Does, done } from './fake-steps.ts'

describe.each(databases)('a run on $name', ({ fresh }) => {
  test('continues a step during which the database could not be used, and does not show its place', async () => {
    let tries = 0
    const problems: string[] = []
    const lost: Does = () => {
      if (++tries === 1) throw new StoreError('unreachable', 'The database 10.0.0.7/parley cannot be reached.')
      return done(tries)
    }
    const { run, see, due, clock } = await bench(await fresh(), { extra: { lost }, problems })
    const id = await run(chain({ name: 'step_1', does: 'lost' }))
    expect(problems.join()).toContain('10.0.0.7')
    expect((await see(id)).outcome).not.toContain('FAILED')
    await clock.advance(5 * minute)
    await due.drain()
    const { outcome, steps } = await see(id)
    expect(outcome).toBe('SUCCEEDED step_1:SUCCEEDED*2')
    expect(steps[0]).toMatchObject({ output: '2', error: null })
  })
})
