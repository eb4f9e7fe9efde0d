import { expect, test } from 'vitest'
import { notParleyServer } from '../../../support/altered-responses.ts'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'

type Through = NonNullable<RunOptions['through']>

/** A platform that is not a Parley server, which does its work and loses the answer, or loses the request. */
const losing =
  (isDone: boolean): Through =>
  async (handle, request) => {
    if (request.method !== 'POST') return notParleyServer(handle, request)
    if (isDone) await notParleyServer(handle, request)
    return { status: 502, headers: {}, body: '' }
  }
const plain: RunOptions = { through: notParleyServer }

const newestState = async ({ json }: Operator): Promise<string> => (await json('ops list'))[0].state

/** Does an operation, repeats it and loses the second answer or request, and reconciles. */
async function repeated(by: Operator, line: string, isDone: boolean, options: RunOptions = plain): Promise<string> {
  expect((await by.run(line, plain)).exitCode).toBe(0)
  by.wait(30_000)
  expect((await by.run(line, { through: losing(isDone) })).exitCode).toBe(12)
  by.wait(121_000)
  await by.run('ops reconcile', options)
  return newestState(by)
}

test.each([
  [true, 'done'],
  [false, 'refused'],
])('a chat message with the text of an earlier one is not taken for it (carried out: %s)', async (isDone, state) => {
  const by = operator()
  const { conversation_id: uuid } = await by.json('conversations start --assistant 1', plain)
  expect(await repeated(by, `conversations send ${uuid} --message Hello`, isDone)).toBe(state)
})

test.each([
  [true, 'done'],
  [false, 'unknown'],
])('a call is not taken for an earlier call to the same number (carried out: %s)', async (isDone, state) => {
  expect(await repeated(operator(), 'calls start +15005550300 --assistant Recall --yes', isDone)).toBe(state)
})

test('a number that was on the account before is not taken for the purchase', async () => {
  const by = operator()
  const line = 'numbers buy +15005550006 --yes'
  expect((await by.run(line, plain)).exitCode).toBe(0)
  by.wait(3_600_000)
  expect((await by.run(line, { through: losing(false) })).exitCode).toBe(12)
  by.wait(121_000)
  await by.run('ops reconcile', plain)
  expect((await by.json('ops list')).map((it: { state: string }) => it.state)).toEqual(['refused', 'done'])
})
