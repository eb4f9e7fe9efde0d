import { Failure } from '../../contract/errors/failures.ts'
import { unscheduleJob } from '../../jobs/job-loop.ts'
import { type AccountRow, findAccount } from '../../store/accounts/accounts.ts'
import { type CampaignWithNumbers, findCampaignWithNumbers } from '../../store/campaigns/campaigns.ts'
import { findLeadById } from '../../store/campaigns/lead-queue.ts'
import { type LeadRow, updateLeadRow } from '../../store/campaigns/leads.ts'
import type { JobRow } from '../../store/runtime/scheduled-jobs.ts'
import { fillVariables } from '../assistants/assistant-variables.ts'
import { sendService } from '../messaging/send-service.ts'
import { smsService } from '../messaging/sms-service.ts'
import type { Deps } from '../runtime/deps.ts'
import { type CampaignFields, fieldsFromRow } from './campaign-fields.ts'
import { fallbackContactJobKind, recordLeadOutcome } from './lead-outcomes.ts'

/**
 * Returns the values of a template's placeholders. Each entry of the mapping pairs a placeholder with a variable of the
 * lead, in either order.
 */
function mapPlaceholders(
  mapping: Readonly<Record<string, string>> | null | undefined,
  variables: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const pairs = Object.entries(mapping ?? {}).map(([a, b]) =>
    Object.hasOwn(variables, b) ? [a, variables[b]] : [b, variables[a] ?? ''],
  )
  return Object.fromEntries(pairs.map(([name, value]) => [name as string, String(value)]))
}

/** Sends the messages of campaigns to leads. */
export function campaignMessages(deps: Deps) {
  const { connection, clock } = deps
  const sends = sendService(deps)
  const smsMessages = smsService(deps)

  /**
   * Runs a send and returns true if it was accepted, false if it was refused. Repeating it under the same key sends
   * nothing more.
   */
  async function trySend(body: () => Promise<unknown>): Promise<boolean> {
    try {
      await body()
      return true
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      deps.log(`campaign: ${error.message}`)
      return false
    }
  }

  async function sendTemplate(
    account: AccountRow,
    lead: LeadRow,
    key: string,
    ids: { sender: number; template: number; mapping: CampaignFields['text_variable_mapping'] },
  ) {
    const variables = JSON.parse(lead.variables)
    const draft = {
      senderId: ids.sender,
      templateId: ids.template,
      recipient: lead.phone_number,
      variables: mapPlaceholders(ids.mapping, variables),
    }
    return trySend(() => sends.template(account, draft, key))
  }

  const trySendSms = (account: AccountRow, lead: LeadRow, key: string, from: number, body: string): Promise<boolean> =>
    trySend(() =>
      smsMessages.send(
        account,
        { from, to: lead.phone_number, body: fillVariables(body, JSON.parse(lead.variables)) },
        key,
      ),
    )

  return {
    /** Sends a message to a lead that was started, and records the outcome. */
    async sendToLead(campaign: CampaignWithNumbers, lead: LeadRow): Promise<void> {
      const fields = fieldsFromRow(campaign)
      const account = await findAccount(connection.read, lead.account_id)
      if (!account) return
      const key = `campaign-${lead.id}-${lead.attempts}-${lead.last_attempt_at}`
      const {
        messaging_sender_id: sender,
        messaging_template_id: id,
        sms_from_phone_number_id: from,
        sms_body: body,
      } = fields
      const isSent =
        campaign.row.channel === 'messaging'
          ? await sendTemplate(account, lead, key, {
              sender: sender as number,
              template: id as number,
              mapping: fields.text_variable_mapping ?? null,
            })
          : await trySendSms(account, lead, key, from as number, body as string)
      await connection.write({ account: lead.account_id }, async (query) => {
        const now = await clock.now(query)
        const current = await findLeadById(query, lead.id)
        if (current?.status === 'processing')
          await recordLeadOutcome(query, current, JSON.parse(campaign.row.settings), isSent, now)
      })
    },

    /** Scheduled job: contacts a lead once through the fallback channel after its calls failed. */
    async sendFallback({ account_id, subject }: JobRow): Promise<void> {
      const id = Number(subject)
      const lead = await findLeadById(connection.read, id)
      const campaign = lead && (await findCampaignWithNumbers(connection.read, lead.account_id, lead.campaign_id))
      const account = lead && (await findAccount(connection.read, lead.account_id))
      const fields = campaign && fieldsFromRow(campaign)
      const key = `fallback-${id}-${lead?.last_attempt_at}`
      let isSent = false
      if (lead && account && fields?.fallback_channel === 'messaging') {
        const ids = {
          sender: fields.fallback_messaging_sender_id as number,
          template: fields.fallback_messaging_template_id as number,
        }
        isSent = await sendTemplate(account, lead, key, { ...ids, mapping: fields.fallback_variable_mapping ?? null })
      } else if (lead && account && fields?.fallback_channel === 'sms')
        isSent = await trySendSms(
          account,
          lead,
          key,
          fields.fallback_sms_from_phone_number_id as number,
          fields.fallback_sms_body ?? '',
        )
      await connection.write({ account: account_id }, async (query) => {
        const now = await clock.now(query)
        if (lead && isSent) await updateLeadRow(query, lead.account_id, id, { fallback_sent_at: now, updated_at: now })
        await unscheduleJob(query, fallbackContactJobKind, subject)
      })
    },
  }
}
