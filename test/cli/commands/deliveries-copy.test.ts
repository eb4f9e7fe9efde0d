import { expect, test } from 'vitest'
import { operator } from '../../support/operator.ts'

test('a copy of a delivery that fails exits with 20, after it was read back', async () => {
  const by = operator()
  const [{ id }] = await by.json('server deliveries list')
  const failed = await by.run(`server deliveries replay ${id} --url http://127.0.0.1:9/hooks`)
  expect(failed.exitCode, failed.stderr).toBe(20)
  expect(failed.stdout).toMatch(new RegExp(`^Delivery ${id} was sent as delivery \\d+, which failed: `))
})
