import { expect } from 'vitest'
import type { Operator } from './operator.ts'

/** Ends the problems that `doctor` finds in the sample data: a sender without an assistant. */
export async function tidyAccount(by: Operator): Promise<Operator> {
  for (const line of ['messaging assign 5 --assistant-id 1']) expect(await by.run(line)).toMatchObject({ exitCode: 0 })
  return by
}
