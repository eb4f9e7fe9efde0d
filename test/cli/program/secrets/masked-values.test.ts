import { expect, test } from 'vitest'
import { findCounterpart } from '../../../../src/cli/program/secrets/masked-values.ts'

const header = (value: string, prefix = '') => ({ name: 'Authorization', value, ...(prefix && { prefix }) })

test('the secret of an entry does not get into a second entry with the same name', () => {
  const stored = [header('secret-1', 'a')]
  const edited = [header('••• hidden', 'b'), header('••• hidden', 'c')]
  expect(edited.map((_, n) => findCounterpart(edited, n, stored))).toEqual([undefined, undefined])
})

test('an entry gets no secret if two stored entries with its name could be meant', () => {
  const stored = [header('secret-1', 'a'), header('secret-2', 'b')]
  expect(findCounterpart([header('••• hidden', 'c')], 0, stored)).toBeUndefined()
  expect(findCounterpart([header('••• hidden', 'b')], 0, stored)).toBe(stored[1])
})
