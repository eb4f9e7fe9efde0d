import { describe, expect, test } from 'vitest'
import type { LeadsPort } from '../../../../src/engine/pieces/ports.ts'
import { createClock } from '../../../../src/platform/jobs/clock.ts'
import { leadsPort } from '../../../../src/platform/services/automations/ports/create-ports.ts'
import type { Deps } from '../../../../src/platform/services/runtime/deps.ts'
import { databases } from '../../../support/databases.ts'
import { chatPlatform } from '../../../support/platform/chat-platform.ts'

describe.each(databases)('leads of automations on $name', (database) => {
  const { api, tables, owner } = chatPlatform(database)
  async function opened() {
    const by = await owner()
    const { body } = await api().ask('POST', '/api/user/campaign', {
      key: by.key,
      body: { name: 'Recall', assistant_id: by.assistant.id, timezone: 'UTC' },
    })
    const deps = { connection: tables(), clock: createClock(tables(), () => 1_800_000_000_000) } as unknown as Deps
    const port: LeadsPort = leadsPort(deps)
    const campaign = await tables()
      .read.selectFrom('campaign')
      .select('id')
      .where('account_id', '=', by.id)
      .executeTakeFirst()
    if (!campaign) throw new Error(JSON.stringify(body))
    const act = (key: string) => ({ account: by.id, key })
    const draft = {
      campaign: campaign.id,
      phone: '+14155550166',
      variables: { name: 'Ida' },
      allowDuplicate: false,
      secondary: [],
    }
    const rows = () =>
      tables().read.selectFrom('lead').selectAll().where('account_id', '=', by.id).orderBy('id').execute()
    return { port, act, draft, rows, campaign: campaign.id, id: by.id }
  }

  test('are added once for a step, however often it is retried', async () => {
    const { port, act, draft, rows } = await opened()
    const [first, again] = await Promise.all([port.add(act('run:step_1'), draft), port.add(act('run:step_1'), draft)])
    expect(again).toEqual(first)
    expect(await port.add(act('run:step_1'), draft)).toEqual(first)
    expect(await rows()).toHaveLength(1)
    await expect(port.add(act('run:step_2'), draft)).rejects.toMatchObject({ classification: 'wiring_error' })
    await port.add(act('run:step_3'), { ...draft, allowDuplicate: true })
    expect(await rows()).toHaveLength(2)
  })

  test('are queued again once, by their id or their number, with variables merged', async () => {
    const { port, act, draft, rows, campaign } = await opened()
    const { id } = await port.add(act('a'), draft)
    const used = { status: 'completed' as const, attempts: 2, next_attempt_at: null }
    const end = () =>
      tables().write('rows', (query) => query.updateTable('lead').set(used).where('id', '=', Number(id)).execute())
    await end()
    expect(await port.requeue(act('b'), { campaign, phone: '+1 415 555 0166' }, { town: 'Oakland' })).toEqual({
      id,
      status: 'created',
    })
    expect(await rows()).toMatchObject([
      { status: 'created', attempts: 0, variables: '{"name":"Ida","town":"Oakland"}' },
    ])
    await end()
    await port.requeue(act('b'), { campaign, phone: '+1 415 555 0166' }, { town: 'Oakland' })
    expect(await rows()).toMatchObject([{ status: 'completed', attempts: 2 }])
    await port.requeue(act('c'), { id: Number(id) }, {})
    expect(await rows()).toMatchObject([{ status: 'created' }])
  })

  test('are deleted once, and an unknown one is a missing record', async () => {
    const { port, act, draft, rows, campaign } = await opened()
    const { id } = await port.add(act('a'), draft)
    await port.remove(act('b'), Number(id))
    await port.remove(act('b'), Number(id))
    expect(await rows()).toEqual([])
    const missing = { classification: 'missing_record' }
    await expect(port.remove(act('c'), Number(id))).rejects.toMatchObject(missing)
    await expect(port.requeue(act('d'), { id: Number(id) }, {})).rejects.toMatchObject(missing)
    await expect(port.requeue(act('e'), { campaign, phone: '+14155550100' }, {})).rejects.toMatchObject(missing)
    await expect(port.add(act('f'), { ...draft, campaign: 999_999 })).rejects.toMatchObject(missing)
  })
})
