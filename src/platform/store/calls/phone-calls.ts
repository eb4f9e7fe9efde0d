// `AccountQuery` adds the condition on the account to every statement (account-query.ts). One that is written here, too,
// lets SQLite use an index.

import type { Insertable, Selectable, Updateable } from 'kysely'
import type { AccountQuery } from '../database/connection.ts'
import type { PhoneCallTable } from './tables.ts'

export type PhoneCallRow = Selectable<PhoneCallTable>
/** Call as a list shows it: with the name of its assistant. */
export type ListedCall = PhoneCallRow & { readonly assistant_name: string | null }

/** Conditions of a list of calls; all that are given must hold. */
export interface CallFilters {
  readonly status?: string | undefined
  readonly type?: PhoneCallRow['type'] | undefined
  /** Phone number of the other party. */
  readonly client?: string | undefined
  readonly assistant?: number | undefined
  readonly campaign?: number | undefined
  /** Only calls that started at or after `from` and before `before`. */
  readonly from?: number | undefined
  readonly before?: number | undefined
}

/** Inserts a call. */
export const insertCall = (query: AccountQuery, call: Insertable<PhoneCallTable>): Promise<PhoneCallRow> =>
  query.insertInto('phone_call').values(call).returningAll().executeTakeFirstOrThrow()

/** Returns a call of the account. */
export const findCall = (query: AccountQuery, id: number): Promise<PhoneCallRow | undefined> =>
  query.selectFrom('phone_call').selectAll().where('id', '=', id).executeTakeFirst()

/** Updates a call that is still in this state; returns undefined if another process changed it first. */
export const transitionCall = (
  query: AccountQuery,
  id: number,
  from: PhoneCallRow['state'],
  change: Updateable<PhoneCallTable>,
): Promise<PhoneCallRow | undefined> =>
  query
    .updateTable('phone_call')
    .set(change)
    .where('id', '=', id)
    .where('state', '=', from)
    .returningAll()
    .executeTakeFirst()

const filteredCalls = (query: AccountQuery, { status, type, client, assistant, campaign, from, before }: CallFilters) =>
  query
    .selectFrom('phone_call')
    .where('phone_call.account_id', '=', query.account)
    .$if(status !== undefined, (it) => it.where('phone_call.status', '=', status as string))
    .$if(type !== undefined, (it) => it.where('phone_call.type', '=', type as PhoneCallRow['type']))
    .$if(client !== undefined, (it) => it.where('phone_call.client_phone_number', '=', client as string))
    .$if(assistant !== undefined, (it) => it.where('phone_call.assistant_id', '=', assistant as number))
    .$if(campaign !== undefined, (it) => it.where('phone_call.campaign_id', '=', campaign as number))
    .$if(from !== undefined, (it) => it.where('phone_call.created_at', '>=', from as number))
    .$if(before !== undefined, (it) => it.where('phone_call.created_at', '<', before as number))

const withAssistantName = (rows: ReturnType<typeof filteredCalls>) =>
  rows
    .leftJoin('assistant', 'assistant.id', 'phone_call.assistant_id')
    .selectAll('phone_call')
    .select('assistant.name as assistant_name')

/** Returns one page, newest first, and the total. */
export async function listCalls(
  query: AccountQuery,
  filters: CallFilters,
  page: { readonly offset: number; readonly limit: number },
): Promise<{ readonly items: ListedCall[]; readonly total: number }> {
  const items = await withAssistantName(filteredCalls(query, filters))
    .orderBy('phone_call.id', 'desc')
    .offset(page.offset)
    .limit(page.limit)
    .execute()
  const { n } = await filteredCalls(query, filters)
    .select((it) => it.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return { items, total: Number(n) }
}

/** Returns a call of an account with the name of its assistant. */
export const findAccountCall = (query: AccountQuery, id: number): Promise<ListedCall | undefined> =>
  withAssistantName(filteredCalls(query, {}).where('phone_call.id', '=', id)).executeTakeFirst()

/** Deletes a call. Returns false if it does not exist. */
export async function deleteCall(query: AccountQuery, id: number): Promise<boolean> {
  const { numDeletedRows } = await query
    .deleteFrom('phone_call')
    .where('account_id', '=', query.account)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
