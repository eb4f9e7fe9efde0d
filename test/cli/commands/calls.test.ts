import { expect, test } from 'vitest'
import { operator } from '../../support/operator.ts'

test('a call shows its length and its costs in the same format in a list and alone', async () => {
  const { run, json } = operator()
  const [call] = (await json('calls list')).filter((it: { duration: number }) => it.duration > 60)
  const length = `${Math.floor(call.duration / 60)}:${String(call.duration % 60).padStart(2, '0')}`
  const alone = (await run(`calls get ${call.id} --no-color`, { terminal: true })).stdout
  expect(alone).toMatch(new RegExp(`^Duration +${length}$`, 'm'))
  expect(alone).toMatch(/^Carrier cost +\d+\.\d+ USD$/m)
  expect(alone).toMatch(/^Cost +\d+\.\d+ USD$/m)
  expect((await run('calls list --no-color', { terminal: true, columns: 160 })).stdout).toContain(` ${length} `)
  expect(await json(`calls get ${call.id}`)).toMatchObject({ duration: call.duration, carrier_cost: call.carrier_cost })
})

test('campaigns call their assistants by name, for people', async () => {
  const { run, json } = operator()
  await json('campaigns create --name Spring --assistant Recall')
  const people = await run('campaigns list --no-color', { terminal: true, columns: 140 })
  expect(people.stdout).toMatch(/Spring +call +draft +Recall /)
  expect((await run('campaigns list')).stdout).toContain('Recall')
  expect((await run('campaigns get Spring --no-color', { terminal: true })).stdout).toMatch(
    /^Assistant +Recall \(2\)$/m,
  )
  expect(await json('campaigns get Spring')).toMatchObject({ assistant_id: 2 })
  expect((await run('campaigns list --json')).requests).toEqual(['GET /api/user/campaigns'])
  const refused = await run('campaigns list --no-color', {
    terminal: true,
    columns: 140,
    through: (handle, request) =>
      request.url.startsWith('/api/user/assistants')
        ? Promise.resolve({ status: 404, headers: {}, body: '{"message":"Not Found"}' })
        : handle(request),
  })
  expect(refused).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/Spring +call +draft +2 /) })
})
