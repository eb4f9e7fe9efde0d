import { type Campaign, campaigns } from '../../../contract/resources/campaigns.ts'
import { leads } from '../../../contract/resources/leads.ts'
import { openLeadStatuses } from '../../../contract/values/states.ts'
import type { Waitable } from '../../program/waiting/waitable.ts'

/**
 * How a campaign is waited for. One that was stopped ended otherwise: a person has to start it again. Scripts have the names
 * of the conditions in `--wait`, and the first one is the default: more are added behind it, and none is renamed.
 */
export const campaignWait: Waitable = {
  singular: 'campaign',
  conditions: {
    completed: { reached: ['completed'], pending: ['scheduled', 'in-progress'] },
    started: { reached: ['in-progress', 'completed'], pending: ['scheduled'] },
  },
  read: async ({ call }, { id }) => (await call(campaigns.get, { id: id as number })).data,
  stateOf: (record) => (record as Campaign).status,
  async detailOf({ call }, _, { id }) {
    const count = async (status?: (typeof openLeadStatuses)[number]): Promise<number> =>
      Number((await call(leads.list, { campaign_id: id as number, per_page: 1, ...(status && { status }) })).total)
    const [all = 0, ...open] = await Promise.all([count(), ...openLeadStatuses.map(count)])
    // Pages by cursor have no total.
    if ([all, ...open].some(Number.isNaN)) return undefined
    return `${open.reduce((sum, n) => sum + n, 0)} of ${all} ${all === 1 ? 'lead is' : 'leads are'} not finished`
  },
  shownBy: ({ id }) => ({ words: 'campaigns get', argument: String(id) }),
}
