import type { Insertable, Selectable } from 'kysely'
import { detachNumberFromAssistants } from '../assistants/assistants.ts'
import type { SubscriptionRow } from '../billing/subscriptions.ts'
import { detachCampaignNumber } from '../campaigns/campaigns.ts'
import { findNamed, releaseName, requireName } from '../database/account-names.ts'
import type { AccountQuery, Connection, Query } from '../database/connection.ts'
import type { NumberTable } from './tables.ts'

export type NumberRow = Selectable<NumberTable>
/** Number with its subscription, if it has one. */
export interface NumberWithSubscription {
  readonly number: NumberRow
  readonly subscription: SubscriptionRow | undefined
}

async function withSubscriptions(query: AccountQuery, numbers: NumberRow[]): Promise<NumberWithSubscription[]> {
  if (numbers.length === 0) return []
  const ids = numbers.map((it) => it.id)
  const rows = await query
    .selectFrom('subscription')
    .selectAll()
    .where('number_id', 'in', ids)
    .where('status', '!=', 'ended')
    .execute()
  const byNumber = new Map(rows.map((it) => [it.number_id, it]))
  return numbers.map((number) => ({ number, subscription: byNumber.get(number.id) }))
}

/** Returns the numbers of an account with their subscriptions. */
export async function listNumbers(query: AccountQuery): Promise<NumberWithSubscription[]> {
  return withSubscriptions(query, await listNumberRows(query))
}

/** Returns a number of an account with its subscription. */
export async function findNumber(query: AccountQuery, id: number): Promise<NumberWithSubscription | undefined> {
  const rows = await query
    .selectFrom('phone_number')
    .selectAll()
    .where('account_id', '=', query.account)
    .where('id', '=', id)
    .execute()
  return (await withSubscriptions(query, rows))[0]
}

/** Returns whether any account of the platform has the number. Names of SIP trunks do not count. */
export async function isNumberOwned(
  connection: Pick<Connection, 'read' | 'write'>,
  phoneNumber: string,
): Promise<boolean> {
  const find = (query: Query) =>
    query
      .selectFrom('phone_number')
      .select('account_id')
      .where('phone_number', '=', phoneNumber)
      .where('type', '!=', 'sip')
      .executeTakeFirst()
  const found = await findNamed(connection, 'phone_number', phoneNumber, {
    own: find,
    any: find,
    accountOf: (it) => it.account_id,
  })
  return found !== undefined
}

/** Inserts a number. */
export async function insertNumber(query: AccountQuery, number: Insertable<NumberTable>): Promise<NumberRow> {
  if (number.type !== 'sip') await requireName(query, 'phone_number', number.phone_number, number.account_id)
  return query.insertInto('phone_number').values(number).returningAll().executeTakeFirstOrThrow()
}

/** Sets the nickname of a number. */
export async function renameNumber(query: AccountQuery, id: number, nickname: string | null): Promise<void> {
  await query
    .updateTable('phone_number')
    .set({ nickname })
    .where('account_id', '=', query.account)
    .where('id', '=', id)
    .execute()
}

/** Deletes a number and removes it from every assistant and campaign. */
export async function deleteNumber(query: AccountQuery, id: number): Promise<void> {
  await detachNumberFromAssistants(query, id)
  await detachCampaignNumber(query, id)
  await query.deleteFrom('subscription').where('account_id', '=', query.account).where('number_id', '=', id).execute()
  const deleted = await query
    .deleteFrom('phone_number')
    .where('account_id', '=', query.account)
    .where('id', '=', id)
    .returning(['phone_number', 'type'])
    .executeTakeFirst()
  if (deleted && deleted.type !== 'sip') await releaseName(query, 'phone_number', deleted.phone_number, query.account)
}

/** Returns the numbers of an account without their subscriptions. */
export const listNumberRows = (query: AccountQuery): Promise<NumberRow[]> =>
  query.selectFrom('phone_number').selectAll().where('account_id', '=', query.account).orderBy('id').execute()

/** Returns a number of an account without its subscription. */
export const findNumberRow = (query: AccountQuery, id: number): Promise<NumberRow | undefined> =>
  query
    .selectFrom('phone_number')
    .selectAll()
    .where('account_id', '=', query.account)
    .where('id', '=', id)
    .executeTakeFirst()

/** Returns the phone number of an id of the account, in E.164. */
export const findPhoneNumber = async (query: AccountQuery, id: number): Promise<string | undefined> =>
  (await query.selectFrom('phone_number').select('phone_number').where('id', '=', id).executeTakeFirst())?.phone_number

/** Returns the number of phone numbers of an account. */
export const countNumbers = async (query: AccountQuery): Promise<number> =>
  Number(
    (
      await query
        .selectFrom('phone_number')
        .select((it) => it.fn.countAll<number>().as('n'))
        .where('account_id', '=', query.account)
        .executeTakeFirstOrThrow()
    ).n,
  )
