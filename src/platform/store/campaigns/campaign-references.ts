import type { Query } from '../database/connection.ts'

/**
 * Removes a number from every campaign, before it is deleted. A running campaign that sends from it is paused, because
 * it has no sender anymore.
 */
export async function detachCampaignNumber(query: Query, account: number, number: number): Promise<void> {
  await query.deleteFrom('campaign_number').where('account_id', '=', account).where('number_id', '=', number).execute()
  const own = query.updateTable('campaign').where('account_id', '=', account)
  await own.set({ fallback_number_id: null }).where('fallback_number_id', '=', number).execute()
  await own
    .set({ status: 'paused' })
    .where('sms_number_id', '=', number)
    .where('status', 'in', ['scheduled', 'in-progress'])
    .execute()
  await own.set({ sms_number_id: null }).where('sms_number_id', '=', number).execute()
}

/**
 * Removes an assistant from every campaign, before it is deleted. Its running campaigns are paused, because they have
 * no assistant anymore.
 */
export async function detachCampaignAssistant(query: Query, account: number, assistant: number): Promise<void> {
  const own = query.updateTable('campaign').where('account_id', '=', account).where('assistant_id', '=', assistant)
  await own.set({ status: 'paused' }).where('status', 'in', ['scheduled', 'in-progress']).execute()
  await own.set({ assistant_id: null }).execute()
}
