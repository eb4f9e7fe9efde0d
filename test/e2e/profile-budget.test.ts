import { expect, test } from 'vitest'
import { newPlace, parley } from './support/built-program.ts'

test('terminals that spend at the same time cannot pass the budget of a profile together', async () => {
  const at = newPlace()
  expect((await parley('profile set local --budget 0.035/month', { at })).exitCode).toBe(0)
  await parley('numbers list', { at })
  const sent = await Promise.all(
    [...Array(6).keys()].map((n) => parley(`sms send --from 4 --to +1415555014${n} --body Hello --yes`, { at })),
  )
  expect(sent.map((it) => it.exitCode).sort()).toEqual([0, 0, 0, 13, 13, 13])
  for (const { stderr } of sent.filter((it) => it.exitCode === 13))
    expect(stderr).toMatch(/The budget of profile "local" is 0.035 USD a month, and 0.0\d+ USD are left until/)
  const { budget } = JSON.parse((await parley('profile get --json', { at })).stdout)
  expect(budget).toMatchObject({ spent: 0.03, left: 0.005 })
})
