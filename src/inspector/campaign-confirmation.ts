import { campaigns } from '../contract/resources/campaigns.ts'
import { leads } from '../contract/resources/leads.ts'
import type { InspectorBackend, InspectorRequest } from './backend.ts'
import type { Confirmation } from './confirmation.ts'
import { priceDetails } from './known-price.ts'
import { readingClient } from './platform-client.ts'

/** Returns what is asked before a campaign is started or stopped; undefined if there is no such campaign. */
export async function campaignConfirmation(
  backend: InspectorBackend,
  request: InspectorRequest,
  input: Readonly<Record<string, unknown>>,
): Promise<Confirmation | undefined> {
  const call = await readingClient(backend, request)
  const id = Number(input.campaign_id)
  const campaign = await call(campaigns.get, { id }).catch(() => undefined)
  if (!campaign) return undefined
  const { name, channel } = campaign.data
  if (input.action === 'stop')
    return {
      question: `Stop campaign "${name}"?`,
      details: ['No further leads are contacted until you start it again.'],
      expected: 'yes',
    }
  const { price, notes } = await priceDetails(backend, request, input)
  const { total } = await call(leads.list, { campaign_id: id, status: 'created', per_page: 1 })
  return {
    question: `Start campaign "${name}"?`,
    details: [
      `${channel === 'call' ? 'Calls' : 'Messages'} ${total} new ${total === 1 ? 'lead' : 'leads'}.`,
      ...price,
      'This is charged to the account.',
    ],
    notes,
    expected: 'yes',
  }
}
