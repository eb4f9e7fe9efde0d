import { nounOf } from '../../../contract/access/scope-table.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import { toolsPath } from '../../../contract/references/reference-paths.ts'
import { type Link, type LinkedItem, linksOf, referringKinds } from '../../../contract/references/resource-links.ts'
import { type ResourceKind, resourceLists } from '../../../contract/references/resource-references.ts'
import type { FoundReference } from '../../../contract/resources/user.ts'
import { maskDefinition } from '../../../engine/definition/mask.ts'
import { letSignalsArrive } from '../../../node/interruption.ts'
import { stringifyJson } from '../../../node/json.ts'
import { listAssistantsAfter } from '../../store/assistants/assistants.ts'
import { type AutomationPlace, listAutomationsWithDefinitions } from '../../store/automations/automations.ts'
import { listCampaigns } from '../../store/campaigns/campaigns.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { listAssignedSenders } from '../../store/messaging/senders.ts'
import { fieldsFromRow as assistantFields } from '../assistants/assistant-fields.ts'
import { toolService } from '../assistants/tool-service.ts'
import { listBindings } from '../automations/publishing/event-bindings.ts'
import { readDefinition } from '../automations/publishing/sealed-definitions.ts'
import { fieldsFromRow as campaignFields } from '../campaigns/campaign-fields.ts'
import type { Deps } from './deps.ts'
import { type RestrictedKey, requireNoun } from './key-access.ts'

/** Rows of assistants and automations that are in memory at once. */
const chunkRows = 200

/** What is searched. */
interface Search {
  /** Returns whether a stored text may have a reference: it has the id, the name or an expression. */
  mayRefer(stored: string): boolean
  /** Returns whether one of some ids is that of the resource. */
  has(...ids: readonly (number | string | null | undefined)[]): boolean
  /** Whether the tools of every assistant are needed. */
  readonly needsTools: boolean
}

type Reader = (deps: Deps, query: AccountQuery, search: Search) => AsyncIterable<LinkedItem>

/**
 * Reads the resources that may have a reference, in the order of their lists and with the fields of these that have references.
 * An automation has its definition with secrets. Most rows have none, and are not parsed. A kind that is missing here is a catalog.
 */
const readers: Partial<Readonly<Record<ResourceKind, Reader>>> = {
  async *assistants({ vault }, query, { mayRefer, has, needsTools }) {
    for (let after = 0; ; ) {
      const found = await listAssistantsAfter(query, after, chunkRows)
      for (const linked of found) {
        const { row, slots, labels, tools } = linked
        const { id, name, type, status } = row
        const isColumn = has(row.phone_number_id, row.folder_id, row.knowledgebase_id, ...labels, ...tools)
        if (isColumn || mayRefer(row.settings) || slots.some((it) => mayRefer(it.target))) {
          const inbound = slots.find((it) => it.event === 'inbound' && it.holder === 'webhook')
          yield { ...assistantFields(linked, vault), id, status, inbound_webhook_url: inbound?.target ?? null }
        } else if (needsTools) yield { id, name, type, status, tool_ids: tools }
      }
      const last = found.at(-1)
      if (!last || found.length < chunkRows) return
      after = last.row.id
      await letSignalsArrive()
    }
  },
  async *automate({ vault }, query, { mayRefer, has }) {
    const bindings = await listBindings(query, query.account)
    for (let after: AutomationPlace | undefined; ; ) {
      const found = await listAutomationsWithDefinitions(query, after, chunkRows)
      for (const row of found) {
        const { id, name, status } = row
        const binding = bindings.get(id) ?? null
        // One with secrets is sealed, so that its text is not known.
        const isSealed = !row.definition.startsWith('{')
        if (isSealed || has(binding?.assistant_id) || mayRefer(row.definition))
          yield { id, name, status, binding, definition: readDefinition(vault, row) }
      }
      after = found.at(-1)
      if (!after || found.length < chunkRows) return
      await letSignalsArrive()
    }
  },
  async *campaigns(_, query, { mayRefer, has }) {
    for (const campaign of await listCampaigns(query)) {
      const { row, numbers } = campaign
      if (has(row.assistant_id, row.sms_number_id, row.fallback_number_id, ...numbers) || mayRefer(row.settings))
        yield { ...campaignFields(campaign), id: row.id, status: row.status }
    }
  },
  async *senders(_, query, { has }) {
    for (const sender of await listAssignedSenders(query)) if (has(sender.assistant_id)) yield { ...sender }
  },
  async *tools(deps, query, { mayRefer }) {
    for (const { id, name, endpoint } of await toolService(deps).list(query.account))
      if (mayRefer(endpoint)) yield { id, name, endpoint }
  },
}

/** Returns what a search looks for in stored rows. */
function createSearch(id: string, name: string | undefined, needsTools: boolean): Search {
  const texts = ['{{', id, ...(name === undefined ? [] : [stringifyJson(name).slice(1, -1)])]
  return {
    mayRefer: (stored) => texts.some((it) => stored.includes(it)),
    has: (...ids) => ids.some((it) => String(it) === id),
    needsTools,
  }
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Returns what the wire has of a referring resource. */
function toItem({ id, name, phone_number, display_name, type, status, is_webhook_active }: LinkedItem) {
  const [phone, display, kind, state] = [phone_number, display_name, type, status].map(text)
  return {
    id: id as number | string,
    name: text(name) ?? null,
    ...(phone !== undefined && { phone_number: phone }),
    ...(display !== undefined && { display_name: display }),
    ...(kind !== undefined && { type: kind }),
    ...(state !== undefined && { status: state }),
    ...(typeof is_webhook_active === 'boolean' && { is_webhook_active }),
  }
}

const toWire = ({ from, item, id, ...link }: Link): FoundReference => ({
  from,
  item: toItem(item),
  id: id ?? null,
  ...link,
})

const isKind = (kind: string): kind is ResourceKind => Object.hasOwn(resourceLists, kind)

/**
 * Finds the references to a resource, expressions that may reference it, and which assistants use the tools among the
 * referring resources. @throws Failure 403 for a key that may not read all of them, 422 for an unknown kind
 */
export async function findReferences(
  deps: Deps,
  account: number,
  { kind, id, name, key }: { kind: string; id: string; name: string | undefined; key: RestrictedKey | undefined },
): Promise<{ data: FoundReference[]; searched: string[] }> {
  if (!isKind(kind))
    throw new Failure('invalid', {
      text: 'Validation failed',
      errors: { kind: [`The selected kind is invalid. Use one of ${Object.keys(resourceLists).join(', ')}.`] },
    })
  const searched = referringKinds(kind).filter((it) => readers[it] !== undefined)
  for (const from of searched) requireNoun(key, nounOf(resourceLists[from].name))
  const query = accountQuery(deps.connection.read, account)
  const search = createSearch(id, name, searched.includes('tools'))
  const isTarget = (link: Link): boolean =>
    link.to === kind &&
    (link.expression !== undefined || String(link.id) === id || (name !== undefined && link.id === name))
  const found: Link[] = []
  const uses: Link[] = []
  for (const from of searched)
    for await (const item of (readers[from] as Reader)(deps, query, search)) {
      const links = linksOf(from, item)
      const own = links.filter(isTarget)
      if (own.length > 0)
        // What is shown of a definition has no secrets.
        found.push(...(item.definition === undefined ? own : masked(from, item).filter(isTarget)))
      if (search.needsTools) uses.push(...links.filter((it) => it.by === toolsPath))
    }
  const tools = new Set(found.flatMap((it) => (it.from === 'tools' ? [String(it.item.id)] : [])))
  return { data: [...found, ...uses.filter((it) => tools.has(String(it.id)))].map(toWire), searched }
}

const masked = (from: ResourceKind, item: LinkedItem): Link[] =>
  linksOf(from, { ...item, definition: maskDefinition(item.definition as Parameters<typeof maskDefinition>[0]) })
