import { expect, test } from 'vitest'
import { sqlite } from '../../../support/databases.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'

test('a platform with the public vocabulary has templates by their public keys, with public connections and parameters', async () => {
  const { ask, control } = await fresh(sqlite, { seed: 7, vocabulary: 'public' })
  const { data } = (await ask('GET', '/api/user/automate/templates')).body
  const entry = (key: string) => data.find((it: { key: string }) => it.key === key)
  expect(entry('post-call-qualified-to-sheets')).toMatchObject({ required_connections: ['google-sheets'] })
  expect(entry('post-call-whatsapp-confirmation').params.map((it: { key: string }) => it.key)).toEqual([
    'sender_id',
    'whatsapp_template',
    'variable_1',
  ])
  expect(data.map((it: { key: string }) => it.key).slice(-3)).toEqual([
    'calcom-call-before-appointment',
    'calcom-cancel-reschedule-midcall',
    'ghl-appointment-manage-midcall',
  ])
  const missing = await ask('POST', '/api/user/automate/templates/post-call-whatsapp-confirmation', {
    body: { params: { sender_id: '1' } },
  })
  expect(missing.body).toMatchObject({ error: 'missing_params', params: [{ key: 'whatsapp_template' }] })
  const params = { sender_id: '1', whatsapp_template: 'opening_hours' }
  const made = await ask('POST', '/api/user/automate/templates/post-call-whatsapp-confirmation', {
    body: { params, assistant_id: 2, confirm_side_effects: true },
  })
  expect([made.status, made.body.status]).toEqual([201, 'active'])
  await control('POST', '/control/accounts/1/connections', { kind: 'crm-b' })
  expect(
    (await ask('POST', '/api/user/automate/templates/ghl-appointment-manage-midcall', { body: {} })).body.status,
  ).toBe('active')
})
