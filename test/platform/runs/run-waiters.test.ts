import { expect, test } from 'vitest'
import { RunWaiters } from '../../../src/platform/runs/run-waiters.ts'

const result = { answer: undefined, isOver: true }
/** Runs that are not stored yet, so that only a notification ends a wait. */
const waiters = () => new RunWaiters({} as never)
const run = { id: 'run', account: 1 }
const notStored = (): boolean => false

test('everyone who waits for a run gets its result, also after another has given up', async () => {
  const all = waiters()
  const patient = all.wait(run, 60_000, notStored)
  expect(await all.wait(run, 1, notStored)).toBeUndefined()
  const late = all.wait(run, 60_000, notStored)
  all.notify('other', { answer: undefined, isOver: false })
  all.notify('run', result)
  expect(await Promise.all([patient, late])).toEqual([result, result])
})

test('everyone who waits for a run that cannot be stored gets the error, also after another has given up', async () => {
  const all = waiters()
  const patient = all.wait(run, 60_000, notStored)
  expect(await all.wait(run, 1, notStored)).toBeUndefined()
  all.fail('run', new Error('disk full'))
  await expect(patient).rejects.toThrow('disk full')
})

test('the result of an earlier wait is not that of a later one', async () => {
  const all = waiters()
  const first = all.wait(run, 60_000, notStored)
  all.notify('run', result)
  await first
  expect(await all.wait(run, 1, notStored)).toBeUndefined()
})
