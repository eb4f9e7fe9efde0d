import { expect, test } from 'vitest'
import { sqlite } from '../../../support/databases.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'

const long = 'x'.repeat(120)

// What the endpoint answers for a resource that does not exist, also when its id has an invalid form.
test.each([
  ['POST', `/api/user/automate/flows/${long}/restore`, 'Automation not found'],
  ['POST', `/api/user/automate/flows/${long}/versions/1/restore`, 'Automation not found'],
  ['POST', `/api/user/automate/flows/${long}/runs/1/retry`, 'Automation not found'],
  ['DELETE', '/api/user/calls/abc', 'Call not found or does not belong to the authenticated user'],
  ['DELETE', '/api/user/assistant/abc', 'Assistant not found or does not belong to the authenticated user'],
  ['GET', '/api/user/tools/abc', 'Tool not found'],
] as const)('%s %s: %s', async (method, path, message) => {
  const { ask } = await fresh(sqlite)
  const { status, body } = await ask(method, path)
  expect([status, body.message]).toEqual([404, message])
})
