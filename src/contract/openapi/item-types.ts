import type { Endpoint } from '../endpoint/endpoint.ts'
import * as z from '../schema/schema.ts'

type Json = Record<string, unknown>

/** Returns words of any spelling as the name of a type: `sipTrunks.list` as `SipTrunksList`. */
export const pascalCase = (text: string): string =>
  text.replace(/(?:^|[-_.]+)(\w)/g, (_, letter: string) => letter.toUpperCase())

/**
 * Names of the items of resources that are not called like the resource. They are names of types in OpenAPI documents and
 * in the client for applications: a renamed one breaks the programs that use it.
 */
const resourceItems: Readonly<Record<string, string>> = {
  keys: 'ApiKey',
  billing: 'BillingSummary',
  numbers: 'PhoneNumber',
  automate: 'Automation',
  knowledge: 'KnowledgeBase',
  replies: 'Reply',
}

/** Names of the items of lists that are not called like the items of their resource. */
const listItems: Readonly<Record<string, string>> = {
  'numbers.search': 'AvailableNumber',
  'messaging.senders': 'Sender',
  'messaging.listAssignments': 'SenderAssignment',
  'messaging.templates': 'MessageTemplate',
  'messaging.sessions': 'MessagingSession',
  'billing.usage': 'UsageRow',
  'user.references': 'FoundReference',
  'automate.listDefinitions': 'Automation',
  'automate.versions': 'AutomationVersion',
  'automate.runs': 'AutomationRun',
  'automate.listRuns': 'AccountRun',
  'automate.templates': 'AutomationTemplate',
  'knowledge.search': 'KnowledgePassage',
  'knowledge.listDocuments': 'KnowledgeDocument',
  'accounts.ledger': 'LedgerEntry',
  'connections.list': 'AccountConnection',
  'events.list': 'PlatformEvent',
  'events.listen': 'SignedEvent',
  'nodes.list': 'ServerNode',
  'requests.list': 'LoggedRequest',
}

/** Returns the name of one item of a resource: `Lead` for `leads`. */
export const resourceItem = (resource: string): string =>
  resourceItems[resource] ?? pascalCase(resource).replace(/ies$/, 'y').replace(/s$/, '')

/** Returns the name of the type of the items of a list: `Lead` for `leads.list`. */
export const itemName = ({ name }: Pick<Endpoint, 'name'>): string => {
  const [resource = '', verb = ''] = name.split('.')
  return listItems[name] ?? (verb === 'list' ? resourceItem(resource) : `${pascalCase(name)}Item`)
}

/**
 * Returns the JSON Schema of the items of a list, in the JSON Schema of its response. Undefined for other endpoints.
 * @throws Error if the response has no such list
 */
export function itemSchema({ items, name }: Endpoint, response: Json): Json | undefined {
  if (items === undefined) return undefined
  const [one] = [response, ...((response.anyOf ?? []) as Json[])].flatMap((candidate) => {
    const list = items === '' ? candidate : ((candidate.properties ?? {}) as Record<string, Json>)[items]
    return list?.items === undefined ? [] : [list.items as Json]
  })
  if (one === undefined) throw new Error(`${name} has no items ${items}`)
  return one
}

/** Returns the JSON Schema of a schema of the contract. Its definitions, such as recursive parts, are in `$defs`. */
export const toJsonSchema = (schema: z.ZodType, io: 'input' | 'output'): Json =>
  z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' }) as Json
