import { expect, test } from 'vitest'
import { checkPackage } from '../../scripts/check-package.mjs'

// On the Node that runs the tests; .ci/run does the same on every supported one. Installing takes as long as the registry.
test('the package installs without scripts, is small, has the promised files and works', {
  timeout: 3_600_000,
}, async () => {
  const { checks, failures } = await checkPackage()
  expect(failures).toEqual([])
  expect(checks.length).toBeGreaterThan(8)
})
