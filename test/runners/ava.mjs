import test from 'ava'
import { startPlatform } from 'parley-cli/platform'
import scenario from './scenario.cjs'

test('the platform works in AVA', async (t) => {
  t.timeout(600_000)
  await scenario(startPlatform)
  t.pass()
})
