import { expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

test('the attempts of a delivery have times in the same format as other output', async () => {
  const { run } = operator()
  await run('assistants enable-webhook Recall --event post-call --webhook-url https://hooks.invalid')
  await run('events fire post_call --assistant Recall')
  const { stdout, stderr } = await run('server deliveries get 2')
  const created = /^Created\s+(.+)$/m.exec(stdout)?.[1]
  expect(created).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/)
  expect(stderr).toContain(`Attempt 1, ${created}: `)
})
