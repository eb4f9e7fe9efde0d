import { Failure } from '../contract/errors.ts'
import { unschedule } from '../events/due.ts'
import { type AccountRow, findAccount } from '../store/accounts.ts'
import { findLeadById } from '../store/campaign-leads.ts'
import { findNumberedCampaign, type NumberedCampaign } from '../store/campaigns.ts'
import { changeLead, type LeadRow } from '../store/leads.ts'
import { fallbackWork, moveLead } from './campaign-leads.ts'
import { type CampaignFields, fieldsOf } from './campaign-state.ts'
import type { Deps } from './deps.ts'
import { sendService } from './sends.ts'
import { smsService } from './sms.ts'
import { fillVariables } from './variables.ts'

/** The values of a template's placeholders: the mapping names a placeholder beside a variable of the lead, either way round. */
function mapped(mapping: Readonly<Record<string, string>> | null | undefined, variables: Readonly<Record<string, unknown>>): Record<string, string> {
  const pairs = Object.entries(mapping ?? {}).map(([a, b]) => (Object.hasOwn(variables, b) ? [a, variables[b]] : [b, variables[a] ?? '']))
  return Object.fromEntries(pairs.map(([name, value]) => [name as string, String(value)]))
}

/** What campaigns write to leads. */
export function campaignTexts(deps: Deps) {
  const { connection, clock } = deps
  const sends = sendService(deps)
  const texts = smsService(deps)

  /** True when the message was taken; a refusal is not, and asking again under the key of the same try does nothing more. */
  async function taken(body: () => Promise<unknown>): Promise<boolean> {
    try {
      await body()
      return true
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      deps.log(`campaign: ${error.message}`)
      return false
    }
  }

  async function template(
    account: AccountRow,
    lead: LeadRow,
    key: string,
    ids: { sender: number; template: number; mapping: CampaignFields['text_variable_mapping'] },
  ) {
    const variables = JSON.parse(lead.variables)
    const draft = { senderId: ids.sender, templateId: ids.template, recipient: lead.phone_number, variables: mapped(ids.mapping, variables) }
    return taken(() => sends.template(account, draft, key))
  }

  const sms = (account: AccountRow, lead: LeadRow, key: string, from: number, body: string): Promise<boolean> =>
    taken(() => texts.send(account, { from, to: lead.phone_number, body: fillVariables(body, JSON.parse(lead.variables)) }, key))

  return {
    /** Writes to a lead that was taken up, and moves it on. */
    async write(campaign: NumberedCampaign, lead: LeadRow): Promise<void> {
      const fields = fieldsOf(campaign)
      const account = await findAccount(connection.read, lead.account_id)
      if (!account) return
      const key = `campaign-${lead.id}-${lead.attempts}-${lead.last_attempt_at}`
      const { messaging_sender_id: sender, messaging_template_id: id, sms_from_phone_number_id: from, sms_body: body } = fields
      const isTaken =
        campaign.row.channel === 'messaging'
          ? await template(account, lead, key, { sender: sender as number, template: id as number, mapping: fields.text_variable_mapping ?? null })
          : await sms(account, lead, key, from as number, body as string)
      await connection.write(async (query) => {
        const now = await clock.now(query)
        const current = await findLeadById(query, lead.id)
        if (current?.status === 'processing') await moveLead(query, current, JSON.parse(campaign.row.settings), isTaken, now)
      })
    },

    /** Due work: contacts a lead that no call reached another way, once. */
    async fallBack(id: number): Promise<void> {
      const lead = await findLeadById(connection.read, id)
      const campaign = lead && (await findNumberedCampaign(connection.read, lead.account_id, lead.campaign_id))
      const account = lead && (await findAccount(connection.read, lead.account_id))
      const fields = campaign && fieldsOf(campaign)
      const key = `fallback-${id}-${lead?.last_attempt_at}`
      let isTaken = false
      if (lead && account && fields?.fallback_channel === 'messaging') {
        const ids = { sender: fields.fallback_messaging_sender_id as number, template: fields.fallback_messaging_template_id as number }
        isTaken = await template(account, lead, key, { ...ids, mapping: fields.fallback_variable_mapping ?? null })
      } else if (lead && account && fields?.fallback_channel === 'sms')
        isTaken = await sms(account, lead, key, fields.fallback_sms_from_phone_number_id as number, fields.fallback_sms_body ?? '')
      await connection.write(async (query) => {
        const now = await clock.now(query)
        if (lead && isTaken) await changeLead(query, lead.account_id, id, { fallback_sent_at: now, updated_at: now })
        await unschedule(query, fallbackWork, String(id))
      })
    },
  }
}
