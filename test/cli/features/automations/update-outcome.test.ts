import { expect, test } from 'vitest'
import { code, hook, http } from '../../../support/flow-definitions.ts'
import { greeting } from './deployments.ts'

/** Passes the local check, which makes no request, and fails on the platform, which refuses the address. */
const failsThere = {
  trigger: hook,
  steps: [http('GET', 'http://127.0.0.1:9/'), code('inputs.body.id', { body: "{{step_1['body']}}" })],
}

test('a failed update names the live version by its number on a platform with version numbers', async () => {
  const by = await greeting({ 'there.json': failsThere })
  const staged = await by.run('automate update Greeting --file there.json')
  expect(staged.stdout).toContain('The version that was live is unchanged (version 1). It is enabled.')
  const published = await by.run('automate update Greeting --file there.json --no-rollback-on-failure')
  expect(published.stdout).toContain('The new definition is live (version 2). It is disabled.')
})
