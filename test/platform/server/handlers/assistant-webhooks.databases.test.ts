import { beforeAll, describe, expect, test } from 'vitest'
import type { SlotEvent } from '../../../../src/contract/automations/automation-records.ts'
import { claimSlot, findSlot, releaseAutomationSlots } from '../../../../src/platform/store/assistants/event-slots.ts'
import { accountQuery } from '../../../../src/platform/store/database/account-query.ts'
import type { Connection } from '../../../../src/platform/store/database/connection.ts'
import { databases } from '../../../support/databases.ts'
import { desk } from '../../../support/platform/assistant-drafts.ts'
import type { Api, TestAccount } from '../../../support/platform/platform-api.ts'
import { fresh, tablesOf } from '../../../support/platform/test-platforms.ts'

const url = 'https://hooks.example/told'
const conflict = {
  status: 422,
  body: { message: 'This assistant already has an automation for this event.', error: 'binding_conflict' },
}

/** Every webhook: its switches, the event it is sent at, the field that shows it, and what switching says. */
const webhooks: readonly (readonly [
  on: string,
  off: string,
  event: SlotEvent,
  field: string,
  enabled: string,
  disabled: string,
])[] = [
  [
    'enable-conversation-ended-webhook',
    'disable-conversation-ended-webhook',
    'conversation_ended',
    'conversation_ended_webhook_url',
    'Conversation ended webhook enabled successfully',
    'Conversation ended webhook disabled successfully',
  ],
  [
    'enable-webhook',
    'disable-webhook',
    'post_call',
    'webhook_url',
    'Webhook enabled successfully',
    'Webhook disabled successfully',
  ],
  [
    'enable-inbound-webhook',
    'disable-inbound-webhook',
    'inbound',
    'inbound_webhook_url',
    'Webhook enabled successfully',
    'Inbound webhook disabled successfully',
  ],
]

describe.each(databases)('webhooks of an assistant on $name', (database) => {
  let api: Api
  let owner: TestAccount
  let tables: Connection
  beforeAll(async () => {
    const platform = await fresh(database, { empty: true })
    api = platform
    owner = await api.account()
    tables = await tablesOf(platform.place)
  })
  const made = async (body: object = {}): Promise<number> =>
    (await api.ask('POST', '/api/user/assistant', { ...owner, body: { ...desk, ...body } })).body.data.id
  const switched = (verb: string, body: object, by: TestAccount = owner) =>
    api.ask('POST', `/api/user/assistants/${verb}`, { ...by, body })
  const update = (id: number, body: object) => api.ask('PUT', `/api/user/assistant/${id}`, { ...owner, body })
  const get = async (id: number) =>
    (await api.ask('GET', '/api/user/assistants/get?per_page=100', owner)).body.data.find(
      (it: { id: number }) => it.id === id,
    )
  const slot = async (id: number, event: SlotEvent) => findSlot(accountQuery(tables.read, owner.id), id, event)
  const automate = (assistant: number, event: SlotEvent, target = 'Vq3tR8mKx2LpZc5WnYd7a'): Promise<boolean> =>
    tables.write({ rows: owner.id }, (query) =>
      claimSlot(query, { assistant, event, holder: 'automation', target, now: 1 }),
    )

  describe.each(webhooks)('%s', (on, off, event, field, enabled, disabled) => {
    test('is set to a URL, changed, and disabled', async () => {
      const id = await made()
      for (const webhook_url of [url, `${url}/2`]) {
        expect(await switched(on, { assistant_id: id, webhook_url })).toMatchObject({
          status: 200,
          body: { message: enabled, data: [] },
        })
        expect((await get(id))[field]).toBe(webhook_url)
        expect(await slot(id, event)).toMatchObject({ holder: 'webhook', target: webhook_url, account_id: owner.id })
      }
      expect((await get(id)).is_webhook_active).toBe(event === 'post_call')
      for (let n = 0; n < 2; n++)
        expect(await switched(off, { assistant_id: id })).toMatchObject({
          status: 200,
          body: { message: disabled, data: [] },
        })
      expect(await get(id)).toMatchObject({ [field]: null, is_webhook_active: false })
      expect(await slot(id, event)).toBeUndefined()
    })

    test('reports every missing or invalid field', async () => {
      expect(await switched(on, {})).toMatchObject({
        status: 422,
        body: {
          message: 'The given data was invalid.',
          errors: {
            assistant_id: ['The assistant id field is required.'],
            webhook_url: ['The webhook url field is required.'],
          },
        },
      })
      expect((await switched(on, { assistant_id: 'one', webhook_url: 'nowhere' })).body.errors).toEqual({
        assistant_id: ['The assistant id field must be an integer.'],
        webhook_url: ['The webhook url field must be a valid URL.'],
      })
      expect((await switched(off, {})).body).toEqual({
        message: 'The given data was invalid.',
        errors: { assistant_id: ['The assistant id field is required.'] },
      })
    })

    test('finds no assistant of another account', async () => {
      const [id, stranger] = [await made(), await api.account()]
      const notFound = { status: 404, body: { message: 'Assistant not found' } }
      for (const [assistant_id, by] of [
        [id, stranger],
        [99999, owner],
      ] as const) {
        expect(await switched(on, { assistant_id, webhook_url: url }, by)).toMatchObject(notFound)
        expect(await switched(off, { assistant_id }, by)).toMatchObject(notFound)
      }
      expect(await slot(id, event)).toBeUndefined()
    })

    test('does not change the binding of an automation', async () => {
      const id = await made()
      expect(await automate(id, event)).toBe(true)
      const before = await get(id)
      expect(await switched(on, { assistant_id: id, webhook_url: url })).toMatchObject(conflict)
      expect(await get(id)).toEqual(before)
      expect(await switched(off, { assistant_id: id })).toMatchObject({ status: 200 })
      expect(await slot(id, event)).toMatchObject({ holder: 'automation', target: 'Vq3tR8mKx2LpZc5WnYd7a' })
    })

    test('prevents an automation from taking the event, as another automation does', async () => {
      const id = await made()
      await switched(on, { assistant_id: id, webhook_url: url })
      expect(await automate(id, event)).toBe(false)
      expect(await slot(id, event)).toMatchObject({ holder: 'webhook', target: url })
      await switched(off, { assistant_id: id })
      expect(await automate(id, event)).toBe(true)
      expect(await automate(id, event)).toBe(true)
      expect(await automate(id, event, 'another')).toBe(false)
      await tables.write('rows', (query) =>
        releaseAutomationSlots(accountQuery(query, owner.id), 'Vq3tR8mKx2LpZc5WnYd7a'),
      )
      expect(await slot(id, event)).toBeUndefined()
    })
  })

  describe('by an update', () => {
    test('the post-call webhook needs a URL to be enabled, also on create', async () => {
      const refused = { webhook_url: ['The webhook url field is required when is webhook active is true.'] }
      expect(
        (await api.ask('POST', '/api/user/assistant', { ...owner, body: { ...desk, is_webhook_active: true } })).body
          .errors,
      ).toEqual(refused)
      const id = await made()
      expect((await update(id, { is_webhook_active: true })).body.errors).toEqual(refused)
      expect((await update(id, { webhook_url: url })).status).toBe(200)
      expect(await slot(id, 'post_call')).toBeUndefined()
      expect((await update(id, { is_webhook_active: true })).status).toBe(200)
      expect(await slot(id, 'post_call')).toMatchObject({ target: url })
      expect((await update(id, { is_webhook_active: true, webhook_url: null })).body.errors).toEqual(refused)
    })

    test('the webhook is enabled by its URL, and disabled without one', async () => {
      const id = await made({ is_webhook_active: true, webhook_url: url })
      await update(id, { webhook_url: `${url}/2` })
      expect(await slot(id, 'post_call')).toMatchObject({ target: `${url}/2` })
      await update(id, { is_webhook_active: false })
      expect(await slot(id, 'post_call')).toBeUndefined()
      expect(await get(id)).toMatchObject({ is_webhook_active: false, webhook_url: `${url}/2` })
      await update(id, { is_webhook_active: true })
      await update(id, { webhook_url: null })
      expect(await get(id)).toMatchObject({ is_webhook_active: false, webhook_url: null })
      expect(await slot(id, 'post_call')).toBeUndefined()
    })

    test('the conversation-ended webhook is enabled and disabled', async () => {
      const id = await made({ conversation_ended_webhook_url: url })
      expect(await slot(id, 'conversation_ended')).toMatchObject({ target: url })
      await update(id, { name: 'Renamed' })
      expect(await slot(id, 'conversation_ended')).toMatchObject({ target: url })
      await update(id, { conversation_ended_webhook_url: null })
      expect(await slot(id, 'conversation_ended')).toBeUndefined()
    })

    test('an event that an automation holds is refused, and nothing of the request is saved', async () => {
      const id = await made()
      await automate(id, 'post_call')
      await automate(id, 'conversation_ended')
      expect(await update(id, { name: 'Renamed', is_webhook_active: true, webhook_url: url })).toMatchObject(conflict)
      expect(await update(id, { conversation_ended_webhook_url: url })).toMatchObject(conflict)
      expect((await get(id)).name).toBe('Desk')
      expect(
        (await update(id, { webhook_url: url, conversation_ended_webhook_url: null, is_webhook_active: false })).status,
      ).toBe(200)
      expect(await slot(id, 'conversation_ended')).toMatchObject({ holder: 'automation' })
    })
  })

  test('are deleted with the assistant, and so are bindings of automations', async () => {
    const id = await made({ conversation_ended_webhook_url: url })
    await automate(id, 'post_call')
    await api.ask('DELETE', `/api/user/assistant/${id}`, owner)
    for (const event of ['conversation_ended', 'post_call'] as const) expect(await slot(id, event)).toBeUndefined()
  })

  test('of an event that an automation and a webhook take concurrently go to one of them', async () => {
    for (let n = 0; n < 4; n++) {
      const id = await made()
      const [webhook, automation] = await Promise.all([
        switched('enable-webhook', { assistant_id: id, webhook_url: url }),
        automate(id, 'post_call'),
      ])
      expect([webhook.status, automation]).toEqual(
        (await slot(id, 'post_call'))?.holder === 'webhook' ? [200, false] : [422, true],
      )
    }
  })
})
