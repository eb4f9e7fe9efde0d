import { expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

test('a copy of a delivery that fails exits with 20, after it was read back', async () => {
  const by = operator()
  const [{ id }] = await by.json('server deliveries list')
  const failed = await by.run(`server deliveries replay ${id} --url http://127.0.0.1:9/hooks`)
  expect(failed.exitCode, failed.stderr).toBe(20)
  expect(failed.stdout).toMatch(new RegExp(`^Delivery ${id} was sent as delivery \\d+, which failed: `))
})

test('a replay to a disabled webhook fails with the commands that enable it and that send a copy', async () => {
  const by = operator()
  const refused = await by.run('server deliveries replay 1')
  expect(refused.exitCode).toBe(5)
  expect(refused.stderr).toContain('error: The webhook of this delivery is disabled. Nothing was sent.')
  const [, enable = ''] = /parley (assistants enable-webhook .+)$/m.exec(refused.stderr) ?? []
  expect(enable).toBe('assistants enable-webhook 1 --event post-call --webhook-url <url>')
  expect(refused.stderr).toContain('parley server deliveries replay 1 --url <url>')
  expect((await by.run(enable.replace('<url>', 'http://127.0.0.1:9/hooks'))).exitCode).toBe(0)
  expect((await by.run('server deliveries replay 1')).exitCode).toBe(0)
})
