import { expect, test } from 'vitest'
import { operator } from '../../support/operator.ts'

test('undoing a deletion twice creates one resource, and names it', async () => {
  const by = operator()
  await by.run('tools delete 1 --confirm lookup_patient')
  const before = await by.json('tools list')
  const first = await by.json('history undo 1')
  const again = await by.run('history undo 1')
  expect([again.exitCode, again.stdout]).toEqual([
    0,
    `Nothing to undo: the tool "lookup_patient" (1) was recreated with id ${first.id}.\n`,
  ])
  expect(await by.json('tools list')).toHaveLength(before.length + 1)
})

test('undoing a deletion creates the resource again after the one of an earlier undo was deleted', async () => {
  const by = operator()
  await by.run('labels delete 1 --yes')
  const first = await by.json('history undo 1')
  await by.run(`labels delete ${first.id} --yes`)
  const second = await by.json('history undo 1')
  expect(second).toMatchObject({ done: 'created' })
  expect(second.id).not.toBe(first.id)
})
