// Writes the data of a platform as a document that load-sample-data.ts accepts. The contract says which fields a record has:
// a column with the name of a field is exported without a line here.

import { isDeepStrictEqual } from 'node:util'
import type * as z from 'zod'
import type { AutomationNode } from '../../../contract/automations/automation-node.ts'
import { toFlow } from '../../../contract/automations/flow-form.ts'
import {
  type SampleData,
  type SampleList,
  type SampleListName,
  sampleDataVersion,
  sampleLists,
} from '../../../contract/control/sample-data.ts'
import { AccountRecord } from '../../../contract/control/sample-data-records.ts'
import {
  defaultOf,
  isNullable,
  isRequired,
  type SchemaKind,
  schemaDefinition,
  unwrap,
} from '../../../contract/endpoint/coerce.ts'
import { mapReference } from '../../../contract/references/reference-paths.ts'
import { type Reference, type ResourceKind, references } from '../../../contract/references/resource-references.ts'
import { idReferencesIn } from '../../../contract/references/step-references.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { fromMillionths } from '../../../contract/values/millionths.ts'
import { maskValue } from '../../../engine/definition/mask.ts'
import { parseJson } from '../../../node/json.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { fieldsFromRow } from '../../services/assistants/assistant-fields.ts'
import { openToolFields } from '../../services/assistants/sealed-tool-fields.ts'
import { openConnectionSecret } from '../../services/automations/ports/connection-service.ts'
import { readDefinition } from '../../services/automations/publishing/sealed-definitions.ts'
import {
  fieldsFromRow as campaignFieldsFieldsFromRow,
  missingFields,
} from '../../services/campaigns/campaign-fields.ts'
import { waitingLeads } from '../../services/campaigns/status-transitions.ts'
import { passwordLabel, settingsFromRow } from '../../services/numbers/sip-trunks.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { Vault } from '../../services/runtime/vault.ts'
import { type AccountRow, listAccounts, listKeys } from '../../store/accounts/accounts.ts'
import { listAssistants } from '../../store/assistants/assistants.ts'
import { type GroupingKind, listGroupings } from '../../store/assistants/groupings.ts'
import { listTools } from '../../store/assistants/tools.ts'
import { listConnections } from '../../store/automations/account-connections.ts'
import { findVersion } from '../../store/automations/automation-versions.ts'
import { listAutomations } from '../../store/automations/automations.ts'
import { readCampaignLimit } from '../../store/billing/subscriptions.ts'
import type { PhoneCallRow } from '../../store/calls/phone-calls.ts'
import { listCampaigns } from '../../store/campaigns/campaigns.ts'
import type { LeadContactRow, LeadRow } from '../../store/campaigns/leads.ts'
import type { ConversationRow } from '../../store/conversations/conversations.ts'
import { listMessages } from '../../store/conversations/messages.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { readAccountRows } from '../../store/database/stored-rows.ts'
import { type KnowledgeDocumentRow, listDocuments, type PassageRow } from '../../store/knowledge/documents.ts'
import type { KnowledgeBaseTable } from '../../store/knowledge/tables.ts'
import { listTemplates } from '../../store/messaging/message-templates.ts'
import { listSenders } from '../../store/messaging/senders.ts'
import { listNumbers } from '../../store/numbers/numbers.ts'
import { listTrunks } from '../../store/numbers/sip-trunks.ts'
import { catalogueName } from './check-sample-data.ts'

type Fields = Readonly<Record<string, unknown>>

/** What the records of an account are exported with. */
interface Exporting {
  readonly query: AccountQuery
  readonly account: AccountRow
  readonly vault: Vault
  /** Whether secrets are written. Otherwise they are masked or omitted. */
  readonly hasSecrets: boolean
  readonly names: RecordNames
}

/** The names of exported records by id, unique for each kind. */
class RecordNames {
  readonly #names = new Map<string, string>()
  readonly #taken = new Set<string>()

  /** Stores a record, and returns `{ ref }` if its name is taken. `scope` is the name of the record that contains it. */
  add(to: ResourceKind, id: number | string, name: string, scope = ''): { readonly ref?: string } {
    let unique = name
    for (let n = 2; this.#taken.has(`${to} ${scope} ${unique}`); n++) unique = `${name} #${n}`
    this.#taken.add(`${to} ${scope} ${unique}`)
    this.#names.set(`${to} ${id}`, unique)
    return unique === name ? {} : { ref: unique }
  }

  nameOf(to: ResourceKind, id: unknown): string | undefined {
    return this.#names.get(`${to} ${id}`)
  }

  /** Replaces the ids in a record by names. References to deleted records are removed. */
  replaceIds(item: Fields, references: readonly Reference[]): Fields {
    let result = item
    for (const reference of references) {
      result = mapReference(
        result,
        reference,
        (id) => catalogueName(reference, id) ?? this.nameOf(reference.to, id) ?? null,
      )
      const [, list] = /^(\w+)\[\]$/.exec(reference.path) ?? []
      if (list !== undefined && Array.isArray(result[list]))
        result = { ...result, [list]: result[list].filter((it) => it !== null) }
    }
    return result
  }
}

/** Masks the secrets in a record, unless they are written. */
const maskSecrets = <T>({ hasSecrets }: Pick<Exporting, 'hasSecrets'>, value: T): T =>
  hasSecrets ? value : (maskValue(value) as T)

/** Returns a time for a file; undefined for null. */
const isoOrNothing = (at: number | null): string | undefined => (at === null ? undefined : toIsoMicros(at))

/** Returns the times of a row. */
const timesOfRow = ({ created_at, updated_at }: { readonly created_at: number; readonly updated_at: number }) => ({
  created_at: toIsoMicros(created_at),
  updated_at: updated_at === created_at ? undefined : toIsoMicros(updated_at),
})

/** Returns a record of a list in the order of the contract, without fields that a file need not have. */
function omitDefaults(list: SampleListName, fields: Fields): Fields {
  const { body, record }: SampleList = sampleLists[list]
  const names = body ? namesFirst(body, record) : Object.keys(record.shape)
  return tidyObject({ ...body?.shape, ...record.shape } as Shape, names, fields)
}

/** Returns the fields of a schema in its order, without those that equal their default. */
const omitDefaultFields = ({ shape }: z.ZodObject, fields: Fields): Fields =>
  tidyObject(shape as Shape, Object.keys(shape), fields)

type Shape = Readonly<Record<string, z.ZodType>>

/** Returns the names of the fields of a record: first those of its request, last its times. */
const namesFirst = (body: z.ZodObject, record: z.ZodObject): string[] => {
  const { ref: _, ...rest } = record.shape
  return [
    'name',
    'ref',
    ...Object.keys(body.shape).filter((it) => it !== 'name'),
    ...Object.keys(rest).filter((it) => it !== 'name'),
  ]
}

/** Fields in which null is another value than none: unlimited, and no next attempt. */
const meaningfulNulls = new Set(['messaging_limit', 'next_attempt_at'])

function tidyObject(shape: Shape, names: readonly string[], fields: Fields): Fields {
  return Object.fromEntries(
    names.flatMap((name) => {
      const schema = shape[name]
      if (!schema || !Object.hasOwn(fields, name)) return []
      const value = tidyValue(schema, fields[name])
      const usual = defaultOf(schema)
      if (value === undefined) return []
      if (value === null && !(usual === undefined && meaningfulNulls.has(name) && isNullable(schema))) return []
      if (usual !== undefined ? isDeepStrictEqual(value, usual) : isEmpty(value) && !isRequired(schema)) return []
      return [[name, value]]
    }),
  )
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0

/**
 * Converts a stored value to that of a field: a time, a boolean or JSON. Omits the defaults of the records within a record,
 * such as the leads of a campaign.
 */
function tidyValue(schema: z.ZodType, stored: unknown): unknown {
  const { base, kind } = unwrap(schema)
  const { element, shape, catchall } = schemaDefinition(base)
  const value = fromStored(kind, stored)
  if (Array.isArray(value)) return element ? value.map((it) => tidyValue(element, it)) : value
  return shape && !catchall && isObject(value) ? tidyObject(shape as Shape, Object.keys(shape), value) : value
}

function fromStored(kind: SchemaKind, value: unknown): unknown {
  if (typeof value === 'number')
    return kind === 'boolean' ? value === 1 : kind === 'string' ? toIsoMicros(value) : value
  const isJson = kind === 'array' || kind === 'object' || kind === 'record'
  return isJson && typeof value === 'string' ? parseJson(value) : value
}

/** Returns the API keys. The first key of the first account belongs to the data folder and has no hash in a file. */
async function exportKeys({ query, hasSecrets }: Exporting, isFirst: boolean): Promise<Fields[]> {
  return (await listKeys(query)).map((key, n) =>
    omitDefaults('keys', {
      ...key,
      hash: hasSecrets && !(isFirst && n === 0) ? key.hash : undefined,
      budget: key.budget === null ? null : `${fromMillionths(key.budget)}/${key.budget_period}`,
    }),
  )
}

/** Returns the folders or labels. */
async function exportGroupings({ query, names }: Exporting, kind: GroupingKind): Promise<Fields[]> {
  const list = `${kind}s` as const
  const { rows } = await listGroupings(query, kind, { offset: 0, limit: Number.MAX_SAFE_INTEGER })
  return rows.map((grouping) => omitDefaults(list, { ...grouping, ...names.add(list, grouping.id, grouping.name) }))
}

async function exportConnections({ query, vault, hasSecrets }: Exporting): Promise<Fields[]> {
  return (await listConnections(query)).map((connection) =>
    omitDefaults('connections', {
      ...connection,
      ...timesOfRow(connection),
      secret: hasSecrets ? openConnectionSecret(vault, connection) : undefined,
    }),
  )
}

/** Returns the tools. `automationNames` are the names of the automations by id. */
async function exportTools(exporting: Exporting, automationNames: ReadonlyMap<string, string>): Promise<Fields[]> {
  const { query, names, vault } = exporting
  return (await listTools(query)).map((stored) => {
    const opened = openToolFields(vault, stored)
    return omitDefaults('tools', {
      ...maskSecrets(exporting, {
        ...opened,
        headers: parseJson(opened.headers),
        static_fields: parseJson(opened.static_fields),
        schema: parseJson(opened.schema),
      }),
      ...names.add('tools', opened.id, opened.name),
      automation_id:
        opened.automation_id === null ? undefined : (automationNames.get(opened.automation_id) ?? opened.automation_id),
      ...timesOfRow(opened),
    })
  })
}

/** Returns the knowledge bases with their documents and the text of these. */
async function exportKnowledge({ query, names }: Exporting): Promise<Fields[]> {
  const bases = await readAccountRows<Required<KnowledgeBaseTable> & { id: number }>(query, 'knowledge_base')
  const passages = await readAccountRows<PassageRow>(query, 'knowledge_passage', 'position')
  const exported: Fields[] = []
  for (const base of bases) {
    const documents = await listDocuments(query, base.id)
    exported.push(
      omitDefaults('knowledge', {
        ...base,
        ...names.add('knowledge', base.id, base.name),
        documents: documents.map((one) => documentFields(one, passages)),
        ...timesOfRow(base),
      }),
    )
  }
  return exported
}

function documentFields(document: KnowledgeDocumentRow, passages: readonly PassageRow[]): Fields {
  const source = parseJson(document.source) as Readonly<{
    url?: string
    links?: readonly string[]
    limit?: number
    file?: string
  }>
  return {
    ...document,
    url: source.url,
    links: source.links?.map((link) => ({ link })),
    relative_links_limit: source.limit,
    file: source.file,
    error: document.failure,
    pages: passages.filter((one) => one.document_id === document.id),
    ...timesOfRow(document),
  }
}

/** Returns the assistants. They may refer to each other, so all names are stored first. */
async function exportAssistants(exporting: Exporting): Promise<Fields[]> {
  const { query, names, vault } = exporting
  const { items } = await listAssistants(query, { offset: 0, limit: Number.MAX_SAFE_INTEGER })
  const refs = items.map(({ row }) => names.add('assistants', row.id, row.name))
  return items.map((item, n) =>
    omitDefaults('assistants', {
      ...names.replaceIds(maskSecrets(exporting, fieldsFromRow(item, vault)) as Fields, references.assistants),
      ...refs[n],
      status: item.row.status,
      uuid: item.row.uuid,
      inbound_webhook_url: item.slots.find(({ event, holder }) => event === 'inbound' && holder === 'webhook')?.target,
      ...timesOfRow(item.row),
    }),
  )
}

/** Returns the senders with their templates. */
async function exportSenders({ query, names }: Exporting): Promise<Fields[]> {
  const exported: Fields[] = []
  for (const sender of await listSenders(query)) {
    const templates = await listTemplates(query, sender)
    exported.push(
      omitDefaults('senders', {
        ...sender,
        ...names.add('senders', sender.id, sender.phone_number),
        messaging_limit: sender.limit_known === 1 ? sender.messaging_limit : undefined,
        assistant_id: names.nameOf('assistants', sender.assistant_id),
        templates: templates.map((one) => ({
          ...one,
          ...names.add('templates', one.id, one.name, sender.phone_number),
        })),
      }),
    )
  }
  return exported
}

/** Returns the published automations: their live versions, without drafts and earlier versions. */
async function exportAutomations(exporting: Exporting): Promise<Fields[]> {
  const { query, names, vault } = exporting
  const exported: Fields[] = []
  for (const row of await listAutomations(query)) {
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
    definition as Fields,
    idReferencesIn(definition, '').map(({ path, to }) => ({ path: path.slice(1), to })),
  ) as AutomationNode

/** Returns the campaigns with their leads, without campaigns that are incomplete. */
async function exportCampaigns({ query, names }: Exporting): Promise<Fields[]> {
  const leads = groupBy(await readAccountRows<LeadRow>(query, 'lead'), (it) => it.campaign_id)
  const contacts = groupBy(await readAccountRows<LeadContactRow>(query, 'lead_contact'), (it) => it.lead_id)
  // A campaign whose assistant, sender or number was deleted cannot be created again.
  const campaigns = (await listCampaigns(query)).filter((it) => missingFields(it).length === 0)
  return campaigns.map((campaign) =>
    omitDefaults('campaigns', {
      ...names.replaceIds(campaignFieldsFieldsFromRow(campaign) as Fields, references.campaigns),
      ...names.add('campaigns', campaign.row.id, campaign.row.name),
      status: campaign.row.status,
      leads: (leads.get(campaign.row.id) ?? []).map((lead) => leadFields(lead, contacts.get(lead.id) ?? [])),
      ...timesOfRow(campaign.row),
    }),
  )
}

function groupBy<T>(rows: readonly T[], keyOf: (row: T) => number): ReadonlyMap<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row])
  return groups
}

function leadFields(lead: LeadRow, contacts: readonly LeadContactRow[]): Fields {
  const usualAttempt = waitingLeads.includes(lead.status) ? lead.created_at : null
  return {
    ...lead,
    next_attempt_at: lead.next_attempt_at === usualAttempt ? undefined : (isoOrNothing(lead.next_attempt_at) ?? null),
    secondary_contacts: contacts.map((one) => ({ ...one, ...timesOfRow(one) })),
    ...timesOfRow(lead),
  }
}

/** Returns the conversations with their messages, without those of deleted assistants. */
async function exportConversations({ query, names }: Exporting): Promise<Fields[]> {
  const exported: Fields[] = []
  for (const conversation of await readAccountRows<ConversationRow>(query, 'conversation')) {
    const assistant = names.nameOf('assistants', conversation.assistant_id)
    if (assistant === undefined) continue
    exported.push(
      omitDefaults('conversations', {
        ...conversation,
        assistant_id: assistant,
        sender_id: names.nameOf('senders', conversation.sender_id),
        total_cost: fromMillionths(conversation.total_cost),
        ends: conversation.ends === (conversation.status === 'ended' ? 1 : 0) ? undefined : conversation.ends,
        messages: await listMessages(query, conversation.id),
        ...timesOfRow(conversation),
      }),
    )
  }
  return exported
}

/** Returns the calls that are over. */
async function exportCalls({ query, names }: Exporting): Promise<Fields[]> {
  return (await readAccountRows<PhoneCallRow>(query, 'phone_call'))
    .filter((it) => it.state === 'over')
    .map((entry) =>
      omitDefaults('calls', {
        ...entry,
        assistant_id: names.nameOf('assistants', entry.assistant_id),
        campaign_id: names.nameOf('campaigns', entry.campaign_id),
        carrier_cost: fromMillionths(entry.carrier_cost),
        total_cost: fromMillionths(entry.total_cost),
        ...timesOfRow(entry),
      }),
    )
}

/** Returns the numbers with their subscriptions, without those of SIP trunks. */
async function exportNumbers({ query, names }: Exporting): Promise<Fields[]> {
  const rows = await listNumbers(query)
  return rows
    .filter(({ number }) => number.type !== 'sip')
    .map(({ number, subscription }) =>
      omitDefaults('numbers', {
        ...number,
        ...names.add('numbers', number.id, number.phone_number),
        sms_capable: (number.sms_capable === 1) === (number.type === 'normal') ? undefined : number.sms_capable === 1,
        subscription: subscription && { ...subscription, renewal_day: subscription.anchor },
      }),
    )
}

/** Returns the SIP trunks. */
async function exportTrunks({ query, account, vault, hasSecrets, names }: Exporting): Promise<Fields[]> {
  return (await listTrunks(query)).map((trunk) =>
    omitDefaults('sip_trunks', {
      ...names.add('numbers', trunk.number_id, trunk.phone_number),
      sip_trunk_type: trunk.trunk_type,
      ...settingsFromRow(trunk),
      sip_password: hasSecrets ? vault.open(trunk.sip_password, passwordLabel(account.id)) : undefined,
      ...timesOfRow(trunk),
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
        await exportAccount(
          { query: accountQuery(query, account.id), account, vault, hasSecrets, names: new RecordNames() },
          accounts.length === 0,
        ),
      )
    return { version: sampleDataVersion, accounts } as SampleData
  })

async function exportAccount(exporting: Exporting, isFirst: boolean): Promise<Fields> {
  const { query, account } = exporting
  // In this order, records come after those whose names they contain.
  const lists = {
    keys: await exportKeys(exporting, isFirst),
    folders: await exportGroupings(exporting, 'folder'),
    labels: await exportGroupings(exporting, 'label'),
    connections: await exportConnections(exporting),
    tools: await exportTools(exporting, await automationNames(query)),
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
      max_campaigns: await readCampaignLimit(query),
    }),
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
  }
}

/** Returns the names of automations by id, for the tools of automations. */
async function automationNames(query: AccountQuery): Promise<ReadonlyMap<string, string>> {
  const names = new RecordNames()
  const rows = (await listAutomations(query)).filter((it) => it.live_version !== null)
  return new Map(rows.map(({ id, name }) => [id, names.add('automate', id, name).ref ?? name]))
}
