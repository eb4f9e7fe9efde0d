import { invalidField } from '../../contract/errors/failures.ts'
import { day } from '../../contract/values/micros.ts'
import { findAssistant } from '../../store/assistants/assistants.ts'
import { type CallFilters, type ListedCall, listCalls } from '../../store/calls/phone-calls.ts'
import { findCampaign } from '../../store/campaigns/campaigns.ts'
import type { Query } from '../../store/database/connection.ts'
import { type ConversationQuery, toDayRange } from '../conversations/conversation-service.ts'

/** Filters of a list of calls. */
export interface CallQuery
  extends Pick<ConversationQuery, 'assistant_id' | 'date_from' | 'date_to'>,
    Pick<CallFilters, 'status' | 'type'> {
  readonly phone_number?: string | undefined
  readonly campaign_id?: number | undefined
}

/**
 * Returns one page of an account's calls. `page` counts from 1; a page beyond the last is empty. @throws Failure 422 for
 * an unknown assistant or campaign
 */
export async function listAccountCalls(
  query: Query,
  account: number,
  filters: CallQuery,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ items: ListedCall[]; total: number }> {
  const { status, type, phone_number: client, assistant_id: assistant, campaign_id: campaign } = filters
  if (assistant !== undefined && !(await findAssistant(query, account, assistant)))
    throw invalidField('assistant_id', 'The selected assistant id is invalid.')
  if (campaign !== undefined && !(await findCampaign(query, account, campaign)))
    throw invalidField('campaign_id', 'The selected campaign id is invalid.')
  const { fromDay, toDay } = toDayRange(filters)
  const span = { from: fromDay && fromDay * day, before: toDay === undefined ? undefined : (toDay + 1) * day }
  const own = { status, type, client, assistant, campaign, ...span }
  return listCalls(query, account, own, { offset: (page - 1) * perPage, limit: perPage })
}
