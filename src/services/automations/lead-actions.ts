import { type LeadsPort, StepFailure } from '../../automation/ports.ts'
import { parsePhoneNumber } from '../../contract/phone-number.ts'
import { findLeadByNumber } from '../../store/leads.ts'
import type { Deps } from '../deps.ts'
import { leadService } from '../leads.ts'
import { acting, keyOf } from './own-actions.ts'

/** Adding leads to campaigns, queueing them again and taking them away. */
export function leadsPort(deps: Deps): LeadsPort {
  const service = leadService(deps)
  return {
    add: (act, { campaign, phone, variables, allowDuplicate, secondary }) =>
      acting(async () => {
        const draft = { campaign, phone, variables, duplicate: allowDuplicate, contacts: secondary }
        const { row } = await service.create(act.account, draft, keyOf(act))
        return { id: row.id, campaign_id: row.campaign_id, phone_number: row.phone_number, status: row.status, variables: JSON.parse(row.variables) }
      }),

    requeue: (act, lead, variables) =>
      acting(async () => {
        const id = 'id' in lead ? lead.id : await idOf(act.account, lead.campaign, lead.phone)
        await service.update(act.account, id, { status: 'created', ...(Object.keys(variables).length > 0 && { variables }) }, keyOf(act))
        return { id, status: 'created' }
      }),

    remove: (act, id) => acting(() => service.delete(act.account, id, keyOf(act))),
  }

  async function idOf(account: number, campaign: number, phone: string): Promise<number> {
    const number = (await parsePhoneNumber(phone)) ?? phone
    const found = await findLeadByNumber(deps.connection.read, account, campaign, number)
    if (!found) throw new StepFailure(`Campaign ${campaign} has no lead with the number ${number}.`, { classification: 'missing_record' })
    return found
  }
}
