import { expect, test } from 'vitest'
import { operator } from '../../support/operator.ts'

const balanceOf = async (by: ReturnType<typeof operator>): Promise<object> => {
  const { stdout } = await by.run('doctor --json')
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
