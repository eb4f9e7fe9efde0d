import { randomUUID } from 'node:crypto'
import type { AutomationNode } from '../../../contract/automations/automation-node.ts'
import { invalidField } from '../../../contract/errors/failures.ts'
import { mapReference } from '../../../contract/references/reference-paths.ts'
import { idReferencesIn, isResourceName } from '../../../contract/references/step-references.ts'
import { toMillionths } from '../../../contract/values/millionths.ts'
import { contentHash } from '../../../engine/definition/compile-definition.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { AssistantChange, AssistantDraft } from '../../services/assistants/assistant-fields.ts'
import { assistantService } from '../../services/assistants/assistant-service.ts'
import { assertConnections } from '../../services/automations/ports/connection-service.ts'
import { bindEvent } from '../../services/automations/publishing/event-bindings.ts'
import { sealDefinition } from '../../services/automations/publishing/sealed-definitions.ts'
import { activateTrigger } from '../../services/automations/triggers/trigger-activation.ts'
import { topUp } from '../../services/billing/ledger.ts'
import type { CampaignDraft } from '../../services/campaigns/campaign-fields.ts'
import { campaignService } from '../../services/campaigns/campaign-service.ts'
import { scheduleDispatch } from '../../services/campaigns/lead-outcomes.ts'
import { waitingLeads } from '../../services/campaigns/status-transitions.ts'
import { periodicSyncJobKinds, scheduleSync } from '../../services/messaging/channel-sync-service.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { deterministicUuid } from '../../services/runtime/deterministic-uuid.ts'
import { type AccountRow, insertAccount } from '../../store/accounts/accounts.ts'
import { updateAssistantRow } from '../../store/assistants/assistants.ts'
import { insertVersion } from '../../store/automations/automation-versions.ts'
import { insertAutomation, isIdTaken } from '../../store/automations/automations.ts'
import { writeCampaignLimit } from '../../store/billing/plan-limits.ts'
import { insertCall } from '../../store/calls/phone-calls.ts'
import type { PhoneCallTable } from '../../store/calls/tables.ts'
import { insertLead, insertLeadContact } from '../../store/campaigns/leads.ts'
import type { CampaignStatus, LeadStatus } from '../../store/campaigns/tables.ts'
import { insertConversation, updateConversation } from '../../store/conversations/conversations.ts'
import { insertMessage } from '../../store/conversations/messages.ts'
import type { ConversationTable } from '../../store/conversations/tables.ts'
import type { Query } from '../../store/database/connection.ts'
import { updateStoredRow } from '../../store/database/stored-rows.ts'
import { insertTemplate } from '../../store/messaging/message-templates.ts'
import { insertSender } from '../../store/messaging/senders.ts'
import type { SenderTable } from '../../store/messaging/tables.ts'
import type { SeedOptions } from '../seed/seed-sample-data.ts'
import { checkSampleData, type SampleAccount } from './check-sample-data.ts'
import { loadNumbers } from './load-numbers.ts'
import { linkTools, loadKeys, loadResources } from './load-resources.ts'
import type { PreparedAutomation } from './loading.ts'
import { depsAt, type LoadedRecord, type Loading, loadEach, timeOf, timesOf } from './loading.ts'
import { prepareAutomations } from './prepare-automations.ts'
import { objectsIn, templateName } from './sample-names.ts'

type Fields = Readonly<Record<string, unknown>>

const transfers = (body: Fields): boolean => objectsIn(body.tools).some((it) => it.type === 'assistant_transfer')

/** Loads the assistants of an account. Those that transfer to another one get their tools once all exist. */
async function loadAssistants(loading: Loading): Promise<void> {
  const { query, account } = loading
  const ids = new Map<LoadedRecord['entry'], number>()
  const finish = (id: number, { record, updatedAt }: LoadedRecord): Promise<void> =>
    updateAssistantRow(query, account.id, id, {
      status: record.status as 'active' | 'inactive',
      updated_at: updatedAt,
      ...(typeof record.uuid === 'string' && { uuid: record.uuid.toLowerCase() }),
    })
  await loadEach(loading, 'assistants', async (record) => {
    const service = assistantService(depsAt(loading, record.createdAt))
    const { tools: _, ...rest } = record.body
    const draft = (transfers(record.body) ? rest : record.body) as AssistantDraft
    const { id } = await service.create(account.id, draft)
    if (typeof record.record.inbound_webhook_url === 'string')
      await service.setWebhook(account.id, id, 'inbound', record.record.inbound_webhook_url)
    await finish(id, record)
    ids.set(record.entry, id)
    return id
  })
  await loadEach(loading, 'assistants', async (record) => {
    const id = ids.get(record.entry) as number
    if (transfers(record.body)) {
      const change = { tools: record.body.tools } as AssistantChange
      await assistantService(depsAt(loading, record.createdAt)).update(account.id, id, change)
      await finish(id, record)
    }
    return undefined
  })
}

/** Loads the senders of an account with their templates. */
async function loadSenders(loading: Loading): Promise<void> {
  const { query, account, now, data } = loading
  await loadEach(loading, 'senders', async ({ name, record, createdAt }) => {
    const limit = record.messaging_limit as number | null | undefined
    const sender = await insertSender(query, {
      account_id: account.id,
      phone_number: String(record.phone_number),
      display_name: String(record.display_name),
      status: record.status as SenderTable['status'],
      quality_rating: String(record.quality_rating),
      messaging_limit: limit ?? null,
      limit_known: limit === undefined ? 0 : 1,
      voice_calling_enabled: record.voice_calling_enabled ? 1 : 0,
      assistant_id: record.assistant_id as number | null,
      created_at: createdAt,
    })
    for (const given of objectsIn(record.templates)) {
      const template = await insertTemplate(query, {
        account_id: account.id,
        sender_id: sender.id,
        name: String(given.name),
        language: String(given.language),
        category: String(given.category),
        status: String(given.status),
        body_text: String(given.body_text),
        variables: stringifyJson(given.variables),
        is_synced: given.is_synced ? 1 : 0,
        is_voice_call: given.is_voice_call ? 1 : 0,
        created_at: timeOf(loading, given.created_at, createdAt),
      })
      data.names.add('templates', templateName(name, String(given.ref ?? given.name)), template.id)
    }
    return sender.id
  })
  if (data.lists.senders.length > 0)
    for (const kind of periodicSyncJobKinds) await scheduleSync(query, kind, account.id, now)
}

/** Length of the id of an automation and of a version. */
const idLength = 21

/** Loads the automations of an account. They are published without a test run. */
async function loadAutomations(loading: Loading): Promise<void> {
  const { query, account, vault, secrets } = loading
  await loadEach(loading, 'automations', async ({ entry, name, body, record, createdAt, updatedAt }) => {
    const prepared = loading.automations.get(entry.place) as PreparedAutomation
    const id = typeof record.id === 'string' ? record.id : secrets(`automation ${account.id} ${name}`, idLength)
    if (await isIdTaken(query, 'automation', id)) throw invalidField('id', 'Another automation has this id.')
    const definition = resolveSteps(loading, prepared.definition)
    const { kind, event, connections } = prepared
    const assistant = event && (body.assistant_id ?? triggerAssistant(definition))
    if (event && !assistant) throw invalidField('assistant_id', 'The trigger needs an assistant.')
    const isEnabled = record.enabled === true
    await assertConnections(query, account.id, connections)
    const live = secrets(`version ${id} 0`, idLength)
    await insertAutomation(query, {
      id,
      account_id: account.id,
      name: String(body.name),
      status: isEnabled ? 'enabled' : 'disabled',
      live_version: live,
      draft_version: null,
      draft_note: null,
      cursor: null,
      created_at: createdAt,
      updated_at: updatedAt,
    })
    await insertVersion(query, {
      id: live,
      account_id: account.id,
      automation_id: id,
      position: 1,
      definition: sealDefinition(vault, account.id, definition),
      program: sealDefinition(vault, account.id, resolveSteps(loading, prepared.program)),
      hash: contentHash(definition),
      trigger_kind: kind,
      event: event ?? null,
      assistant_id: event ? Number(assistant) : null,
      connections: stringifyJson(connections),
      restored_from: null,
      created_at: createdAt,
      published_at: createdAt,
    })
    if (isEnabled) {
      const binding = event ? { event, assistant: Number(assistant) } : null
      await bindEvent(query, { account: account.id, automation: id, now: createdAt }, binding)
      await activateTrigger(query, { account: account.id, automation: id, kind, trigger: definition, now: loading.now })
    }
    return id
  })
}

const triggerAssistant = ({ settings }: AutomationNode): unknown =>
  (settings as { readonly input?: { readonly assistant?: unknown } } | undefined)?.input?.assistant

/** Replaces the names in the steps of a definition by ids. @throws Failure 422 for a name that the account lacks */
function resolveSteps({ data }: Loading, definition: AutomationNode): AutomationNode {
  return idReferencesIn(definition, '').reduce((tree, { path, to }) => {
    const reference = { path: path.slice(1), to }
    return mapReference(tree, reference, (value) => {
      if (!isResourceName(value)) return value
      const found = data.names.find(reference, value, {})
      if ('problem' in found) throw invalidField(`flow.${reference.path}`, found.problem)
      return found.id
    })
  }, definition)
}

/** Loads the campaigns of an account with their leads. */
async function loadCampaigns(loading: Loading): Promise<void> {
  const { query, account, now } = loading
  await loadEach(loading, 'campaigns', async ({ body, record, createdAt, updatedAt }) => {
    const service = campaignService(depsAt(loading, createdAt))
    const { row } = await service.create(account.id, body as unknown as CampaignDraft)
    const status = record.status as CampaignStatus
    await updateStoredRow(query, 'campaign', row.id, { status, updated_at: updatedAt })
    for (const lead of objectsIn(record.leads)) await loadLead(loading, row.id, lead)
    if (status === 'in-progress') await scheduleDispatch(query, row, now)
    else if (status === 'scheduled') await scheduleDispatch(query, row, row.starts_at ?? now)
    return row.id
  })
}

async function loadLead(loading: Loading, campaign: number, record: Fields): Promise<void> {
  const { query, account } = loading
  const state = stateOf(loading, record)
  const { id } = await insertLead(query, {
    ...state,
    campaign_id: campaign,
    contacts: objectsIn(record.secondary_contacts).length,
    next_attempt_at: timeOf(
      loading,
      record.next_attempt_at,
      record.next_attempt_at === undefined && waitingLeads.includes(state.status) ? state.created_at : null,
    ),
    fallback_sent_at: timeOf(loading, record.fallback_sent_at, null),
  })
  for (const contact of objectsIn(record.secondary_contacts))
    await insertLeadContact(query, { ...stateOf(loading, contact), lead_id: id, account_id: account.id })
}

/** Returns the columns that a lead and its secondary contacts share. */
function stateOf(loading: Loading, record: Fields) {
  const { createdAt, updatedAt } = timesOf(loading, record)
  return {
    account_id: loading.account.id,
    phone_number: String(record.phone_number),
    variables: stringifyJson(record.variables),
    status: record.status as LeadStatus,
    attempts: Number(record.attempts),
    last_attempt_at: timeOf(loading, record.last_attempt_at, null),
    created_at: createdAt,
    updated_at: updatedAt,
  }
}

type Text = string | null

const jsonOf = (value: unknown): Text => (value === null || value === undefined ? null : stringifyJson(value))

/** Loads the conversations of an account with their messages. */
async function loadConversations(loading: Loading): Promise<void> {
  const { query, account, secrets } = loading
  await loadEach(loading, 'conversations', async ({ record, createdAt, updatedAt }) => {
    const messages = objectsIn(record.messages)
    const isEnded = record.status === 'ended'
    const row = await insertConversation(query, {
      account_id: account.id,
      uuid: typeof record.uuid === 'string' ? record.uuid.toLowerCase() : randomUUID(),
      assistant_id: record.assistant_id as number,
      type: record.type as ConversationTable['type'],
      status: String(record.status),
      sender_id: record.sender_id as number | null,
      customer_phone: record.customer_phone as Text,
      customer_name: record.customer_name as Text,
      external_identifier: record.external_identifier as Text,
      variables: stringifyJson(record.variables),
      message_count: messages.length,
      total_cost: toMillionths(record.total_cost as number),
      ai_enabled: record.ai_enabled ? 1 : 0,
      window_until: timeOf(loading, record.window_until, null),
      last_customer_message_at: timeOf(loading, record.last_customer_message_at, null),
      created_at: createdAt,
      updated_at: updatedAt,
      ended_at: timeOf(loading, record.ended_at, isEnded ? updatedAt : null),
      ends: (record.ends as number | undefined) ?? (isEnded ? 1 : 0),
    })
    if (!row) throw invalidField('external_identifier', 'An equivalent conversation is open.')
    if (record.uuid === undefined)
      await updateConversation(query, row.id, { uuid: deterministicUuid(secrets(`conversation ${row.id}`, 40)) })
    for (const message of messages)
      await insertMessage(query, {
        account_id: account.id,
        conversation_id: row.id,
        role: String(message.role),
        content: String(message.content),
        function_calls: jsonOf(message.function_calls),
        created_at: timeOf(loading, message.created_at, createdAt),
      })
    return undefined
  })
}

/** Loads the calls of an account. All of them are over. */
async function loadCalls(loading: Loading): Promise<void> {
  const { query, account, data } = loading
  await loadEach(loading, 'calls', async ({ entry, record, createdAt, updatedAt }) => {
    const campaign = data.lists.campaigns.find(({ item }) => (item.ref ?? item.name) === entry.item.campaign_id)
    await insertCall(query, {
      account_id: account.id,
      assistant_id: record.assistant_id as number | null,
      campaign_id: record.campaign_id as number | null,
      campaign_name: campaign ? String(campaign.item.name) : null,
      type: record.type as PhoneCallTable['type'],
      state: 'over',
      status: String(record.status),
      assistant_phone_number: record.assistant_phone_number as Text,
      client_phone_number: record.client_phone_number as Text,
      duration: record.duration as number,
      transcript: record.transcript as Text,
      variables: stringifyJson(record.variables),
      evaluation: jsonOf(record.evaluation),
      answered_by: record.answered_by as PhoneCallTable['answered_by'],
      recording_url: record.recording_url as Text,
      carrier_cost: toMillionths(record.carrier_cost as number),
      total_cost: toMillionths(record.total_cost as number),
      idempotency_key: null,
      sid: null,
      created_at: createdAt,
      updated_at: updatedAt,
      turns: jsonOf(record.turns),
      finished_at: timeOf(loading, record.finished_at, null),
    })
    return undefined
  })
}

/** Inserts sample data, in the caller's transaction, and returns the first key. */
type InsertSampleData = (query: Query, options: SeedOptions) => Promise<string>

/**
 * Checks sample data and returns the function that inserts it. @throws Failure 422 with the place of each problem; the
 * function does so for problems that only the database shows
 */
export async function prepareSampleData(deps: Deps, data: unknown): Promise<InsertSampleData> {
  const accounts = checkSampleData(data)
  const automations = await prepareAutomations(deps, accounts)
  return async (query, options) => {
    let key = ''
    // Checked again, because the names collect the ids of the records and the transaction may run again.
    for (const [n, checked] of checkSampleData(data).entries()) {
      const account = await insertSampleAccount(query, options, checked)
      const loading: Loading = { ...options, query, deps, account, data: checked, automations }
      key += (await loadKeys(loading, n === 0)) ?? ''
      await loadResources(loading)
      await loadNumbers(loading)
      await loadAssistants(loading)
      await loadSenders(loading)
      await loadAutomations(loading)
      await linkTools(loading)
      await loadCampaigns(loading)
      await loadConversations(loading)
      await loadCalls(loading)
      const limit = checked.account.max_campaigns as number | null
      if (limit !== null) await writeCampaignLimit(query, account.id, limit)
    }
    return key
  }
}

async function insertSampleAccount(
  query: Query,
  options: SeedOptions,
  { account: sample }: SampleAccount,
): Promise<AccountRow> {
  const createdAt = timeOf(options, sample.created_at, options.now)
  const account = await insertAccount(query, {
    name: String(sample.name),
    email: String(sample.email ?? 'owner@account.example'),
    kind: sample.kind as AccountRow['kind'],
    balance: 0,
    minute_rate: toMillionths(sample.minute_rate as number),
    payment_method: sample.payment_method as string | null,
    created_at: createdAt,
  })
  const balance = toMillionths(sample.balance as number)
  if (balance > 0)
    await topUp(query, account, balance, { reason: 'Opening balance', reference: 'opening', now: createdAt })
  return account
}
