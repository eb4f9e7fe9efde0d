import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { operator } from '../../../support/operator.ts'

test('the first rows are shown with what their recipients get', async () => {
  const by = operator()
  writeFileSync(join(by.cwd, 'people.csv'), 'phone,first_name\n+14155550111,Anna\n')
  const { stderr } = await by.run('sms send --from 4 --file people.csv --body "Hello {{first_name}}"', {
    answers: [['Send 1 SMS', true]],
  })
  expect(stderr).toContain('The first SMS as sent:\n  +14155550111  body=Hello Anna\n')
})

test('the first contacts of an import are shown with their channel', async () => {
  const by = operator()
  writeFileSync(join(by.cwd, 'blocked.csv'), 'phone,reason\n+14155550111,Asked\n')
  const { stderr } = await by.run('contacts import --file blocked.csv --channel sms', { answers: [] })
  expect(stderr).toContain('The first row as sent:\n  +14155550111  channel=sms  source=import  reason=Asked')
})
