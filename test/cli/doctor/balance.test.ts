import { expect, test } from 'vitest'
import { type Handle, operator, type RunOptions } from '../../support/operator.ts'

type Through = NonNullable<RunOptions['through']>

const balanceOf = async (by: ReturnType<typeof operator>, options: RunOptions = {}): Promise<object> => {
  const { stdout } = await by.run('doctor --json', options)
  return JSON.parse(stdout).find(({ check }: { check: string }) => check === 'balance')
}

test('doctor warns about a balance of zero', async () => {
  const by = operator()
  expect(await balanceOf(by)).toMatchObject({ status: 'ok', detail: 'The balance is 25.00 USD.' })
  await by.run('server accounts update 1 --balance 0')
  expect(await balanceOf(by)).toMatchObject({
    status: 'warning',
    detail: 'The balance is 0.00 USD. Calls and messages are refused.',
    hint: expect.stringContaining('parley server accounts update <id> --top-up'),
  })
})

test('doctor warns about a balance below what calls and conversations cost in the last week', async () => {
  const by = operator()
  const start = Date.parse('2026-08-04T12:00:00Z')
  const cost = (total: number, daysAgo: number): Awaited<ReturnType<Handle>> => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      data: [{ id: 1, total_cost: total, created_at: new Date(start - daysAgo * 86_400_000).toISOString() }],
      total: 1,
      per_page: 100,
      current_page: 1,
    }),
  })
  const spent =
    (calls: number, chats: number, daysAgo = 1): Through =>
    async (handle, request) =>
      request.url.startsWith('/api/user/calls')
        ? cost(calls, daysAgo)
        : request.url.startsWith('/api/user/conversations')
          ? cost(chats, daysAgo)
          : handle(request)
  expect(await balanceOf(by, { through: spent(20, 30) })).toMatchObject({
    status: 'warning',
    detail:
      'The balance is 25.00 USD and lasts about 3 days: calls and conversations of the last 7 days cost 50.00 USD.',
    hint: expect.stringContaining('parley server accounts update <id> --top-up'),
  })
  expect(await balanceOf(by, { through: spent(200, 30) })).toMatchObject({
    detail: expect.stringContaining('lasts less than a day'),
  })
  expect(await balanceOf(by, { through: spent(10, 15) })).toMatchObject({ status: 'ok' })
  // A platform that ignores the filter by date.
  expect(await balanceOf(by, { through: spent(200, 30, 9) })).toMatchObject({ status: 'ok' })
  // A platform that does not list calls.
  const refused: Through = async (handle, request) =>
    request.url.startsWith('/api/user/calls')
      ? { status: 404, headers: {}, body: '{"message":"Not Found"}' }
      : handle(request)
  expect(await balanceOf(by, { through: refused })).toMatchObject({ status: 'ok' })
})
