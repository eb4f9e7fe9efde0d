import { describe, expect, test } from 'vitest'
import { databases } from '../../../support/databases.ts'
import { hook, keep } from '../../../support/flow-definitions.ts'
import { automationPlatform, type Owner } from '../../../support/platform/automation-platform.ts'

const keepForRun = keep('k', 'v')
const flow = {
  trigger: hook,
  steps: [
    {
      ...keepForRun,
      settings: { ...keepForRun.settings, input: { ...keepForRun.settings.input, store_scope: 'RUN' } },
    },
  ],
}
const days = 24 * 3_600_000

describe.each(databases)('what runs have stored on $name', (database) => {
  const platform = automationPlatform(database)
  const owned = async (by: Owner) => {
    const { read } = platform.tables()
    const rows = (table: 'automation_value' | 'automation_act') =>
      read.selectFrom(table).select('key').where('account_id', '=', by.id).execute()
    return [(await rows('automation_value')).length, (await rows('automation_act')).length]
  }

  test('is deleted with the runs after 30 days', async () => {
    const by = await platform.owner()
    const id = (await platform.create(by, { flow })).body.automation_id
    const [before] = await owned(by)
    await platform.call(id, '', {})
    await platform.wait(1)
    expect((await owned(by))[0]).toBe((before as number) + 1)
    await platform.wait(31 * days)
    // One run in 64 deletes old ones, a minute later.
    for (let n = 0; n < 64; n++) await platform.call(id, '', {})
    await platform.wait(60_000)
    expect(await owned(by)).toEqual([64, 64])
  })

  test('about leads that they added and requeued is deleted with the runs, too', async () => {
    const by = await platform.owner({ type: 'outbound' })
    const ask = (path: string, body: object) => platform.api().ask('POST', path, { key: by.key, body })
    const campaign = (await ask('/api/user/campaign', { name: 'Calls', assistant_id: by.assistant })).body.data.id
    const onLead = (actionName: string, input: object) => ({
      type: 'PIECE',
      displayName: actionName,
      settings: { pieceName: '@platform/piece-platform', actionName, input },
    })
    const lead = { campaign, phone_number: '+15005550006' }
    const { automation_id: id } = (
      await platform.create(by, {
        confirm_side_effects: true,
        flow: {
          trigger: hook,
          steps: [onLead('addLead', { ...lead, allow_dupplicate: true }), onLead('requeueLead', lead)],
        },
      })
    ).body
    await platform.call(id, '', {})
    await platform.wait(1)
    expect((await owned(by))[1]).toBeGreaterThan(0)
    await platform.wait(31 * days)
    for (let n = 0; n < 64; n++) await platform.call(id, '', {})
    await platform.wait(60_000)
    expect((await owned(by))[1]).toBe(64 * 2)
  })

  test('is deleted with the automation', async () => {
    const by = await platform.owner()
    const id = (await platform.create(by, { flow })).body.automation_id
    await platform.call(id, '', {})
    await platform.wait(1)
    expect((await owned(by))[0]).toBeGreaterThan(0)
    await platform.remove(by, id)
    expect((await owned(by))[0]).toBe(0)
  })

  test('responses for idempotency keys are deleted after 30 days', async () => {
    const by = await platform.owner()
    const tool = { description: 'Looks up.', endpoint: 'https://crm.example', method: 'GET' }
    const ask = (key: string) =>
      platform.api().ask('POST', '/api/user/tools', {
        key: by.key,
        body: { ...tool, name: key },
        headers: { 'idempotency-key': key },
      })
    const stored = async () =>
      (await platform.tables().read.selectFrom('idempotency').select('key').where('account_id', '=', by.id).execute())
        .length
    await ask('one')
    expect(await stored()).toBe(1)
    // One claim in 64 deletes old ones.
    const askOften = async (name: string) => {
      for (let n = 0; n < 64; n++) {
        platform.time.ms += 1
        await ask(`${name}_${n}`)
      }
    }
    await platform.wait(2 * days)
    await askOften('two')
    expect(await stored()).toBe(65)
    await platform.wait(29 * days)
    await askOften('more')
    expect(await stored()).toBe(128)
  })
})
