import { expect, test } from 'vitest'
import { checkPackage } from '../../scripts/check-package.mjs'

// On the Node that runs the tests; .ci/run does the same on every supported one.
test('the package installs without scripts, is small, has the promised files and works', async () => {
  const { checks, failures } = await checkPackage()
  expect(failures).toEqual([])
  expect(checks.length).toBeGreaterThan(8)
})
