import type { AccountQuery } from '../database/connection.ts'

/** The assistant and campaign that something was paid for. */
export interface UsageOwner {
  readonly assistant: number | null
  readonly campaign: number | null
}

/** Kinds of ledger references with an owner: the words before the id in references, which the ledger has, so they never change. */
export type OwnedReference = 'call' | 'chat' | 'message' | 'sms'

/** Returns the owners of calls, conversations, channel messages or SMS by id. Deleted ones are missing. */
export async function findUsageOwners(
  query: AccountQuery,
  kind: OwnedReference,
  ids: readonly number[],
): Promise<Map<number, UsageOwner>> {
  return new Map(ids.length === 0 ? [] : await readers[kind](query, ids))
}

type Owners = Promise<(readonly [number, UsageOwner])[]>

const readers: Readonly<Record<OwnedReference, (query: AccountQuery, ids: readonly number[]) => Owners>> = {
  call: async (query, ids) =>
    (
      await query
        .selectFrom('phone_call')
        .select(['id', 'assistant_id', 'campaign_id'])
        .where('account_id', '=', query.account)
        .where('id', 'in', ids)
        .execute()
    ).map((it) => [it.id, { assistant: it.assistant_id, campaign: it.campaign_id }]),

  chat: async (query, ids) =>
    (
      await query
        .selectFrom('conversation')
        .select(['id', 'assistant_id'])
        .where('account_id', '=', query.account)
        .where('id', 'in', ids)
        .execute()
    ).map((it) => [it.id, { assistant: it.assistant_id, campaign: null }]),

  async message(query, ids) {
    const rows = await query
      .selectFrom('channel_message')
      .leftJoin('conversation', 'conversation.id', 'channel_message.conversation_id')
      .leftJoin('sender', 'sender.id', 'channel_message.sender_id')
      .select([
        'channel_message.id',
        'channel_message.idempotency_key',
        'conversation.assistant_id',
        'sender.assistant_id as sender_assistant',
      ])
      .where('channel_message.account_id', '=', query.account)
      .where('channel_message.id', 'in', ids)
      .execute()
    const campaigns = await findCampaigns(query, rows)
    return rows.map((campaign) => [
      campaign.id,
      { assistant: campaign.assistant_id ?? campaign.sender_assistant, campaign: campaigns(campaign.idempotency_key) },
    ])
  },

  async sms(query, ids) {
    const rows = await query
      .selectFrom('sms_message')
      .select(['id', 'idempotency_key'])
      .where('account_id', '=', query.account)
      .where('id', 'in', ids)
      .execute()
    const campaigns = await findCampaigns(query, rows)
    return rows.map((it) => [it.id, { assistant: null, campaign: campaigns(it.idempotency_key) }])
  },
}

/** Returns the id of the lead in the key of a message that a campaign sent (campaign-messages.ts); undefined for other messages. */
const leadOf = (key: string | null): number | undefined => {
  const id = /^(?:campaign|fallback)-(\d{1,15})-/.exec(key ?? '')?.[1]
  return id === undefined ? undefined : Number(id)
}

async function findCampaigns(
  query: AccountQuery,
  rows: readonly { readonly idempotency_key: string | null }[],
): Promise<(key: string | null) => number | null> {
  const leads = [...new Set(rows.flatMap((it) => leadOf(it.idempotency_key) ?? []))]
  if (leads.length === 0) return () => null
  const found = await query
    .selectFrom('lead')
    .select(['id', 'campaign_id'])
    .where('account_id', '=', query.account)
    .where('id', 'in', leads)
    .execute()
  const byLead = new Map(found.map((it) => [it.id, it.campaign_id]))
  return (key) => byLead.get(leadOf(key) ?? 0) ?? null
}

/** Returns the names of assistants or campaigns of an account by id, of deleted ones too while their rows exist. */
export async function findOwnerNames(
  query: AccountQuery,
  table: 'assistant' | 'campaign',
  ids: readonly number[],
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await query
    .selectFrom(table)
    .select(['id', 'name'])
    .where('account_id', '=', query.account)
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}
