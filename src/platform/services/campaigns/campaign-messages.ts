import { Failure, type FailureName } from '../../../contract/errors/failures.ts'
import { day } from '../../../contract/values/micros.ts'
import { fillVariables } from '../../../engine/tools/assistant-variables.ts'
import { parseJson } from '../../../node/json.ts'
import { unscheduleJob } from '../../jobs/job-loop.ts'
import { findAccount } from '../../store/accounts/accounts.ts'
import { type CampaignWithNumbers, findCampaignWithNumbers } from '../../store/campaigns/campaigns.ts'
import { findLead, type LeadRow, updateLeadRow } from '../../store/campaigns/leads.ts'
import { findContactHours } from '../../store/contacts/contact-hours.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import { type JobRow, releaseJob, rescheduleJob } from '../../store/runtime/scheduled-jobs.ts'
import { type Payer, payerOf } from '../billing/key-budget.ts'
import { recordIfRefused } from '../contacts/contact-permission.ts'
import { limitReachedCode } from '../messaging/send-rules.ts'
import { sendService } from '../messaging/send-service.ts'
import { smsService } from '../messaging/sms-service.ts'
import { waitsForResume } from '../runtime/account-stop.ts'
import type { Deps } from '../runtime/deps.ts'
import { type CampaignFields, fieldsFromRow } from './campaign-fields.ts'
import { hoursOfLeads } from './lead-hours.ts'
import { blockLead, fallbackContactJobKind, recordLeadOutcome } from './lead-outcomes.ts'

/**
 * Returns the values of a template's placeholders. Each entry of the mapping pairs a placeholder with a variable of the
 * lead, in either order.
 */
function mapPlaceholders(
  mapping: Readonly<Record<string, string>> | null | undefined,
  variables: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const pairs = Object.entries(mapping ?? {}).map(([a, b]) =>
    Object.hasOwn(variables, b) ? [a, String(variables[b])] : [b, String(variables[a] ?? '')],
  )
  return Object.fromEntries(pairs)
}

/**
 * The result of a send: `refused` and `blocked` concern this lead, `unavailable` every lead of the campaign, and `stopped`
 * everything of the account.
 */
type CampaignSendResult = 'sent' | 'refused' | 'blocked' | 'unavailable' | 'stopped'

/** Failures that concern one recipient. After any other one, such as an exhausted balance, no lead can be reached. */
const recipientFailures: ReadonlySet<FailureName> = new Set([
  'messaging.invalid_phone',
  'messaging.template_mismatch',
  'messaging.provider_error',
  'messaging.unknown',
  'messaging.session_expired',
  'sms.invalid_to',
  'sms.failed',
])

/** How often a fallback message is tried again while no lead can be reached: the job is postponed, for a day in total. */
const maxFallbackRetries = 30

const isRecipientFailure = ({ kind, providerCode }: Failure): boolean =>
  recipientFailures.has(kind) && providerCode !== limitReachedCode

/** Sends the messages of campaigns to leads. */
export function campaignMessages(deps: Deps) {
  const { connection, clock } = deps
  const sends = sendService(deps)
  const smsMessages = smsService(deps)

  /** Runs a send. Repeating it under the same key sends nothing more. */
  async function trySend(body: () => Promise<unknown>): Promise<CampaignSendResult> {
    try {
      await body()
      return 'sent'
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (error.kind === 'contacts.blocked') return 'blocked'
      if (error.kind === 'user.stopped') return 'stopped'
      deps.log(`campaign: ${error.message}`)
      return isRecipientFailure(error) ? 'refused' : 'unavailable'
    }
  }

  async function sendTemplate(
    account: Payer,
    lead: LeadRow,
    key: string,
    ids: { sender: number; template: number; mapping: CampaignFields['text_variable_mapping'] },
  ) {
    const variables = parseJson(lead.variables)
    const draft = {
      senderId: ids.sender,
      templateId: ids.template,
      recipient: lead.phone_number,
      variables: mapPlaceholders(ids.mapping, variables),
    }
    return trySend(() => sends.template(account, draft, key, 'campaign'))
  }

  const trySendSms = (account: Payer, lead: LeadRow, key: string, from: number, body: string) =>
    trySend(() =>
      smsMessages.send(
        account,
        { from, to: lead.phone_number, body: fillVariables(body, parseJson(lead.variables)) },
        key,
        'campaign',
      ),
    )

  return {
    /**
     * Sends a message to a lead that was started, and records the outcome. Returns `unavailable` or `stopped` without an
     * outcome if no lead of the campaign can be reached.
     */
    async sendToLead(
      campaign: CampaignWithNumbers,
      lead: LeadRow,
    ): Promise<'done' | Extract<CampaignSendResult, 'unavailable' | 'stopped'>> {
      const fields = fieldsFromRow(campaign)
      const owner = await findAccount(connection.read, lead.account_id)
      if (!owner) return 'done'
      const account = payerOf(owner, campaign.row.key_id)
      // The idempotency key of the message. A job that is repeated after a crash finds the message by it, and usage-owners.ts the
      // lead, so it never changes.
      const key = `campaign-${lead.id}-${lead.attempts}-${lead.last_attempt_at}`
      const {
        messaging_sender_id: sender,
        messaging_template_id: id,
        sms_from_phone_number_id: from,
        sms_body: body,
      } = fields
      const result =
        campaign.row.channel === 'messaging'
          ? await sendTemplate(account, lead, key, {
              sender: sender ?? 0,
              template: id ?? 0,
              mapping: fields.text_variable_mapping ?? null,
            })
          : await trySendSms(account, lead, key, from ?? 0, body ?? '')
      if (result === 'unavailable' || result === 'stopped') return result
      await connection.write({ account: lead.account_id }, async (query) => {
        const now = await clock.now(query)
        const current = await findLead(query, lead.id)
        if (current?.status === 'processing' && result === 'blocked') {
          const contact = { channel: campaign.row.channel, phone: lead.phone_number, subject: `lead ${lead.id}` }
          await blockLead(query, current, now)
          await recordIfRefused(query, contact, now)
        } else if (current?.status === 'processing')
          await recordLeadOutcome(query, current, parseJson(campaign.row.settings), result === 'sent', now)
      })
      return 'done'
    },

    /** Scheduled job: contacts a lead once through the fallback channel after its calls failed. */
    async sendFallback(job: JobRow): Promise<void> {
      if (await waitsForResume(deps, job)) return
      const { account_id, subject, attempts } = job
      const id = Number(subject)
      const lead = await findLead(accountQuery(connection.read, account_id), id)
      const campaign =
        lead && (await findCampaignWithNumbers(accountQuery(connection.read, lead.account_id), lead.campaign_id))
      const owner = lead && (await findAccount(connection.read, lead.account_id))
      const account = owner && payerOf(owner, campaign?.row.key_id)
      const fields = campaign && fieldsFromRow(campaign)
      const now = await clock.now()
      const hours =
        fields && (await hoursOfLeads(fields, await findContactHours(accountQuery(connection.read, account_id))))
      const opening = lead && hours ? (hours.openingOf(lead, now) ?? now + day) : now
      if (opening > now) {
        await connection.write({ account: account_id }, (query) =>
          rescheduleJob(query, fallbackContactJobKind, subject, opening),
        )
        return
      }
      // Like the key in `sendToLead`: it never changes.
      const key = `fallback-${id}-${lead?.last_attempt_at}`
      let result: CampaignSendResult | undefined
      if (lead && account && fields?.fallback_channel === 'messaging') {
        const ids = {
          sender: fields.fallback_messaging_sender_id ?? 0,
          template: fields.fallback_messaging_template_id ?? 0,
        }
        result = await sendTemplate(account, lead, key, { ...ids, mapping: fields.fallback_variable_mapping ?? null })
      } else if (lead && account && fields?.fallback_channel === 'sms')
        result = await trySendSms(
          account,
          lead,
          key,
          fields.fallback_sms_from_phone_number_id ?? 0,
          fields.fallback_sms_body ?? '',
        )
      // It was stopped since: the job is repeated, and waits.
      if (result === 'stopped') return connection.write({ rows: account_id }, (query) => releaseJob(query, job))
      if (result === 'unavailable' && attempts < maxFallbackRetries)
        throw new Error('The fallback channel is unavailable. The message is sent later.')
      await connection.write({ account: account_id }, async (query) => {
        const now = await clock.now(query)
        if (lead && result === 'sent') await updateLeadRow(query, id, { fallback_sent_at: now, updated_at: now })
        if (lead && fields?.fallback_channel && result === 'blocked') {
          const contact = { channel: fields.fallback_channel, phone: lead.phone_number, subject: `lead ${id}` }
          await recordIfRefused(query, contact, now)
        }
        await unscheduleJob(query, fallbackContactJobKind, subject)
      })
    },
  }
}
