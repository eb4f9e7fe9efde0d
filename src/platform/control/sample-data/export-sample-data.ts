import type { AutomationNode } from '../../../contract/automations/automation-node.ts'
import { toFlow } from '../../../contract/automations/flow-form.ts'
import { type SampleData, sampleDataVersion } from '../../../contract/control/sample-data.ts'
import { AccountRecord } from '../../../contract/control/sample-data-records.ts'
import { references } from '../../../contract/references/resource-references.ts'
import { idReferencesIn } from '../../../contract/references/step-references.ts'
import { fromMillionths } from '../../../contract/values/millionths.ts'
import { parseJson } from '../../../node/json.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { fieldsFromRow } from '../../services/assistants/assistant-fields.ts'
import { readDefinition } from '../../services/automations/publishing/sealed-definitions.ts'
import {
  fieldsFromRow as campaignFieldsFieldsFromRow,
  missingFields,
} from '../../services/campaigns/campaign-fields.ts'
import { waitingLeads } from '../../services/campaigns/status-transitions.ts'
import { passwordLabel, settingsFromRow } from '../../services/numbers/sip-trunk-rows.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { type AccountRow, listAccounts } from '../../store/accounts/accounts.ts'
import { listAssistants } from '../../store/assistants/assistants.ts'
import { findVersion } from '../../store/automations/automation-versions.ts'
import { listAutomations } from '../../store/automations/automations.ts'
import { readCampaignLimit } from '../../store/billing/plan-limits.ts'
import type { PhoneCallRow } from '../../store/calls/phone-calls.ts'
import { listCampaigns } from '../../store/campaigns/campaigns.ts'
import type { LeadContactRow, LeadRow } from '../../store/campaigns/leads.ts'
import type { ConversationRow } from '../../store/conversations/conversations.ts'
import { listMessages } from '../../store/conversations/messages.ts'
import type { Query } from '../../store/database/connection.ts'
import { readAccountRows } from '../../store/database/stored-rows.ts'
import { listTemplates } from '../../store/messaging/message-templates.ts'
import { listSenders } from '../../store/messaging/senders.ts'
import { listNumbers } from '../../store/numbers/numbers.ts'
import { listTrunks } from '../../store/numbers/sip-trunks.ts'
import { type Exporting, isoOrNothing, maskSecrets, RecordNames, timesOfRow } from './export-context.ts'
import { exportConnections, exportGroupings, exportKeys, exportKnowledge, exportTools } from './export-resources.ts'
import { omitDefaultFields, omitDefaults } from './omit-defaults.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns the assistants. They may refer to each other, so all names are stored first. */
async function exportAssistants(exporting: Exporting): Promise<Fields[]> {
  const { query, account, names, vault } = exporting
  const { items } = await listAssistants(query, account.id, { offset: 0, limit: Number.MAX_SAFE_INTEGER })
  const refs = items.map(({ row }) => names.add('assistants', row.id, row.name))
  return items.map((it, n) =>
    omitDefaults('assistants', {
      ...names.replaceIds(maskSecrets(exporting, fieldsFromRow(it, vault)) as Fields, references.assistants),
      ...refs[n],
      status: it.row.status,
      uuid: it.row.uuid,
      inbound_webhook_url: it.slots.find(({ event, holder }) => event === 'inbound' && holder === 'webhook')?.target,
      ...timesOfRow(it.row),
    }),
  )
}

/** Returns the senders with their templates. */
async function exportSenders({ query, account, names }: Exporting): Promise<Fields[]> {
  const exported: Fields[] = []
  for (const it of await listSenders(query, account.id)) {
    const templates = await listTemplates(query, it)
    exported.push(
      omitDefaults('senders', {
        ...names.add('senders', it.id, it.phone_number),
        phone_number: it.phone_number,
        display_name: it.display_name,
        status: it.status,
        quality_rating: it.quality_rating,
        messaging_limit: it.limit_known === 1 ? it.messaging_limit : undefined,
        voice_calling_enabled: it.voice_calling_enabled === 1,
        assistant_id: names.nameOf('assistants', it.assistant_id),
        templates: templates.map((one) => ({
          ...names.add('templates', one.id, one.name, it.phone_number),
          name: one.name,
          language: one.language,
          category: one.category,
          status: one.status,
          body_text: one.body_text,
          variables: parseJson(one.variables),
          is_synced: one.is_synced === 1,
          is_voice_call: one.is_voice_call === 1,
          created_at: toIsoMicros(one.created_at),
        })),
        created_at: toIsoMicros(it.created_at),
      }),
    )
  }
  return exported
}

/** Returns the published automations: their live versions, without drafts and earlier versions. */
async function exportAutomations(exporting: Exporting): Promise<Fields[]> {
  const { query, account, names, vault } = exporting
  const exported: Fields[] = []
  for (const row of await listAutomations(query, account.id)) {
    const live = row.live_version === null ? undefined : await findVersion(query, row.live_version)
    if (!live) continue
    const definition = maskSecrets(exporting, readDefinition(vault, live))
    exported.push(
      omitDefaults('automations', {
        ...names.add('automate', row.id, row.name),
        name: row.name,
        assistant_id: names.nameOf('assistants', live.assistant_id),
        bind_webhook: live.event === 'conversation_ended' ? live.event : undefined,
        flow: toFlow(withNames(exporting, definition)),
        id: row.id,
        enabled: row.status === 'enabled',
        ...timesOfRow(row),
      }),
    )
  }
  return exported
}

/** Replaces the ids in the steps of a definition by names. */
const withNames = ({ names }: Exporting, definition: AutomationNode): AutomationNode =>
  names.replaceIds(
    definition as unknown as Fields,
    idReferencesIn(definition, '').map(({ path, to }) => ({ path: path.slice(1), to })),
  ) as unknown as AutomationNode

/** Returns the campaigns with their leads, without campaigns that are incomplete. */
async function exportCampaigns({ query, account, names }: Exporting): Promise<Fields[]> {
  const leads = groupBy(await readAccountRows<LeadRow>(query, 'lead', account.id), (it) => it.campaign_id)
  const contacts = groupBy(await readAccountRows<LeadContactRow>(query, 'lead_contact', account.id), (it) => it.lead_id)
  // A campaign whose assistant, sender or number was deleted cannot be created again.
  const campaigns = (await listCampaigns(query, account.id)).filter((it) => missingFields(it).length === 0)
  return campaigns.map((it) =>
    omitDefaults('campaigns', {
      ...names.replaceIds(campaignFieldsFieldsFromRow(it) as Fields, references.campaigns),
      ...names.add('campaigns', it.row.id, it.row.name),
      status: it.row.status,
      leads: (leads.get(it.row.id) ?? []).map((lead) => leadFields(lead, contacts.get(lead.id) ?? [])),
      ...timesOfRow(it.row),
    }),
  )
}

function groupBy<T>(rows: readonly T[], keyOf: (row: T) => number): ReadonlyMap<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row])
  return groups
}

function leadFields(it: LeadRow, contacts: readonly LeadContactRow[]): Fields {
  const usualAttempt = waitingLeads.includes(it.status) ? it.created_at : null
  return {
    ...stateFields(it),
    next_attempt_at: it.next_attempt_at === usualAttempt ? undefined : (isoOrNothing(it.next_attempt_at) ?? null),
    fallback_sent_at: isoOrNothing(it.fallback_sent_at),
    secondary_contacts: contacts.map((one) => ({ ...stateFields(one), ...timesOfRow(one) })),
    ...timesOfRow(it),
  }
}

const stateFields = (it: LeadRow | LeadContactRow): Fields => ({
  phone_number: it.phone_number,
  variables: parseJson(it.variables),
  status: it.status,
  attempts: it.attempts,
  last_attempt_at: isoOrNothing(it.last_attempt_at),
})

/** Returns the conversations with their messages, without those of deleted assistants. */
async function exportConversations({ query, account, names }: Exporting): Promise<Fields[]> {
  const exported: Fields[] = []
  for (const it of await readAccountRows<ConversationRow>(query, 'conversation', account.id)) {
    const assistant = names.nameOf('assistants', it.assistant_id)
    if (assistant === undefined) continue
    const messages = await listMessages(query, it.id)
    exported.push(
      omitDefaults('conversations', {
        uuid: it.uuid,
        assistant_id: assistant,
        type: it.type,
        status: it.status,
        sender_id: names.nameOf('senders', it.sender_id),
        customer_phone: it.customer_phone,
        customer_name: it.customer_name,
        external_identifier: it.external_identifier,
        variables: parseJson(it.variables),
        ai_enabled: it.ai_enabled === 1,
        total_cost: fromMillionths(it.total_cost),
        window_until: isoOrNothing(it.window_until),
        last_customer_message_at: isoOrNothing(it.last_customer_message_at),
        ended_at: isoOrNothing(it.ended_at),
        ends: it.ends === (it.status === 'ended' ? 1 : 0) ? undefined : it.ends,
        messages: messages.map((one) => ({
          role: one.role,
          content: one.content,
          function_calls: jsonOrNothing(one.function_calls),
          created_at: toIsoMicros(one.created_at),
        })),
        ...timesOfRow(it),
      }),
    )
  }
  return exported
}

/** Returns the calls that are over. */
async function exportCalls({ query, account, names }: Exporting): Promise<Fields[]> {
  return (await readAccountRows<PhoneCallRow>(query, 'phone_call', account.id))
    .filter((it) => it.state === 'over')
    .map((it) =>
      omitDefaults('calls', {
        assistant_id: names.nameOf('assistants', it.assistant_id),
        campaign_id: names.nameOf('campaigns', it.campaign_id),
        type: it.type,
        status: it.status,
        assistant_phone_number: it.assistant_phone_number,
        client_phone_number: it.client_phone_number,
        duration: it.duration,
        transcript: it.transcript,
        variables: parseJson(it.variables),
        evaluation: jsonOrNothing(it.evaluation),
        answered_by: it.answered_by,
        recording_url: it.recording_url,
        carrier_cost: fromMillionths(it.carrier_cost),
        total_cost: fromMillionths(it.total_cost),
        turns: jsonOrNothing(it.turns),
        finished_at: isoOrNothing(it.finished_at),
        ...timesOfRow(it),
      }),
    )
}

const jsonOrNothing = (text: string | null): unknown => (text === null ? undefined : parseJson(text))

/** Returns the numbers with their subscriptions, without those of SIP trunks. */
async function exportNumbers({ query, account, names }: Exporting): Promise<Fields[]> {
  const rows = await listNumbers(query, account.id)
  return rows
    .filter(({ number }) => number.type !== 'sip')
    .map(({ number: it, subscription }) =>
      omitDefaults('numbers', {
        ...names.add('numbers', it.id, it.phone_number),
        phone_number: it.phone_number,
        type: it.type,
        country_code: it.country_code,
        region: it.region,
        sms_capable: (it.sms_capable === 1) === (it.type === 'normal') ? undefined : it.sms_capable === 1,
        nickname: it.nickname,
        subscription: subscription && {
          status: subscription.status,
          renewal_day: subscription.anchor,
          period_start: toIsoMicros(subscription.period_start),
          period_end: toIsoMicros(subscription.period_end),
        },
        created_at: toIsoMicros(it.created_at),
      }),
    )
}

/** Returns the SIP trunks. */
async function exportTrunks({ query, account, vault, hasSecrets, names }: Exporting): Promise<Fields[]> {
  return (await listTrunks(query, account.id)).map((it) =>
    omitDefaults('sip_trunks', {
      ...names.add('numbers', it.number_id, it.phone_number),
      sip_trunk_type: it.trunk_type,
      ...settingsFromRow(it),
      sip_password: hasSecrets ? vault.open(it.sip_password, passwordLabel(account.id)) : undefined,
      ...timesOfRow(it),
    }),
  )
}

/** Returns all accounts with their records as sample data, as of one moment. Secrets only if they are asked for. */
export const exportSampleData = (
  { connection, vault }: Pick<Deps, 'connection' | 'vault'>,
  { hasSecrets }: { readonly hasSecrets: boolean },
): Promise<SampleData> =>
  connection.write('everything', async (query) => {
    const accounts: Fields[] = []
    for (const account of await listAccounts(query))
      accounts.push(
        await exportAccount({ query, account, vault, hasSecrets, names: new RecordNames() }, accounts.length === 0),
      )
    return { version: sampleDataVersion, accounts } as unknown as SampleData
  })

async function exportAccount(exporting: Exporting, isFirst: boolean): Promise<Fields> {
  const { query, account } = exporting
  // In this order, records come after those whose names they contain.
  const lists = {
    keys: await exportKeys(exporting, isFirst),
    folders: await exportGroupings(exporting, 'folder'),
    labels: await exportGroupings(exporting, 'label'),
    connections: await exportConnections(exporting),
    tools: await exportTools(exporting, await automationNames(query, account)),
    knowledge: await exportKnowledge(exporting),
    numbers: await exportNumbers(exporting),
    sip_trunks: await exportTrunks(exporting),
    assistants: await exportAssistants(exporting),
    senders: await exportSenders(exporting),
    campaigns: await exportCampaigns(exporting),
    automations: await exportAutomations(exporting),
    conversations: await exportConversations(exporting),
    calls: await exportCalls(exporting),
  }
  return {
    ...omitDefaultFields(AccountRecord, {
      ...account,
      balance: fromMillionths(Math.max(0, account.balance)),
      minute_rate: fromMillionths(account.minute_rate),
      max_campaigns: await readCampaignLimit(query, account.id),
      created_at: toIsoMicros(account.created_at),
    }),
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
  }
}

/** Returns the names of automations by id, for the tools of automations. */
async function automationNames(query: Query, account: AccountRow): Promise<ReadonlyMap<string, string>> {
  const names = new RecordNames()
  const rows = (await listAutomations(query, account.id)).filter((it) => it.live_version !== null)
  return new Map(rows.map(({ id, name }) => [id, names.add('automate', id, name).ref ?? name]))
}
