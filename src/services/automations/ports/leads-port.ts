import { normalizedNumber } from '../../../contract/values/phone-number.ts'
import type { LeadsPort } from '../../../flow/pieces/ports.ts'
import { StepFailure } from '../../../flow/pieces/step-failure.ts'
import { parseJson } from '../../../node/json.ts'
import { findLeadByNumber } from '../../../store/campaigns/leads.ts'
import { leadService } from '../../campaigns/lead-service.ts'
import type { Deps } from '../../runtime/deps.ts'
import { actionKey, withStepFailures } from './platform-ports.ts'

/** Adds, requeues and removes leads of campaigns. */
export function leadsPort(deps: Deps): LeadsPort {
  const service = leadService(deps)
  return {
    add: (action, { campaign, phone, variables, allowDuplicate, secondary }) =>
      withStepFailures(async () => {
        const contacts = await Promise.all(
          secondary.map(async (it) => ({ ...it, phone: await normalizedNumber(it.phone) })),
        )
        const draft = { campaign, phone: await normalizedNumber(phone), variables, duplicate: allowDuplicate, contacts }
        const { row } = await service.create(action.account, draft, actionKey(action))
        return {
          id: row.id,
          campaign_id: row.campaign_id,
          phone_number: row.phone_number,
          status: row.status,
          variables: parseJson(row.variables),
        }
      }),

    requeue: (action, lead, variables) =>
      withStepFailures(async () => {
        const id = 'id' in lead ? lead.id : await findLeadId(action.account, lead.campaign, lead.phone)
        await service.update(
          action.account,
          id,
          { status: 'created', ...(Object.keys(variables).length > 0 && { variables }) },
          actionKey(action),
        )
        return { id, status: 'created' }
      }),

    remove: (action, id) => withStepFailures(() => service.delete(action.account, id, actionKey(action))),
  }

  async function findLeadId(account: number, campaign: number, phone: string): Promise<number> {
    const number = await normalizedNumber(phone)
    const found = await findLeadByNumber(deps.connection.read, account, campaign, number)
    if (!found)
      throw new StepFailure(`Campaign ${campaign} has no lead with the phone number ${number}.`, {
        classification: 'missing_record',
      })
    return found
  }
}
