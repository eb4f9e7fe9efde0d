import { beforeAll } from 'vitest'
import type { PlatformSettings } from '../../../src/platform/platform-settings.ts'
import { fieldsFromDraft, toColumns } from '../../../src/platform/services/assistants/assistant-fields.ts'
import { insertAssistant } from '../../../src/platform/store/assistants/assistants.ts'
import type { Connection } from '../../../src/platform/store/database/connection.ts'
import type { TestDatabase } from '../databases.ts'
import type { Answered, Api, Asked, Place, TestAccount } from './platform-api.ts'
import { fresh, tablesOf } from './test-platforms.ts'

/** Account with an assistant for chats. */
export type Owner = TestAccount & { readonly assistant: { readonly id: number; readonly uuid: string } }

let made = 0

/** Adds an assistant to an account that greets by name. */
export async function addAssistant(
  tables: Connection,
  account: number,
  more: object = {},
): Promise<Owner['assistant']> {
  const fields = fieldsFromDraft({
    name: 'Desk',
    type: 'outbound',
    mode: 'pipeline',
    timezone: 'UTC',
    language_id: 1,
    voice_id: 1,
    llm_model_id: 1,
    initial_message: 'Hello {{first_name}}, this is {{assistant_name}}.',
    system_prompt: 'Be brief with {{first_name}}.',
    ...more,
  } as never)
  const uuid = `00000000-0000-4000-9000-${String(++made).padStart(12, '0')}`
  const row = {
    ...toColumns(fields),
    account_id: account,
    uuid,
    status: 'inactive' as const,
    created_at: 0,
    updated_at: 0,
    deleted_at: null,
  }
  const { id } = await tables.write({ rows: account }, (query) => insertAssistant(query, row))
  return { id, uuid }
}

/**
 * Starts a platform for the tests of a `describe`, with short functions for chats. Only requests of the owner have an
 * API key.
 */
export function chatPlatform(database: TestDatabase, settings: Partial<PlatformSettings> = {}) {
  let api: Api & { readonly place: Place }
  let tables: Connection
  const time = { ms: Date.UTC(2027, 2, 1, 12) }
  beforeAll(async () => {
    const platform = await fresh(database, { wall: () => time.ms, ...settings })
    api = platform
    tables = await tablesOf(platform.place)
  })
  async function owner(fields: object = {}, assistant: object = {}): Promise<Owner> {
    const account = await api.account({ balance: 1, ...fields })
    return { ...account, assistant: await addAssistant(tables, account.id, assistant) }
  }
  const ask = (method: string, path: string, asked: Asked = {}): Promise<Answered> =>
    api.ask(method, path, { key: null, ...asked })
  const create = (by: Owner, body: object = {}): Promise<Answered> =>
    ask('POST', '/api/conversations', { body: { assistant_id: by.assistant.uuid, ...body } })
  /** Returns the UUID of a new conversation. */
  const started = async (by: Owner, body: object = {}): Promise<string> => (await create(by, body)).body.conversation_id
  const say = (uuid: string, message: unknown, headers: Record<string, string> = {}): Promise<Answered> =>
    ask('POST', `/api/conversations/${uuid}/messages`, { body: { message }, headers })
  const read = (uuid: string): Promise<Answered> => ask('GET', `/api/conversations/${uuid}`)
  const list = (by: TestAccount, query = ''): Promise<Answered> => api.ask('GET', `/api/user/conversations${query}`, by)
  const balance = async (by: TestAccount): Promise<number> =>
    (await api.ask('GET', '/api/user/me', by)).body.total_balance
  const ledger = async ({ id }: TestAccount): Promise<{ kind: string; amount: number; reason: string }[]> =>
    (await api.control('GET', `/control/accounts/${id}/ledger`)).body.data
  return { time, owner, ask, create, started, say, read, list, balance, ledger, api: () => api, tables: () => tables }
}
