import { type Micros, toIsoMillis } from '../../../contract/values/micros.ts'
import type { CallProgress, TranscriptLine } from '../../../engine/ports/telephony.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { findAssistantSettings } from '../../store/assistants/assistants.ts'
import type { PhoneCallRow } from '../../store/calls/phone-calls.ts'
import type { CampaignRow } from '../../store/campaigns/campaigns.ts'
import { findLeadWithCampaign, type LeadRow } from '../../store/campaigns/leads.ts'
import type { Query } from '../../store/database/connection.ts'
import { appendEvent } from '../../store/deliveries/outbox.ts'
import type { AssistantFields } from '../assistants/assistant-fields.ts'
import { extractByRules, extractWithModel } from '../conversations/extraction.ts'
import { formatTranscript, parseTranscript, toCallTranscript } from '../conversations/transcripts.ts'
import { publishEvent } from '../deliveries/event-publisher.ts'
import { answeredCallStatuses } from '../deliveries/notify-webhook.ts'
import type { Deps } from '../runtime/deps.ts'

type Settings = Partial<AssistantFields>

const readSettings = async (query: Query, { assistant_id: id }: PhoneCallRow): Promise<Settings> =>
  parseJson((await findAssistantSettings(query, id ?? 0)) ?? '{}')

const spokenLines = (row: PhoneCallRow, progress: Omit<CallProgress, 'nextPollAt'>): readonly TranscriptLine[] =>
  progress.turns ?? parseTranscript(progress.transcript, row.created_at)

const needsExtraction = ({ status }: Pick<CallProgress, 'status'>, { post_call_evaluation }: Settings): boolean =>
  answeredCallStatuses.has(status) && post_call_evaluation !== false

/**
 * Returns the outcome of a call with the values that a language model extracts, if one does. It runs outside any
 * transaction. Values that are set already are not overwritten.
 */
export async function extractFromCall(
  deps: Pick<Deps, 'connection' | 'providers' | 'log'>,
  row: PhoneCallRow,
  progress: Omit<CallProgress, 'nextPollAt'>,
  signal: AbortSignal,
) {
  const settings = await readSettings(deps.connection.read, row)
  if (!needsExtraction(progress, settings)) return progress
  const found = await extractWithModel(deps, settings, {
    about: `call ${row.id}`,
    lines: spokenLines(row, progress),
    signal,
  })
  return found ? { ...progress, extracted: { ...found, ...progress.extracted } } : progress
}

/** Returns the columns that store the outcome of a call, including the extracted variables (facts 2.7). */
export async function callOutcome(
  query: Query,
  row: PhoneCallRow,
  progress: Omit<CallProgress, 'nextPollAt'>,
  now: Micros,
) {
  const settings = await readSettings(query, row)
  const lines = spokenLines(row, progress)
  const knownVariables = { ...settings.variables, ...parseJson(row.variables) }
  const isEvaluated = needsExtraction(progress, settings)
  const isRecorded = settings.record === true && progress.duration > 0
  return {
    status: progress.status,
    duration: progress.duration,
    answered_by: progress.answeredBy,
    transcript: lines.length > 0 ? formatTranscript(lines) : progress.transcript,
    turns: lines.length > 0 ? stringifyJson(lines) : null,
    evaluation: isEvaluated ? stringifyJson(extractByRules(settings, lines, knownVariables, progress.extracted)) : null,
    recording_url: isRecorded ? (progress.recordingUrl ?? `https://recordings.example/${row.sid}.mp3`) : null,
    finished_at: progress.endedAt ?? now,
  }
}

/** Returns the lead of a call in the form of webhook payloads (facts 3.2). */
async function findWebhookLead(query: Query, row: PhoneCallRow) {
  if (row.lead_id === null) return undefined
  const found = await findLeadWithCampaign(query, row.lead_id)
  return found && leadToWire(found.lead, found.campaign)
}

const leadToWire = (lead: LeadRow, campaign: CampaignRow) => {
  const settings = parseJson(campaign.settings)
  const {
    allowed_hours_start_time,
    allowed_hours_end_time,
    allowed_days,
    max_calls_in_parallel,
    max_retries,
    retry_interval,
  } = settings
  return {
    id: lead.id,
    phone_number: lead.phone_number,
    variables: parseJson(lead.variables),
    status: lead.status,
    call_tries: lead.attempts,
    created_at: toIsoMillis(lead.created_at),
    updated_at: toIsoMillis(lead.updated_at),
    campaign: {
      id: campaign.id,
      name: campaign.name,
      status: campaign.status,
      allowed_hours_start_time,
      allowed_hours_end_time,
      allowed_days,
      max_calls_in_parallel,
      max_retries,
      retry_interval,
      created_at: toIsoMillis(campaign.created_at),
      updated_at: toIsoMillis(campaign.updated_at),
    },
  }
}

/** Publishes the end of a call, in the transaction that ended it (section 6.2, facts 3.2). */
export async function publishCallEnded(query: Query, row: PhoneCallRow, now: Micros): Promise<void> {
  const settings = await readSettings(query, row)
  const lines: TranscriptLine[] = row.turns === null ? [] : parseJson(row.turns)
  const lead = await findWebhookLead(query, row)
  const payload = {
    id: row.id,
    customer_phone: row.client_phone_number,
    assistant_phone: row.assistant_phone_number,
    duration: row.duration,
    status: row.status,
    extracted_variables: row.evaluation === null ? {} : parseJson(row.evaluation),
    input_variables: { ...settings.variables, ...parseJson(row.variables) },
    transcript: toCallTranscript(lines),
    formatted_transcript: formatTranscript(lines),
    recording_url: row.recording_url,
    created_at: toIsoMillis(row.created_at),
    finished_at: toIsoMillis(row.finished_at ?? now),
    ...(lead && { lead }),
  }
  const event = { account: row.account_id, kind: 'call.ended' as const, subject: `call ${row.id}`, payload, now }
  if (row.assistant_id === null) await appendEvent(query, event)
  else await publishEvent(query, { ...event, assistant: row.assistant_id, event: 'post_call' })
}
