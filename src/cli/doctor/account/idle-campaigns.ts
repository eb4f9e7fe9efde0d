import type { Call } from '../../../client/create-client.ts'
import { itemsOf } from '../../../client/paginate.ts'
import { leads } from '../../../contract/resources/leads.ts'
import { mapConcurrently } from '../../dependencies/account-reader.ts'
import type { Finding } from '../finding.ts'
import { type AccountScope, isActiveCampaign, resourceFinding } from './account-scope.ts'

/** Reports running or scheduled campaigns without leads. */
export async function idleCampaignFindings({ account }: AccountScope, call: Call): Promise<Finding[]> {
  const running = (await account.list('campaigns')).filter(isActiveCampaign)
  const found = await mapConcurrently(running, async (it) => {
    const answer = await call(leads.list, { campaign_id: it.id as number, per_page: 1 }).catch(() => undefined)
    return answer !== undefined && itemsOf(leads.list, answer).length === 0
  })
  return running
    .filter((_, n) => found[n])
    .map((it) =>
      resourceFinding(
        'warning',
        'campaign_leads',
        ['campaigns', it],
        `is ${it.status} and has no leads.`,
        `parley leads create --campaign ${it.id}`,
      ),
    )
}
