// Loads a document of sample data: the sample account, and files of `server seed --file`. A document is checked as a whole
// before its transaction, and all of it is loaded or none.

import { randomUUID } from 'node:crypto'
import type { AutomationNode } from '../../../contract/automations/automation-node.ts'
import type { SlotEvent } from '../../../contract/automations/automation-records.ts'
import { type SampleList, type SampleListName, sampleLists } from '../../../contract/control/sample-data.ts'
import { Failure, invalidField } from '../../../contract/errors/failures.ts'
import { mapReference } from '../../../contract/references/reference-paths.ts'
import {
  idReferencesIn,
  isResourceName,
  replaceNamesWithNumbers,
} from '../../../contract/references/step-references.ts'
import { parseBudget } from '../../../contract/values/budgets.ts'
import type { Country } from '../../../contract/values/countries.ts'
import type { KeyScope } from '../../../contract/values/key-scopes.ts'
import type { Micros } from '../../../contract/values/micros.ts'
import { toMillionths } from '../../../contract/values/millionths.ts'
import { parseSampleTime } from '../../../contract/values/sample-time.ts'
import { compileDefinition } from '../../../engine/definition/compile-definition.ts'
import { readDefinition } from '../../../engine/definition/validate-definition.ts'
import type { ConnectionKind } from '../../../engine/pieces/ports.ts'
import { triggerOf } from '../../../engine/pieces/registry.ts'
import type { PaymentProvider } from '../../../engine/ports.ts'
import { hashJson } from '../../../node/canonical-json.ts'
import { stringifyJson } from '../../../node/json.ts'
import { addMonths } from '../../jobs/clock.ts'
import { scheduleJob } from '../../jobs/job-loop.ts'
import { createTrunk } from '../../providers/telephony/local-voice.ts'
import type { NumberInventory } from '../../providers/telephony/number-inventory.ts'
import { orderNumber } from '../../providers/telephony/number-orders.ts'
import type { AssistantChange, AssistantDraft } from '../../services/assistants/assistant-fields.ts'
import { assistantService } from '../../services/assistants/assistant-service.ts'
import { groupingService } from '../../services/assistants/grouping-service.ts'
import { type ToolDraft, toolService } from '../../services/assistants/tool-service.ts'
import { connectionService, requireConnections } from '../../services/automations/ports/connection-service.ts'
import { idLength } from '../../services/automations/publishing/automation-ids.ts'
import { listRequiredConnections } from '../../services/automations/publishing/build-plan.ts'
import { bindEvent } from '../../services/automations/publishing/event-bindings.ts'
import { sealDefinition } from '../../services/automations/publishing/sealed-definitions.ts'
import { activateTrigger } from '../../services/automations/triggers/trigger-activation.ts'
import { openingMovement, topUp } from '../../services/billing/ledger.ts'
import type { CampaignDraft } from '../../services/campaigns/campaign-fields.ts'
import { campaignService } from '../../services/campaigns/campaign-service.ts'
import { scheduleDispatch } from '../../services/campaigns/lead-outcomes.ts'
import { waitingLeads } from '../../services/campaigns/status-transitions.ts'
import { documentJobKind, knowledgeService } from '../../services/knowledge/knowledge-service.ts'
import { splitDocument } from '../../services/knowledge/split-passages.ts'
import { periodicSyncJobKinds, scheduleSync } from '../../services/messaging/channel-sync-service.ts'
import {
  bothDirections,
  insertTrunkNumber,
  type TrunkIds,
  type TrunkSettings,
  trunkConfiguration,
  trunkKey,
} from '../../services/numbers/sip-trunks.ts'
import { issueKey } from '../../services/runtime/api-keys.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import { deterministicUuid } from '../../services/runtime/deterministic-uuid.ts'
import type { Vault } from '../../services/runtime/vault.ts'
import {
  type AccountRow,
  insertAccount,
  insertKey,
  type KeyLimits,
  unknownEmail,
  updateKeyLastUsed,
} from '../../store/accounts/accounts.ts'
import { setAssistantUuid, updateAssistantRow } from '../../store/assistants/assistants.ts'
import { setConnectionStatus } from '../../store/automations/account-connections.ts'
import { insertVersion } from '../../store/automations/automation-versions.ts'
import { insertAutomation } from '../../store/automations/automations.ts'
import type { TriggerKind } from '../../store/automations/tables.ts'
import { insertSubscription, subscriptionJobKind, writeCampaignLimit } from '../../store/billing/subscriptions.ts'
import type { SubscriptionTable } from '../../store/billing/tables.ts'
import { insertCall } from '../../store/calls/phone-calls.ts'
import type { PhoneCallTable } from '../../store/calls/tables.ts'
import { insertLead, insertLeadContact } from '../../store/campaigns/leads.ts'
import type { CampaignStatus, LeadStatus } from '../../store/campaigns/tables.ts'
import { insertConversation, updateConversation } from '../../store/conversations/conversations.ts'
import { insertMessage } from '../../store/conversations/messages.ts'
import type { ConversationTable } from '../../store/conversations/tables.ts'
import { accountQuery, acrossAccounts, scopedQuery } from '../../store/database/account-query.ts'
import type { AccountQuery, PlatformQuery } from '../../store/database/connection.ts'
import { updateStoredRow } from '../../store/database/stored-rows.ts'
import { insertDocument, insertPassages } from '../../store/knowledge/documents.ts'
import type { KnowledgeDocumentTable } from '../../store/knowledge/tables.ts'
import { insertTemplate } from '../../store/messaging/message-templates.ts'
import { insertSender } from '../../store/messaging/senders.ts'
import type { SenderTable } from '../../store/messaging/tables.ts'
import { insertNumber } from '../../store/numbers/numbers.ts'
import {
  hasDuplicateTrunk,
  insertProvisionedTrunk,
  markTrunkLive,
  type ProvisionedTrunkRow,
} from '../../store/numbers/sip-trunks.ts'
import {
  checkRecord,
  checkSampleData,
  objectsIn,
  recordName,
  type SampleAccount,
  type SampleEntry,
  SampleProblems,
  templateName,
} from './check-sample-data.ts'

type Fields = Readonly<Record<string, unknown>>

/** What sample data is loaded with. */
export interface LoadOptions {
  readonly now: Micros
  /** Secret of the first key of the first account. */
  readonly secret: string
  /** Returns the secrets of the other keys. */
  readonly secrets: (label: string, length: number) => string
  readonly payments: PaymentProvider
  readonly vault: Vault
  /** The numbers of the local telephony provider. */
  readonly inventory: NumberInventory
}

/** Dependencies of the loader. */
export type LoadDeps = Pick<
  Deps,
  'connection' | 'clock' | 'vault' | 'providers' | 'sandbox' | 'owner' | 'leases' | 'wall'
>

/** One account that is being loaded, in the caller's transaction. */
interface Loading extends LoadOptions {
  readonly query: AccountQuery
  readonly deps: LoadDeps
  readonly account: AccountRow
  readonly data: SampleAccount
  /** The automations of the file by their places. */
  readonly automations: ReadonlyMap<string, PreparedAutomation>
  /** Names of numbers and SIP trunks in the order of their ids (default: first the numbers, then the SIP trunks). */
  readonly numberOrder: readonly string[]
}

/** What one list of records is loaded with. */
interface ListLoading<L extends SampleListName> extends Pick<Loading, 'account' | 'now'> {
  readonly query: AccountQuery
  readonly data: Pick<SampleAccount, 'names'> & { readonly lists: Pick<SampleAccount['lists'], L> }
}

/** A record with ids in place of names. */
interface LoadedRecord {
  readonly entry: SampleEntry
  readonly name: string
  readonly body: Fields
  readonly record: Fields
  readonly createdAt: Micros
  readonly updatedAt: Micros
}

/** Returns the time of a field, or `usual` without one. */
const timeOf = <T>({ now }: Pick<Loading, 'now'>, value: unknown, usual: T): Micros | T =>
  (typeof value === 'string' ? parseSampleTime(value, now) : undefined) ?? usual

/** Returns the times of a record: when it was created and last changed. */
function timesOf(loading: Pick<Loading, 'now'>, record: Fields): { createdAt: Micros; updatedAt: Micros } {
  const createdAt = timeOf(loading, record.created_at, loading.now)
  return { createdAt, updatedAt: timeOf(loading, record.updated_at, createdAt) }
}

/**
 * Loads the records of a list one after the other. `load` returns the id by which others refer to the record. @throws
 * Failure 422 with the place of the record
 */
async function loadEach<L extends SampleListName>(
  loading: Pick<ListLoading<L>, 'now' | 'data'>,
  list: L,
  load: RecordLoader,
): Promise<void> {
  for (const entry of loading.data.lists[list]) await loadRecord(loading, list, entry, load)
}

/** Loads a record, and returns the id by which others refer to it. */
type RecordLoader = (record: LoadedRecord) => Promise<number | string | undefined>

/** Loads one record of a list. @throws Failure 422 with its place */
function loadRecord(
  loading: Pick<Loading, 'now'> & { readonly data: Pick<SampleAccount, 'names'> },
  list: SampleListName,
  entry: SampleEntry,
  load: RecordLoader,
): Promise<void> {
  const { names } = loading.data
  const { to }: SampleList = sampleLists[list]
  return atPlace(entry.place, async () => {
    const { body, record, errors } = checkRecord(list, entry.item, names)
    if (Object.keys(errors).length > 0) throw new Failure('invalid', { errors: errors as never })
    const name = recordName(list, entry.item)
    const id = await load({ entry, name, body, record, ...timesOf(loading, record) })
    if (to && id !== undefined) names.add(to, name, id)
  })
}

/** Runs `body` and adds the place in the file to its failures. */
async function atPlace<T>(place: string, body: () => Promise<T>): Promise<T> {
  try {
    return await body()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const problems = new SampleProblems()
    problems.addAll(place, error.errors ?? { '': [error.message] })
    problems.throwIfAny()
    throw error
  }
}

/** Returns dependencies with which services work in the caller's transaction, at a given time. */
function depsAt({ deps, query, secrets }: Loading, at: Micros): LoadDeps & Pick<Deps, 'secret' | 'isSeeded'> {
  return {
    ...deps,
    secret: secrets,
    isSeeded: () => true,
    clock: { ...deps.clock, now: async () => at },
    connection: {
      ...deps.connection,
      read: acrossAccounts(query),
      write: (scope, body) => body(scopedQuery(query, scope)),
    },
  }
}

/** Sets the time of the last change of a row. */
const setUpdatedAt = async (
  { query }: Loading,
  table: string,
  id: number,
  { createdAt, updatedAt }: LoadedRecord,
  key?: string,
): Promise<void> => {
  if (updatedAt !== createdAt) await updateStoredRow(query, table, id, { updated_at: updatedAt }, key)
}

/** A checked and compiled definition, with names instead of ids. */
interface PreparedAutomation {
  readonly definition: AutomationNode
  readonly program: AutomationNode
  readonly kind: TriggerKind
  /** Event of an assistant that its trigger is bound to. */
  readonly event: SlotEvent | undefined
  readonly connections: readonly string[]
}

/** Loads the numbers and SIP trunks of an account, also at the local carrier and the local voice infrastructure. */
async function loadNumbers(loading: Loading): Promise<void> {
  const { query, account, vault, secrets, numberOrder, data } = loading
  const loadNumber: RecordLoader = async ({ record, createdAt }) => {
    const phone = String(record.phone_number)
    const isBought = record.type === 'normal'
    if (isBought && !(await orderNumber(acrossAccounts(query), `seed-${phone}`, phone, null)).ok)
      throw invalidField('phone_number', 'Another account of the file has this number.')
    const { id } = await insertNumber(query, {
      account_id: account.id,
      phone_number: phone,
      country_code: String(record.country_code),
      region: record.region as string | null,
      type: isBought ? 'normal' : 'caller_id',
      sms_capable: (record.sms_capable ?? isBought) ? 1 : 0,
      nickname: record.nickname as string | null,
      created_at: createdAt,
    })
    if (isBought)
      await subscribe(loading, id, record.country_code as Country, createdAt, (record.subscription ?? {}) as Fields)
    return id
  }
  const loadTrunk: RecordLoader = async (record) => {
    const { sip_trunk_type: type, ...draft } = record.body
    const settings = {
      ...draft,
      nickname: draft.nickname || null,
      allowed_inbound_ips: draft.allowed_inbound_ips ?? null,
      sip_password: record.entry.item.sip_password ?? secrets(`trunk ${draft.phone_number}`, 24),
    } as TrunkSettings
    if (await hasDuplicateTrunk(query, { ...settings, account_id: account.id }))
      throw new Failure('sipTrunks.duplicate')
    const id = await insertLiveTrunk(query, vault, {
      account: account.id,
      type: String(type),
      settings,
      now: record.createdAt,
    })
    await setUpdatedAt(loading, 'sip_trunk', id, record, 'number_id')
    return id
  }
  const all = (['numbers', 'sip_trunks'] as const).flatMap((list) =>
    data.lists[list].map((entry) => ({ list, entry, rank: numberOrder.indexOf(recordName(list, entry.item)) })),
  )
  for (const { list, entry } of all.sort((a, b) => a.rank - b.rank))
    await loadRecord(loading, list, entry, list === 'numbers' ? loadNumber : loadTrunk)
}

async function subscribe(
  loading: Loading,
  number: number,
  country: Country,
  createdAt: Micros,
  period: Fields,
): Promise<void> {
  const { query, account, payments, now } = loading
  const price = payments.price(country)
  const given = timeOf(loading, period.period_start, undefined)
  const anchor = (period.renewal_day as number | undefined) ?? new Date((given ?? createdAt) / 1000).getUTCDate()
  let start = given ?? createdAt
  // Without a given period, the number has been renewed every month since it was bought.
  if (given === undefined) while (addMonths(start, 1, anchor) <= now) start = addMonths(start, 1, anchor)
  const subscription = await insertSubscription(query, {
    account_id: account.id,
    number_id: number,
    status: (period.status ?? 'active') as SubscriptionTable['status'],
    price: price.amount,
    price_id: price.priceId,
    anchor,
    period_start: start,
    period_end: timeOf(loading, period.period_end, addMonths(start, 1, anchor)),
  })
  const job = { account: account.id, kind: subscriptionJobKind, subject: String(subscription.id) }
  await scheduleJob(query, { ...job, at: subscription.period_end })
}

/** Inserts a SIP trunk, also at the local voice infrastructure, in the caller's transaction. Returns its id. */
async function insertLiveTrunk(
  query: AccountQuery,
  vault: Vault,
  {
    account,
    type,
    settings,
    now,
  }: {
    readonly account: number
    readonly type: string
    readonly settings: TrunkSettings
    readonly now: Micros
  },
): Promise<number> {
  const rows: ProvisionedTrunkRow[] = []
  const ids: TrunkIds = {}
  for (const direction of bothDirections) {
    const row = await insertProvisionedTrunk(query, {
      account_id: account,
      number_id: null,
      direction,
      state: 'wanted',
      created_at: now,
    })
    const made = await createTrunk(
      acrossAccounts(query),
      trunkKey(row),
      direction,
      trunkConfiguration(direction, settings),
      null,
    )
    if (made.ok) ids[direction] = made.trunkId
    rows.push(row)
  }
  const number = await insertTrunkNumber(query, vault, { account, type, settings, ids: ids as Required<TrunkIds>, now })
  for (const row of rows) await markTrunkLive(query, row.id, number)
  return number
}

/** Loads the API keys of an account. Returns the first one, whose secret is `secret` if the account is the first. */
async function loadKeys(loading: Loading, isFirstAccount: boolean): Promise<string | undefined> {
  const { query, account, secret, secrets, now } = loading
  let local: string | undefined
  await loadEach(loading, 'keys', async ({ record, createdAt }) => {
    const isLocal = isFirstAccount && local === undefined
    const key = { name: String(record.name), now: createdAt }
    const budget = typeof record.budget === 'string' ? parseBudget(record.budget) : undefined
    const limits: KeyLimits = {
      scope: (record.scope as KeyScope | null) ?? null,
      nouns: record.nouns ? stringifyJson(record.nouns) : null,
      budget: budget?.amount ?? null,
      budget_period: budget?.period ?? null,
      expires_at: timeOf(loading, record.expires_at, undefined) ?? null,
    }
    let id: number
    if (typeof record.hash === 'string' && !isLocal)
      id = (
        await insertKey(query, {
          account_id: account.id,
          name: key.name,
          hash: record.hash,
          last_used_at: null,
          created_at: createdAt,
          ...limits,
        })
      ).id
    else {
      const issued = await issueKey(query, {
        ...key,
        limits,
        secret: isLocal ? secret : secrets(`key ${account.id} ${key.name}`, 40),
      })
      id = issued.row.id
      local ??= issued.token
    }
    const usedAt = timeOf(loading, record.last_used_at, undefined)
    if (usedAt !== undefined) await updateKeyLastUsed(query, id, usedAt)
    return undefined
  })
  if (!isFirstAccount) return undefined
  return local ?? (await issueKey(query, { name: 'local', secret, now })).token
}

/**
 * Loads folders, labels, connections, tools and knowledge bases. Returns the ids of the tools, in the order of the file.
 */
async function loadResources(loading: Loading): Promise<readonly number[]> {
  const { query, account } = loading
  const toolIds: number[] = []
  for (const [list, kind] of [
    ['folders', 'folder'],
    ['labels', 'label'],
  ] as const)
    await loadEach(
      loading,
      list,
      async ({ body, createdAt }) =>
        (await groupingService(depsAt(loading, createdAt), kind).create(account.id, body as { name: string })).id,
    )
  await loadEach(loading, 'connections', async (record) => {
    const draft = record.body as { kind: ConnectionKind; name?: string; secret: unknown }
    const { id } = await connectionService(depsAt(loading, record.createdAt)).add(account.id, draft)
    if (record.record.status === 'expired') await setConnectionStatus(query, id, 'expired', record.updatedAt)
    await setUpdatedAt(loading, 'automation_connection', id, record)
    return undefined
  })
  await loadEach(loading, 'tools', async (record) => {
    const { id } = await toolService(depsAt(loading, record.createdAt)).create(
      account.id,
      record.body as unknown as ToolDraft,
    )
    await setUpdatedAt(loading, 'tool', id, record)
    toolIds.push(id)
    return id
  })
  await loadEach(loading, 'knowledge', async (record) => {
    const { base } = await knowledgeService(depsAt(loading, record.createdAt)).create(
      account.id,
      record.body as { name: string },
    )
    await setUpdatedAt(loading, 'knowledge_base', base.id, record)
    for (const document of objectsIn(record.record.documents)) await loadDocument(loading, base.id, document)
    return base.id
  })
  return toolIds
}

/** Sets the automations of tools, which are known once the automations are loaded. `ids` are those of the tools. */
async function linkTools(loading: Loading, ids: readonly number[]): Promise<void> {
  const { names, lists } = loading.data
  for (const [n, { item }] of lists.tools.entries()) {
    if (item.type !== 'automation') continue
    const automation = names.find({ path: '', to: 'automate' }, item.automation_id, item)
    await updateStoredRow(loading.query, 'tool', ids[n] as number, {
      type: 'automation',
      automation_id: String('id' in automation ? automation.id : (item.automation_id ?? '')),
    })
  }
}

async function loadDocument(loading: Loading, base: number, record: Fields): Promise<void> {
  const { query, account } = loading
  const { createdAt, updatedAt } = timesOf(loading, record)
  const links = objectsIn(record.links).map(({ link }) => String(link))
  const row = await insertDocument(query, {
    account_id: account.id,
    knowledge_base_id: base,
    name: String(record.name),
    description: (record.description as string | null | undefined) ?? null,
    type: record.type as KnowledgeDocumentTable['type'],
    status: record.status as KnowledgeDocumentTable['status'],
    source: stringifyJson({
      ...(typeof record.file === 'string' && { file: record.file }),
      ...(typeof record.url === 'string' && { url: record.url }),
      ...(links.length > 0 && { links }),
      limit: record.relative_links_limit,
    }),
    failure: record.error as string | null,
    created_at: createdAt,
    updated_at: updatedAt,
  })
  if (row.status === 'processing')
    await scheduleJob(query, { account: account.id, kind: documentJobKind, subject: String(row.id), at: loading.now })
  const pages = objectsIn(record.pages) as never[]
  if (pages.length > 0) await insertPassages(query, splitDocument(row, pages))
}

/**
 * Checks and compiles the automations of a file, before the transaction that loads them. Returns them by their places.
 * @throws Failure 422 with the place of the first invalid one
 */
async function prepareAutomations(
  deps: Pick<Deps, 'sandbox'>,
  accounts: readonly SampleAccount[],
): Promise<ReadonlyMap<string, PreparedAutomation>> {
  const prepared = new Map<string, PreparedAutomation>()
  const prepare = async (place: string, item: Fields): Promise<void> =>
    void prepared.set(place, await atPlace(place, () => prepareAutomation(deps, item)))
  for (const entry of accounts.flatMap((it) => it.lists.automations)) {
    await prepare(entry.place, entry.item)
    for (const [n, version] of objectsIn(entry.item.versions).entries())
      await prepare(versionPlace(entry, n), { ...entry.item, ...version })
  }
  return prepared
}

/** Returns the place of an earlier version of an automation. */
const versionPlace = ({ place }: SampleEntry, n: number): string => `${place}.versions.${n}`

async function prepareAutomation(deps: Pick<Deps, 'sandbox'>, item: Fields): Promise<PreparedAutomation> {
  const { flow, restoreNames } = replaceNamesWithNumbers(item.flow)
  const trigger = await readDefinition(flow, await deps.sandbox())
  const { kind = 'external', binding } = triggerOf(trigger) ?? {}
  const bound = item.bind_webhook === 'conversation_ended' ? item.bind_webhook : undefined
  return {
    definition: restoreNames(trigger),
    program: restoreNames(await compileDefinition(trigger)),
    kind: kind === 'external' ? 'poll' : kind,
    event: binding ?? bound,
    connections: listRequiredConnections(trigger),
  }
}

const transfers = (body: Fields): boolean => objectsIn(body.tools).some((it) => it.type === 'assistant_transfer')

/** Loads the assistants of an account. Those that transfer to another one get their tools once all exist. */
async function loadAssistants(loading: Loading): Promise<void> {
  const { query, account } = loading
  const ids = new Map<LoadedRecord['entry'], number>()
  async function finish(id: number, { record, updatedAt }: LoadedRecord): Promise<void> {
    const own = accountQuery(query, account.id)
    const status = record.status as 'active' | 'inactive'
    await updateAssistantRow(own, id, { status, updated_at: updatedAt })
    if (typeof record.uuid === 'string') await setAssistantUuid(own, id, record.uuid.toLowerCase())
  }
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
export async function loadSenders(loading: ListLoading<'senders'>): Promise<void> {
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

/** Loads the automations of an account. They are published without a test run. */
async function loadAutomations(loading: Loading): Promise<void> {
  const { query, account, vault, secrets } = loading
  await loadEach(loading, 'automations', async ({ entry, name, body, record, createdAt, updatedAt }) => {
    const prepared = loading.automations.get(entry.place) as PreparedAutomation
    const id = typeof record.id === 'string' ? record.id : secrets(`automation ${account.id} ${name}`, idLength)
    const isEnabled = record.enabled === true
    await requireConnections(query, account.id, prepared.connections)
    const earlier = objectsIn(record.versions).map((version, n) => ({
      prepared: loading.automations.get(versionPlace(entry, n)) as PreparedAutomation,
      at: timeOf(loading, version.created_at, createdAt),
    }))
    const versions = [...earlier, { prepared, at: earlier.length > 0 ? updatedAt : createdAt }]
    const ids = versions.map((_, n) => secrets(`version ${id} ${n}`, idLength))
    await insertAutomation(query, {
      id,
      account_id: account.id,
      name: String(body.name),
      status: isEnabled ? 'enabled' : 'disabled',
      live_version: ids.at(-1) as string,
      draft_version: null,
      draft_note: null,
      cursor: null,
      created_at: createdAt,
      updated_at: updatedAt,
    })
    for (const [n, { prepared, at }] of versions.entries()) {
      const definition = resolveSteps(loading, prepared.definition)
      const { kind, event, connections } = prepared
      const assistant = event ? Number(body.assistant_id ?? triggerAssistant(definition) ?? 0) : null
      if (assistant === 0) throw invalidField('assistant_id', 'The trigger needs an assistant.')
      await insertVersion(query, {
        id: ids[n] as string,
        account_id: account.id,
        automation_id: id,
        position: n + 1,
        definition: sealDefinition(vault, account.id, definition),
        program: sealDefinition(vault, account.id, resolveSteps(loading, prepared.program)),
        hash: hashJson(definition),
        trigger_kind: kind,
        event: event ?? null,
        assistant_id: assistant,
        connections: stringifyJson(connections),
        restored_from: null,
        created_at: at,
        published_at: at,
      })
      if (!isEnabled || n < earlier.length) continue
      const binding = event && assistant !== null ? { event, assistant } : null
      await bindEvent(query, { automation: id, now: at }, binding)
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
    const { row } = await service.create(account.id, body as CampaignDraft)
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
type InsertSampleData = (query: PlatformQuery, options: LoadOptions) => Promise<string>

/**
 * Checks sample data and returns the function that inserts it. @throws Failure 422 with the place of each problem; the
 * function does so for problems that only the database shows
 */
export async function prepareSampleData(
  deps: LoadDeps,
  data: unknown,
  { numberOrder = [] }: { readonly numberOrder?: readonly string[] } = {},
): Promise<InsertSampleData> {
  const accounts = checkSampleData(data)
  const automations = await prepareAutomations(deps, accounts)
  return async (query, options) => {
    let key = ''
    // Checked again, because the names collect the ids of the records and the transaction may run again.
    for (const [n, checked] of checkSampleData(data).entries()) {
      const account = await insertSampleAccount(query, options, checked)
      const own = accountQuery(query, account.id)
      const loading: Loading = { ...options, query: own, deps, account, data: checked, automations, numberOrder }
      // A list comes after those whose records it names. The order gives the ids, which must be the same for the same file.
      key += (await loadKeys(loading, n === 0)) ?? ''
      const toolIds = await loadResources(loading)
      await loadNumbers(loading)
      await loadAssistants(loading)
      await loadSenders(loading)
      await loadAutomations(loading)
      await linkTools(loading, toolIds)
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
  query: PlatformQuery,
  options: LoadOptions,
  { account: sample }: SampleAccount,
): Promise<AccountRow> {
  const createdAt = timeOf(options, sample.created_at, options.now)
  const account = await insertAccount(query, {
    name: String(sample.name),
    email: String(sample.email ?? unknownEmail),
    kind: sample.kind as AccountRow['kind'],
    balance: 0,
    minute_rate: toMillionths(sample.minute_rate as number),
    payment_method: sample.payment_method as string | null,
    created_at: createdAt,
  })
  const balance = toMillionths(sample.balance as number)
  if (balance > 0)
    await topUp(accountQuery(query, account.id), account, balance, {
      ...openingMovement,
      now: createdAt,
    })
  return account
}
