import { expect, test } from 'vitest'
import { type TwoPlatforms, twoPlatforms } from './two-platforms.ts'

// A coding agent promotes: a person approves what production gets, and nothing else is sent.

const env = { CLAUDECODE: '1' }
const promote = 'promote --only automations --from staging --to production --confirm production --confirm-side-effects'

/** Returns the writes since the last call, except those about the approval. */
const sentIn = (on: TwoPlatforms): string[] => on.takeWrites().filter((it) => !it.includes('/approvals'))

/** Asks for a promotion of two renamed automations and approves it. Returns the id of the operation and the automations. */
async function approved(on: TwoPlatforms): Promise<{ id: string; automations: { id: string; name: string }[] }> {
  const listed = await on.json('staging', 'automate list --filter status=enabled')
  const automations = listed.slice(0, 2)
  for (const [n, { id }] of automations.entries()) {
    const renamed = await on.run(['--profile', 'staging', 'automate', 'update', id, '--name', `Renamed ${n}`])
    expect(renamed.exitCode, renamed.stderr).toBe(0)
  }
  on.takeWrites()
  const asked = await on.run(promote, { env })
  expect(asked.exitCode, asked.stderr).toBe(10)
  expect(on.takeWrites()).toEqual(['production POST /api/user/approvals'])
  const id = JSON.parse(asked.stderr.trim().split('\n').at(-1) as string).error.operation
  const decided = await on.run(`ops approve ${id} --profile production`, {
    answers: [
      ['Approve this?', true],
      ['scope approve', await on.approver()],
    ],
  })
  on.takeWrites()
  expect(decided.exitCode, decided.stderr).toBe(0)
  return { id, automations }
}

test('an approved promotion sends nothing after the source has changed', async () => {
  const on = await twoPlatforms()
  const { id, automations } = await approved(on)
  await on.run(['--profile', 'staging', 'automate', 'update', String(automations[1]?.id), '--name', 'Other'])
  on.takeWrites()
  const changed = await on.run(`ops run ${id} --profile production`, { env })
  expect([changed.exitCode, sentIn(on)], changed.stderr).toEqual([5, []])
})

test('an approved promotion that failed after its first write continues with the rest', async () => {
  let isRefused = false
  let creations = 0
  const on = await twoPlatforms(undefined, async (handle, request) =>
    isRefused && request.method === 'POST' && request.url.endsWith('/automate/flows') && ++creations > 1
      ? { status: 422, headers: {}, body: '{"message":"The definition is invalid."}' }
      : handle(request),
  )
  const { id } = await approved(on)
  isRefused = true
  const partly = await on.run(`ops run ${id} --profile production`, { env })
  expect(partly.exitCode, partly.stderr).toBe(11)
  isRefused = false
  const first = sentIn(on)
  const rest = await on.run(`ops run ${id} --profile production`, { env })
  expect(rest.exitCode, rest.stderr).toBe(0)
  expect(sentIn(on).length).toBeLessThan(first.length)
  const names = (await on.json('production', 'automate list')).map((it: { name: string }) => it.name)
  expect(names).toEqual(expect.arrayContaining(['Renamed 0', 'Renamed 1']))
  expect((await on.run(`ops run ${id} --profile production`, { env })).exitCode).toBe(5)
})

test('a promotion to an active assistant waits, and its undo too', async () => {
  const on = await twoPlatforms()
  expect((await on.run('--profile staging assistants update 1 --max-duration 300')).exitCode).toBe(0)
  const line = 'promote assistants/front-desk --from staging --to production --confirm production'
  for (const each of [line, 'promote undo --to production --confirm production']) {
    on.takeWrites()
    const asked = await on.run(each, { env })
    expect([asked.exitCode, sentIn(on)], asked.stderr).toEqual([10, []])
    const id = JSON.parse(asked.stderr.trim().split('\n').at(-1) as string).error.operation
    const decided = await on.run(`ops approve ${id} --profile production`, {
      answers: [
        ['Approve this?', true],
        ['scope approve', await on.approver()],
      ],
    })
    expect(decided.exitCode, decided.stderr).toBe(0)
    const done = await on.run(`ops run ${id} --profile production`, { env })
    expect([done.exitCode, sentIn(on)], done.stderr).toEqual([0, ['production PUT /api/user/assistant/1']])
  }
})
