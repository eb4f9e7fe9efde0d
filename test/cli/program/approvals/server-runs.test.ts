import { expect, test } from 'vitest'
import type { RunOptions } from '../../../support/operator.ts'
import { type TwoPlatforms, twoPlatforms } from '../../features/as-code/promotion/two-platforms.ts'

// Operations that a Parley server stores, and answers of that server that are lost or refused.

const env = { CLAUDECODE: '1' }
const unavailable = { status: 503, headers: {}, body: '{"message":"Service Unavailable"}' }

/** A server whose answers to some requests are refused while `isBroken` is set. */
async function breaking(isRefused: (request: { method: string; url: string }) => boolean) {
  const state = { isBroken: false }
  const through: RunOptions['through'] = async (handle, request) =>
    state.isBroken && isRefused(request) ? unavailable : handle(request)
  return { on: await twoPlatforms(undefined, through), state }
}

/** Asks for a deletion, and returns the id of the operation. */
async function asked(on: TwoPlatforms): Promise<string> {
  const { exitCode, stderr } = await on.run('labels delete 1 --profile production', { env })
  expect(exitCode, stderr).toBe(10)
  return JSON.parse(stderr.trim().split('\n').at(-1) as string).error.operation
}

async function approved(on: TwoPlatforms): Promise<string> {
  const id = await asked(on)
  const decided = await on.run(`ops approve ${id} --profile production`, {
    answers: [
      ['Approve this?', true],
      ['scope approve', await on.approver()],
    ],
  })
  expect(decided.exitCode, decided.stderr).toBe(0)
  on.takeWrites()
  return id
}

const deletions = (on: TwoPlatforms): string[] => on.takeWrites().filter((it) => it.includes('DELETE'))
const run = (on: TwoPlatforms, id: string) => on.run(`ops run ${id} --profile production`, { env })

test('a run ends as its command did if the server cannot record the end, and the next run repeats nothing', async () => {
  const { on, state } = await breaking(({ url }) => url.endsWith('/end'))
  const id = await approved(on)
  state.isBroken = true
  const done = await run(on, id)
  expect(done.exitCode, done.stderr).toBe(0)
  expect(done.stderr).toContain('The end of the operation was not recorded')
  expect(deletions(on)).toHaveLength(1)
  state.isBroken = false
  await run(on, id)
  expect(deletions(on)).toEqual([])
})

test('a run whose command failed ends as it did if the server cannot record the end', async () => {
  const { on, state } = await breaking(({ method, url }) => url.endsWith('/end') || method === 'DELETE')
  const id = await approved(on)
  state.isBroken = true
  const direct = await on.run('labels delete 1 --yes --profile production')
  expect(direct.exitCode).not.toBe(0)
  const failed = await run(on, id)
  expect(failed.exitCode, failed.stderr).toBe(direct.exitCode)
  expect(failed.stderr).toContain('The end of the operation was not recorded')
})

test('a run sends nothing if the server cannot record that it starts', async () => {
  const { on, state } = await breaking(({ url }) => url.endsWith('/start'))
  const id = await approved(on)
  state.isBroken = true
  const refused = await run(on, id)
  expect(refused.exitCode).not.toBe(0)
  expect(deletions(on)).toEqual([])
  state.isBroken = false
  const done = await run(on, id)
  expect(done.exitCode, done.stderr).toBe(0)
  expect(deletions(on)).toHaveLength(1)
})

test('of two people who approve at once, the first decides, and it runs once', async () => {
  const { on } = await breaking(() => false)
  const id = await asked(on)
  const key = await on.approver()
  const approve = (answer: string | (() => Promise<string>)) =>
    on.run(`ops approve ${id} --profile production`, {
      answers: [
        ['Approve this?', true],
        ['scope approve', answer],
      ],
    })
  const second = await approve(async () => {
    const first = await approve(key)
    expect(first.exitCode, first.stderr).toBe(0)
    return key
  })
  expect([second.exitCode, second.stderr]).toEqual([5, expect.stringContaining('it was approved already')])
  on.takeWrites()
  expect((await run(on, id)).exitCode).toBe(0)
  expect((await run(on, id)).exitCode).toBe(5)
  expect(deletions(on)).toHaveLength(1)
})
