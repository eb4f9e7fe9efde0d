// `AccountQuery` adds the condition on the account to every statement (account-query.ts). One that is written here, too,
// lets SQLite use an index.

import type { Insertable, Selectable, Updateable } from 'kysely'
import { detachCampaignAssistant } from '../campaigns/campaigns.ts'
import { releaseName, requireName } from '../database/account-names.ts'
import type { AccountQuery } from '../database/connection.ts'
import { listSlots, type SlotRow } from './event-slots.ts'
import type { AssistantTable } from './tables.ts'

export type AssistantRow = Selectable<AssistantTable>

/** Assistant with related rows: ids of its labels and (in order) mid-call tools, and the receivers of its events. */
export interface LinkedAssistant {
  readonly row: AssistantRow
  readonly labels: readonly number[]
  readonly tools: readonly number[]
  readonly slots: readonly SlotRow[]
}

const activeAssistants = (query: AccountQuery) =>
  query.selectFrom('assistant').where('account_id', '=', query.account).where('deleted_at', 'is', null)

async function withLinks(query: AccountQuery, rows: readonly AssistantRow[]): Promise<LinkedAssistant[]> {
  if (rows.length === 0) return []
  const ids = rows.map((it) => it.id)
  const labels = await query
    .selectFrom('assistant_label')
    .select(['assistant_id', 'label_id'])
    .where('assistant_id', 'in', ids)
    .orderBy('label_id')
    .execute()
  const tools = await query
    .selectFrom('assistant_tool')
    .select(['assistant_id', 'tool_id'])
    .where('assistant_id', 'in', ids)
    .orderBy('position')
    .execute()
  const slots = await listSlots(query, ids)
  return rows.map((row) => ({
    row,
    slots: slots.filter((it) => it.assistant_id === row.id),
    labels: labels.filter((it) => it.assistant_id === row.id).map((it) => it.label_id),
    tools: tools.filter((it) => it.assistant_id === row.id).map((it) => it.tool_id),
  }))
}

/** Returns one page in the order of creation, and the total. */
export async function listAssistants(
  query: AccountQuery,
  page: { offset: number; limit: number },
): Promise<{ readonly items: LinkedAssistant[]; readonly total: number }> {
  const rows = await activeAssistants(query).selectAll().orderBy('id').offset(page.offset).limit(page.limit).execute()
  const { n } = await activeAssistants(query)
    .select((it) => it.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  return { items: await withLinks(query, rows), total: Number(n) }
}

/** Returns assistants after an id, in the order of creation. */
export const listAssistantsAfter = async (query: AccountQuery, id: number, limit: number): Promise<LinkedAssistant[]> =>
  withLinks(query, await activeAssistants(query).selectAll().where('id', '>', id).orderBy('id').limit(limit).execute())

/** Returns an assistant of an account that is not deleted. */
export const findAssistant = (query: AccountQuery, id: number): Promise<AssistantRow | undefined> =>
  activeAssistants(query).selectAll().where('id', '=', id).executeTakeFirst()

/** Returns an assistant by UUID. */
export const findAssistantByUuid = (query: AccountQuery, uuid: string): Promise<AssistantRow | undefined> =>
  query
    .selectFrom('assistant')
    .selectAll()
    .where('uuid', '=', uuid.toLowerCase())
    .where('deleted_at', 'is', null)
    .executeTakeFirst()

/** Returns an assistant of an account with its related rows. */
export async function findLinkedAssistant(query: AccountQuery, id: number): Promise<LinkedAssistant | undefined> {
  const row = await findAssistant(query, id)
  return row && (await withLinks(query, [row]))[0]
}

/** Inserts an assistant. Fails with a unique violation if it is inbound and another assistant answers its number. */
export async function insertAssistant(query: AccountQuery, row: Insertable<AssistantTable>): Promise<AssistantRow> {
  await requireName(query, 'assistant', row.uuid, row.account_id)
  return query.insertInto('assistant').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Gives an assistant another UUID. */
export async function setAssistantUuid(query: AccountQuery, id: number, uuid: string): Promise<void> {
  const before = await findAssistant(query, id)
  if (before === undefined || before.uuid === uuid) return
  await requireName(query, 'assistant', uuid, query.account)
  await query.updateTable('assistant').set({ uuid }).where('id', '=', id).execute()
  await releaseName(query, 'assistant', before.uuid, query.account)
}

/** Updates an assistant. Fails with a unique violation if it would answer a number that another assistant answers. */
export async function updateAssistantRow(
  query: AccountQuery,
  id: number,
  change: Omit<Updateable<AssistantTable>, 'uuid'>,
): Promise<void> {
  await query
    .updateTable('assistant')
    .set(change)
    .where('account_id', '=', query.account)
    .where('id', '=', id)
    .execute()
}

/** Replaces the labels and the mid-call tools of an assistant. */
export async function replaceAssistantLinks(
  query: AccountQuery,
  { id, account_id }: Pick<AssistantRow, 'id' | 'account_id'>,
  {
    labels,
    tools,
  }: { readonly labels?: readonly number[] | undefined; readonly tools?: readonly number[] | undefined },
): Promise<void> {
  if (labels) {
    await query.deleteFrom('assistant_label').where('assistant_id', '=', id).execute()
    for (const label_id of new Set(labels))
      await query.insertInto('assistant_label').values({ account_id, assistant_id: id, label_id }).execute()
  }
  if (tools) {
    await query.deleteFrom('assistant_tool').where('assistant_id', '=', id).execute()
    for (const [position, tool_id] of [...new Set(tools)].entries())
      await query.insertInto('assistant_tool').values({ account_id, assistant_id: id, tool_id, position }).execute()
  }
}

/** Removes all references to and from an assistant. Its row stays, marked as deleted and without settings. */
export async function deleteAssistant(query: AccountQuery, id: number, now: number): Promise<void> {
  await replaceAssistantLinks(query, { id, account_id: query.account }, { labels: [], tools: [] })
  await query.deleteFrom('event_slot').where('assistant_id', '=', id).execute()
  await detachCampaignAssistant(query, id)
  await query
    .updateTable('sender')
    .set({ assistant_id: null })
    .where('account_id', '=', query.account)
    .where('assistant_id', '=', id)
    .execute()
  await updateAssistantRow(query, id, {
    status: 'inactive',
    phone_number_id: null,
    folder_id: null,
    knowledgebase_id: null,
    settings: '{}',
    updated_at: now,
    deleted_at: now,
  })
}

/** Returns assistants whose settings mention a built-in tool of this type. The result may include false matches: the caller checks. */
export const listAssistantsWithTool = (query: AccountQuery, type: string): Promise<AssistantRow[]> =>
  activeAssistants(query)
    .selectAll()
    .where((it) => it(it.ref('settings').$castTo<string>(), 'like', `%"${type}"%`))
    .execute()

/** Returns an assistant of the account, even if it is deleted: conversations and calls still refer to it. */
export const findAssistantById = (query: AccountQuery, id: number): Promise<AssistantRow | undefined> =>
  query.selectFrom('assistant').selectAll().where('id', '=', id).executeTakeFirst()

/** Returns the settings of an assistant of the account as JSON; undefined if it does not exist. A deleted one has none: `{}`. */
export const findAssistantSettings = async (query: AccountQuery, id: number): Promise<string | undefined> =>
  (await query.selectFrom('assistant').select('settings').where('id', '=', id).executeTakeFirst())?.settings

/** Returns the assistants of an account that are not deleted. */
export const listActiveAssistants = (query: AccountQuery): Promise<AssistantRow[]> =>
  activeAssistants(query).selectAll().orderBy('id').execute()

/** Returns the ids of the assistants of an account, including deleted ones, in the order of creation. */
export const listAssistantIds = async (query: AccountQuery): Promise<number[]> =>
  (
    await query.selectFrom('assistant').select('id').where('account_id', '=', query.account).orderBy('id').execute()
  ).map((it) => it.id)

/** Returns the assistant that uses a number of an account; the inbound one if there are several. */
export const findNumberAssistant = (query: AccountQuery, number: number): Promise<AssistantRow | undefined> =>
  activeAssistants(query).selectAll().where('phone_number_id', '=', number).orderBy('type').executeTakeFirst()

/** Tables of resources that an assistant may refer to. */
export type ReferencedTable = 'tool' | 'label' | 'folder' | 'knowledge_base' | 'phone_number' | 'assistant'

/** Returns those of the ids that belong to the account. */
export async function findOwnedIds(
  query: AccountQuery,
  table: ReferencedTable,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set()
  // The tables share these columns. Deleted assistants are excluded.
  const own = query
    .selectFrom(table as 'assistant')
    .select('id')
    .where('account_id', '=', query.account)
    .where('id', 'in', ids)
  const existing = table === 'assistant' ? own.where('deleted_at', 'is', null) : own
  const rows = await existing.execute()
  return new Set(rows.map((it) => it.id))
}

/** Returns the inbound assistant that answers a number, if any. */
export async function findAnsweringAssistant(query: AccountQuery, number: number): Promise<number | undefined> {
  const row = await query
    .selectFrom('assistant')
    .select('id')
    .where('phone_number_id', '=', number)
    .where('type', '=', 'inbound')
    .executeTakeFirst()
  return row?.id
}

/** Removes a number from every assistant, before the number is deleted. */
export async function detachNumberFromAssistants(query: AccountQuery, number: number): Promise<void> {
  await query
    .updateTable('assistant')
    .set({ phone_number_id: null })
    .where('account_id', '=', query.account)
    .where('phone_number_id', '=', number)
    .execute()
}

/** Removes a mid-call tool from every assistant, before the tool is deleted. */
export async function detachToolFromAssistants(query: AccountQuery, tool: number): Promise<void> {
  await query.deleteFrom('assistant_tool').where('account_id', '=', query.account).where('tool_id', '=', tool).execute()
}
