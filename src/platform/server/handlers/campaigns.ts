import { Campaign, campaigns } from '../../../contract/resources/campaigns.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { fieldsFromRow } from '../../services/campaigns/campaign-fields.ts'
import { campaignService } from '../../services/campaigns/campaign-service.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { CampaignWithNumbers } from '../../store/campaigns/campaigns.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from './handler.ts'

/** Returns the endpoints of the resource with their handlers. */
export const campaignResource = (deps: Deps): LoadedResource => ({
  ...loadedResource(campaigns, campaignHandlers(deps)),
  storedCondition: storedChannel(deps),
})

/** Creates the handlers of campaigns. */
function campaignHandlers(deps: Deps): HandlersOf<typeof campaigns> {
  const service = campaignService(deps)
  return {
    list: async (_, { account }) => (await service.list(account.id)).map(toWire),
    get: async ({ id }, { account }) => ({ data: toWire(await service.get(account.id, id)) }),
    create: async (draft, { account }) => ({
      message: 'Campaign created successfully',
      data: toWire(await service.create(account.id, draft)),
    }),
    update: async ({ id, ...change }, { account }) => ({
      message: 'Campaign updated successfully',
      data: toWire(await service.update(account.id, id, change)),
    }),
    async updateStatus({ campaign_id, action }, { account, key }) {
      const { status, channel } = await service.updateStatus(account.id, campaign_id, action, key?.id)
      return {
        message: messages[status] ?? 'Campaign stopped successfully',
        success: true,
        data: { campaign_id, status, channel },
      }
    },
    async delete({ id }, { account }) {
      await service.delete(account.id, id)
      return { message: 'Campaign deleted successfully' }
    },
  }
}

/** Returns the channel of the campaign that an update names. */
const storedChannel =
  (deps: Deps): NonNullable<LoadedResource['storedCondition']> =>
  (account, { id }) =>
    campaignService(deps).channelOf(account, Number(id))

const messages: Readonly<Record<string, string>> = {
  'in-progress': 'Campaign started successfully',
  scheduled: 'Campaign scheduled successfully',
}

const blank = Object.fromEntries(
  Object.entries(Campaign.shape)
    .filter(([, field]) => !field.isOptional())
    .map(([name]) => [name, null]),
)

const toWire = (campaign: CampaignWithNumbers): Campaign =>
  ({
    ...blank,
    ...fieldsFromRow(campaign),
    id: campaign.row.id,
    status: campaign.row.status,
    created_at: toIsoMicros(campaign.row.created_at),
    updated_at: toIsoMicros(campaign.row.updated_at),
  }) as Campaign
