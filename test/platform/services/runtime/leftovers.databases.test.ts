import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { type CountedList, counterKey } from '../../../../src/platform/store/counters/counted-list.ts'
import { countedLists } from '../../../../src/platform/store/counters/counted-lists.ts'
import { erasableTables } from '../../../../src/platform/store/database/erase-data.ts'
import { databases } from '../../../support/databases.ts'
import { delay, every, keep } from '../../../support/flow-definitions.ts'
import { simulationPlatform } from '../../../support/platform/simulation-platform.ts'
import { webhookReceiver } from '../../../support/platform/webhook-receiver.ts'

/** Tables that record what happened. An action adds rows to them; only a purge or the end of the account deletes them. */
const records: readonly string[] = [
  'outbox',
  'delivery',
  'delivery_attempt',
  'ledger',
  'purchase',
  'idempotency',
  'request_log',
  'request_limit',
  'automation_act',
]

/** Rows that describe nothing: deleted resources that others refer to. */
const exists: Readonly<Record<string, string>> = {
  assistant: 'and deleted_at is null',
  // A deleted assistant keeps its row.
  account_name: "and kind <> 'assistant'",
  campaign: 'and deleted_at is null',
}

const numberToBuy = '+15005550006'

describe.each(databases)('after an action on $name', (database) => {
  const platform = simulationPlatform(database)
  type Owner = Awaited<ReturnType<typeof platform.owner>>
  let by: Owner
  beforeAll(async () => {
    by = await platform.owner()
  })

  const ask = async (method: string, path: string, body?: object) => {
    const answer = await platform.api().ask(method, `/api/user/${path}`, { key: by.key, ...(body && { body }) })
    expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300)
    return answer.body
  }

  /** Scheduled jobs of the account, as `kind subject`. */
  const jobs = async (): Promise<string[]> => {
    const rows = await platform.tables().read.selectFrom('due').selectAll().where('account_id', '=', by.id).execute()
    return rows.map((row) => `${row.kind} ${row.subject}`).sort()
  }

  /** Rows of the account in each table that describes what exists. */
  const rows = async (): Promise<Record<string, number>> => {
    const counts: Record<string, number> = {}
    for (const table of erasableTables) {
      if (table === 'account' || table === 'due' || table.startsWith('local_') || records.includes(table)) continue
      const found = await sql<{
        n: number
      }>`select count(*) as n from ${sql.table(table)} where ${sql.ref(table === 'account_name' ? 'account' : 'account_id')} = ${by.id} ${sql.raw(exists[table] ?? '')}`.execute(
        platform.tables().read,
      )
      counts[table] = Number(found.rows[0]?.n)
    }
    for (const list of countedLists) counts[`${list.table}_count`] = await counters(list)
    return counts
  }

  /** Counters of a list that are not zero. Each is the sum of its shards. */
  const counters = async (list: CountedList): Promise<number> => {
    const key = counterKey(list).filter((it) => it !== 'shard')
    const { rows } = await sql`select 1 from ${sql.table(`${list.table}_count`)} where account_id = ${by.id}
      group by ${sql.raw(key.join())} having sum(n) <> 0`.execute(platform.tables().read)
    return rows.length
  }

  const buy = async (): Promise<number> => (await platform.api().buy(numberToBuy, { key: by.key })).body.data.id
  const campaign = async (more: object = {}): Promise<number> =>
    (await ask('POST', 'campaign', { name: 'Recall', assistant_id: by.assistant, timezone: 'UTC', ...more })).data.id

  /** Actions that end without a deletion. */
  const actions: Readonly<Record<string, () => Promise<unknown>>> = {
    'a chat that was closed': async () => {
      const chat = await platform.chat(by)
      await platform.say(chat, 'Hello')
      await platform.minutes(24 * 60)
    },
    'a call that ended': async () => {
      await ask('POST', 'make_call', { assistant_id: by.assistant, phone_number: '+14155550142' })
      await platform.minutes(30)
    },
    'a campaign that was stopped': async () => {
      const id = await campaign()
      await ask('POST', 'lead', { campaign_id: id, phone_number: '+15005550301' })
      await ask('POST', 'campaigns/update-status', { campaign_id: id, action: 'start' })
      await platform.minutes(5)
      await ask('POST', 'campaigns/update-status', { campaign_id: id, action: 'stop' })
      await platform.minutes(30)
    },
    'a webhook that was delivered': async () => {
      const { url } = await webhookReceiver()
      await platform.enable(by, 'conversation-ended', url)
      const chat = await platform.chat(by)
      await platform.say(chat, 'Hello')
      await platform.minutes(24 * 60)
      await ask('POST', 'assistants/disable-conversation-ended-webhook', { assistant_id: by.assistant })
    },
  }

  test.each(Object.keys(actions))('%s leaves no scheduled job', async (name) => {
    const before = await jobs()
    await actions[name]?.()
    expect(await jobs()).toEqual(before)
  })

  test('an SMS that was sent, and one that was refused, leave no scheduled job', async () => {
    const from = await buy()
    const before = await jobs()
    for (const to of ['+14155550142', '+15005550009']) {
      await platform.api().ask('POST', '/api/user/sms', { key: by.key, body: { from, to, body: 'Hello' } })
      expect(await jobs(), to).toEqual(before)
    }
    await ask('DELETE', `phone-numbers/${from}`)
    await platform.minutes(40 * 24 * 60)
  })

  /** Creates a resource, uses it, deletes it, and waits until what the deletion schedules is done. */
  const lives: Readonly<Record<string, () => Promise<unknown>>> = {
    'an assistant with labels, tools and a folder': async () => {
      const label = (await ask('POST', 'label', { name: 'trial' })).data.id
      const folder = (await ask('POST', 'folder', { name: 'Trial' })).data.id
      const tool = (
        await ask('POST', 'tools', {
          name: 'find_it',
          description: 'Finds it in the list.',
          endpoint: 'https://x.example/a',
          method: 'GET',
          timeout: 5,
        })
      ).data.id
      const model = (await platform.get(by, 'assistants/get')).data[0]
      const { id } = (
        await ask('POST', 'assistant', {
          ...draftOf(model),
          name: 'Trial',
          label_ids: [label],
          tool_ids: [tool],
          folder_id: folder,
        })
      ).data
      await ask('DELETE', `assistant/${id}`)
      await ask('DELETE', `label/${label}`)
      await ask('DELETE', `folder/${folder}`)
      await ask('DELETE', `tools/${tool}`)
    },
    'a campaign with leads, contacts and numbers': async () => {
      const number = await buy()
      const id = await campaign({ phone_number_ids: [number] })
      await ask('POST', 'lead', {
        campaign_id: id,
        phone_number: '+14155550142',
        variables: { first_name: 'Ida' },
        secondary_contacts: [{ phone_number: '+14155550143', variables: {} }],
      })
      await ask('DELETE', `campaign/${id}`)
      await ask('DELETE', `phone-numbers/${number}`)
      await platform.minutes(40 * 24 * 60)
    },
    'a SIP trunk': async () => {
      const { id } = (
        await ask('POST', 'phone-numbers/sip-trunks', {
          sip_trunk_type: 'number',
          phone_number: '+14155550190',
          sip_username: 'trial',
          sip_password: 'a-password-1',
          sip_address: 'pbx.example.com',
          sip_calling_format: 'e164',
          inbound_authorization_type: 'auth',
          country_code: 'US',
          outbound_proxy: false,
        })
      ).data
      await platform.minutes(1)
      await ask('DELETE', `phone-numbers/${id}`)
      await platform.minutes(60)
    },
    'a knowledge base with a document': async () => {
      const { id } = (await ask('POST', 'knowledgebases', { name: 'Trial' })).data
      await ask('POST', `knowledgebases/${id}/documents`, {
        name: 'Hours',
        type: 'website',
        links: [{ link: 'https://practice.example/hours' }],
      })
      await platform.minutes(1)
      await ask('DELETE', `knowledgebases/${id}`)
      await platform.minutes(1)
    },
    'an automation with a schedule, a run and stored values': async () => {
      const made = await platform.create(by, {
        flow: {
          trigger: every('every_hour', {}),
          steps: [keep('last', '{{trigger}}'), delay({ unit: 'days', delayFor: 3 })],
        },
      })
      expect(made.status, made.text).toBe(201)
      await platform.minutes(130)
      expect((await platform.remove(by, made.body.automation_id)).status).toBe(200)
      await platform.minutes(60)
    },
  }

  test.each(Object.keys(lives))('%s that is deleted leaves neither a row nor a job', async (name) => {
    const before = { rows: await rows(), jobs: await jobs() }
    await lives[name]?.()
    expect({ rows: await rows(), jobs: await jobs() }).toEqual(before)
  })
})

/** The fields of an assistant that a creation needs. */
function draftOf(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    ['voice_id', 'language_id', 'type', 'mode', 'timezone', 'initial_message', 'system_prompt', 'llm_model_id'].map(
      (name) => [name, record[name]],
    ),
  )
}
