import { beforeAll, expect } from 'vitest'
import type { Connection } from '../../../src/platform/store/database/connection.ts'
import type { TestDatabase } from '../databases.ts'
import { addSender, type TestSender } from './add-sender.ts'
import { auditSends } from './audit-messages.ts'
import type { Answered, Api, TestAccount } from './platform-api.ts'
import { fresh, tablesOf } from './test-platforms.ts'

/** Default recipient of messages. */
export const recipient = '+14155550111'

/** Returns the error response of the messaging endpoints. */
export const refusal = (status: number, error: string, error_code: string): object => ({
  status,
  body: { success: false, error, error_code },
})

export type Owner = TestAccount & { readonly sender: TestSender }

/**
 * Starts a platform for the tests of a `describe`, with short functions to send messages. Its clock advances only with
 * messages.
 */
export function messagingPlatform(database: TestDatabase) {
  let api: Api
  let tables: Connection
  const time = { ms: Date.UTC(2027, 2, 1, 12) }
  beforeAll(async () => {
    const made = await fresh(database, { wall: () => time.ms })
    api = made
    tables = await tablesOf(made.place)
  })
  /** Creates an account with a sender. */
  async function owner(
    fields: object = {},
    ...sender: [Parameters<typeof addSender>[2]?, Parameters<typeof addSender>[3]?]
  ): Promise<Owner> {
    const account = await api.account({ balance: 1, ...fields })
    return { ...account, sender: await addSender(tables, account.id, ...sender) }
  }
  /** Sends one second after the previous message, to stay within the rate limit. */
  function post(by: Owner, path: string, body: object, key?: string): Promise<Answered> {
    time.ms += 1000
    return api.ask('POST', `/api/user/messaging/${path}`, {
      key: by.key,
      body: { sender_id: by.sender.id, recipient_phone: recipient, ...body },
      headers: key ? { 'idempotency-key': key } : {},
    })
  }
  const send = (by: Owner, body: object = {}, key?: string): Promise<Answered> =>
    post(by, 'send', { template_id: by.sender.template, ...body }, key)
  const write = (by: Owner, body: object = { message: 'Hi' }, key?: string): Promise<Answered> =>
    post(by, 'send-freeform', body, key)
  const session = async (by: Owner, phone = recipient): Promise<Answered['body']> =>
    (
      await api.ask(
        'GET',
        `/api/user/messaging/session-status?sender_id=${by.sender.id}&recipient_phone=${encodeURIComponent(phone)}`,
        by,
      )
    ).body
  const balance = async (by: TestAccount): Promise<number> =>
    (await api.ask('GET', '/api/user/me', by)).body.total_balance
  const ledger = async ({ id }: TestAccount) =>
    (await api.control('GET', `/control/accounts/${id}/ledger`)).body.data as {
      kind: string
      amount: number
      unit: string
    }[]
  const conversations = (by: Owner) =>
    tables.read.selectFrom('conversation').selectAll().where('account_id', '=', by.id).orderBy('id').execute()
  const clean = async (): Promise<void> => expect(await auditSends(tables.read)).toEqual([])
  return {
    time,
    owner,
    post,
    send,
    write,
    session,
    balance,
    ledger,
    conversations,
    clean,
    api: () => api,
    tables: () => tables,
  }
}
