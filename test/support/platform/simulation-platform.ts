import type { PlatformSettings } from '../../../src/platform/platform-settings.ts'
import type { TestDatabase } from '../databases.ts'
import { addSender, type TestSender } from './add-sender.ts'
import { automationPlatform, type Owner } from './automation-platform.ts'
import type { Answered } from './platform-api.ts'

/** Starts a platform with a manual clock and access to private addresses, with short functions for simulations. */
export function simulationPlatform(database: TestDatabase, settings: Partial<PlatformSettings> = {}) {
  const platform = automationPlatform(database, { privateAddresses: true, ...settings })
  const control = (path: string, body?: object): Promise<Answered> =>
    platform.api().control(body ? 'POST' : 'GET', `/control/${path}`, body)
  /** Simulates an external event for an account. */
  const simulate = ({ id }: { id: number }, what: string, body: object): Promise<Answered> =>
    control(`simulate/${what}`, { account: id, ...body })
  const enable = (by: Owner, event: 'conversation-ended' | 'post-call' | 'inbound', url: string): Promise<Answered> =>
    platform
      .api()
      .ask('POST', `/api/user/assistants/enable-${event === 'post-call' ? 'webhook' : `${event}-webhook`}`, {
        key: by.key,
        body: { assistant_id: by.assistant, webhook_url: url },
      })
  const sender = async (by: Owner, more: object = {}): Promise<TestSender> => {
    const made = await addSender(platform.tables(), by.id, more)
    await platform
      .tables()
      .write('rows', (query) =>
        query.updateTable('sender').set({ assistant_id: by.assistant }).where('id', '=', made.id).execute(),
      )
    return { ...made, assistant: by.assistant }
  }
  /** Returns the UUID of a new widget conversation. */
  const chat = async (by: Owner, body: object = {}): Promise<string> => {
    const { uuid } = await platform
      .tables()
      .read.selectFrom('assistant')
      .select('uuid')
      .where('id', '=', by.assistant)
      .executeTakeFirstOrThrow()
    return (
      await platform.api().ask('POST', '/api/conversations', { key: null, body: { assistant_id: uuid, ...body } })
    ).body.conversation_id
  }
  const say = (uuid: string, message: string): Promise<Answered> =>
    platform.api().ask('POST', `/api/conversations/${uuid}/messages`, { key: null, body: { message } })
  const minutes = (n: number): Promise<void> => platform.wait(n * 60_000)
  const seconds = (n: number): Promise<void> => platform.wait(n * 1000)
  /** Returns the events of an account, oldest first. */
  const events = async ({ id }: { id: number }) => {
    const rows = await platform
      .tables()
      .read.selectFrom('outbox')
      .selectAll()
      .where('account_id', '=', id)
      .orderBy('id')
      .execute()
    // biome-ignore lint/suspicious/noExplicitAny: tests read the payload and fail if it is not as expected
    return rows.map((row) => ({ kind: row.kind, payload: JSON.parse(row.payload) as any }))
  }
  const get = async (by: Owner, path: string) => (await platform.api().ask('GET', `/api/user/${path}`, by)).body
  return { ...platform, control, simulate, enable, sender, chat, say, minutes, seconds, events, get }
}
