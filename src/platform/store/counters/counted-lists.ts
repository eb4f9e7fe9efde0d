import type { CountedList } from './counted-list.ts'

/** Leads with their campaign. */
export const leadList: CountedList = {
  table: 'lead',
  filters: { campaign_id: 0, status: '' },
  joined: {
    join: 'join campaign c on c.id = r.campaign_id',
    columns: 'c.name as campaign_name, c.channel as campaign_channel',
  },
}

/** Conversations with their assistant. The row of a deleted assistant still exists for them. */
export const conversationList: CountedList = {
  table: 'conversation',
  filters: { assistant_id: 0, type: '' },
  joined: {
    join: 'join assistant a on a.id = r.assistant_id',
    columns: 'a.uuid as assistant_uuid, a.name as assistant_name',
  },
}

/** Every list with counters, for checks and rebuilds. */
export const countedLists: readonly CountedList[] = [leadList, conversationList]
