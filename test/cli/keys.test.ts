import { expect, test } from 'vitest'
import { operator } from '../harness.ts'

test('smoke', async () => {
  const { run } = operator()
  for (let n = 0; n < 20; n++) {
    const t = performance.now()
    const r = await run(n % 2 ? 'keys list' : 'tools update 1 --tool-timeout 20')
    console.log(performance.now() - t, r.exitCode)
  }
  console.log(await run('server status'))
  console.log(await run('server status --json'))
  expect(1).toBe(1)
})
