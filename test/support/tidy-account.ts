import { expect } from 'vitest'
import type { Operator } from './operator.ts'

/** Releases the paid number of the sample data that nothing uses: the only problem that `doctor` finds there. */
export async function releaseUnusedNumber(by: Operator): Promise<Operator> {
  expect(await by.run('numbers release 2 --yes')).toMatchObject({ exitCode: 0 })
  return by
}
