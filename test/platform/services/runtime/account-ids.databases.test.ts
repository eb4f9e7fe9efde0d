import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type AccountIds, createAccountIds, findById } from '../../../../src/platform/services/runtime/account-ids.ts'
import { deterministicUuid } from '../../../../src/platform/services/runtime/deterministic-uuid.ts'
import { findConversation } from '../../../../src/platform/store/conversations/conversations.ts'
import { databases } from '../../../support/databases.ts'
import { hook, respond } from '../../../support/flow-definitions.ts'
import { automationPlatform } from '../../../support/platform/automation-platform.ts'
import { chatPlatform } from '../../../support/platform/chat-platform.ts'

const otherKey = createAccountIds(() => Buffer.alloc(32, 8))

describe.each(databases)('ids that carry their account on $name', (database) => {
  describe('of conversations', () => {
    const { owner, started, say, read, tables, api } = chatPlatform(database)
    const idsOf = (dataDir: string): AccountIds =>
      createAccountIds(() => Buffer.from(readFileSync(join(dataDir, 'secret.key'), 'utf8').trim(), 'hex'))

    test('name the account to the platform only', async () => {
      const [by, other] = [await owner(), await owner()]
      const [first, second, third] = [await started(by), await started(by), await started(other)]
      const own = idsOf(api().place.dataDir)
      expect([first, second, third].map((it) => own.accountOf(it))).toEqual([by.id, by.id, other.id])
      expect(first.slice(0, 13)).not.toBe(second.slice(0, 13))
      const found = await findById({ connection: tables(), accountIds: own }, third, {
        own: (query) => findConversation(query, third),
        any: () => expect.fail('The conversation was read across accounts.'),
      })
      expect(found?.account_id).toBe(other.id)
    })

    test.each<readonly [string, (by: number) => string]>([
      ['an earlier version', (by) => deterministicUuid(`conversation of ${by}`)],
      ['an encryption key that was replaced', (by) => otherKey.newUuid(by)],
      ['another account of the same platform', (by) => idsOf(api().place.dataDir).newUuid(by + 1)],
    ])('of %s stay valid', async (_, create) => {
      const by = await owner()
      const id = await started(by)
      const uuid = create(by.id)
      await tables().write('rows', (query) =>
        query.updateTable('conversation').set({ uuid }).where('uuid', '=', id).execute(),
      )
      expect((await say(uuid, 'Hello')).status).toBe(200)
      expect((await read(uuid.toUpperCase())).body.history).toHaveLength(3)
      expect((await read(id)).status).toBe(404)
    })

    test('are unknown when they are changed', async () => {
      const id = await started(await owner())
      for (const at of [0, 15, 20, 35]) {
        const changed = `${id.slice(0, at)}${id[at] === '8' ? '9' : '8'}${id.slice(at + 1)}`
        expect(await read(changed)).toMatchObject({ status: 404, body: { error: 'Conversation not found' } })
        expect((await say(changed, 'Hello')).status).toBe(404)
      }
    })
  })

  describe('of runs', () => {
    const platform = automationPlatform(database)

    test.each<readonly [string, ((id: string) => string) | undefined]>([
      ['resumes a run', undefined],
      ['of an earlier version resumes a run', (id) => `V1StGXR8${id.slice(8)}`],
    ])('an address %s', async (_, rename) => {
      const by = await platform.owner()
      const ask = {
        ...respond({}),
        settings: { ...respond({}).settings, actionName: 'return_response_and_wait_for_next_webhook' },
      }
      const { body } = await platform.create(by, { flow: { trigger: hook, steps: [ask, respond({ done: true })] } })
      const { headers } = await platform.call(body.automation_id, '/sync', {})
      const id = headers['x-webhook-id'] ?? ''
      let path = new URL(headers['x-engine-resume-webhook-url'] ?? '').pathname
      if (rename) {
        const renamed = rename(id)
        await platform.tables().write('rows', async (query) => {
          await query
            .updateTable('automation_run')
            .set({ id: renamed, answer: JSON.stringify({ status: 200, body: null, resume: `${renamed}.step_1` }) })
            .where('id', '=', id)
            .execute()
          await query
            .updateTable('automation_wait')
            .set({ id: `${renamed}.step_1` })
            .where('id', '=', `${id}.step_1`)
            .execute()
          await query.updateTable('due').set({ subject: renamed }).where('subject', '=', id).execute()
        })
        path = path.replace(id, renamed)
      }
      expect((await platform.call(path.replace('.step_1', '.step_2'), '', {})).status).toBe(410)
      expect(JSON.parse((await platform.call(`${path}/sync`, '', {})).body)).toEqual({ done: true })
    })
  })
})
