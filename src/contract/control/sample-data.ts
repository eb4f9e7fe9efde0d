import { type Reference, type ResourceKind, references } from '../references/resource-references.ts'
import { assistants } from '../resources/assistants.ts'
import { automate } from '../resources/automate.ts'
import { campaigns } from '../resources/campaigns.ts'
import { folders } from '../resources/folders.ts'
import { knowledge } from '../resources/knowledge.ts'
import { labels } from '../resources/labels.ts'
import { sipTrunks } from '../resources/sip-trunks.ts'
import { tools } from '../resources/tools.ts'
import * as z from '../schema/schema.ts'
import { connections } from './connections.ts'
import {
  assistantRecord,
  automationRecord,
  CallRecord,
  ConversationRecord,
  campaignRecord,
  connectionRecord,
  groupingRecord,
  KeyRecord,
  knowledgeRecord,
  NumberRecord,
  reference,
  SenderRecord,
  times,
  toolRecord,
} from './sample-data-records.ts'

/**
 * Version of the format of sample data. Users have files with it, and another one is refused: a field that is added does not
 * change it.
 */
export const sampleDataVersion = 1

/** A list of an account in sample data. */
export interface SampleList {
  /** Kind by which other records refer to its records. */
  readonly to?: ResourceKind
  /** Field with the name of a record. */
  readonly nameField: 'name' | 'phone_number'
  /** Fields of the request that creates such a record; the format is that of the files of `parley pull`. */
  readonly body?: z.ZodObject
  /** Fields that no request can set. */
  readonly record: z.ZodObject
  readonly references?: readonly Reference[]
}

/** Headers of a tool. An export without secrets has masks in the place of credentials, which HTTP could not send. */
const shownHeaders = z
  .array(z.object({ name: z.string(), value: z.string() }))
  .default([])
  .describe('Headers to send')

const assistant = { path: 'assistant_id', to: 'assistants' } as const

/** The lists of an account in sample data, in the order in which they are written and loaded. */
export const sampleLists = {
  keys: { nameField: 'name', record: KeyRecord },
  folders: { to: 'folders', nameField: 'name', body: folders.create.body, record: groupingRecord },
  labels: { to: 'labels', nameField: 'name', body: labels.create.body, record: groupingRecord },
  connections: { nameField: 'name', body: connections.add.body, record: connectionRecord },
  tools: {
    to: 'tools',
    nameField: 'name',
    body: tools.create.body.extend({ headers: shownHeaders }),
    record: toolRecord,
  },
  knowledge: { to: 'knowledge', nameField: 'name', body: knowledge.create.body, record: knowledgeRecord },
  numbers: { to: 'numbers', nameField: 'phone_number', record: NumberRecord },
  sip_trunks: {
    to: 'numbers',
    nameField: 'phone_number',
    body: sipTrunks.create.body,
    record: z.object({ ...reference, ...times }),
  },
  assistants: {
    to: 'assistants',
    nameField: 'name',
    body: assistants.create.body,
    record: assistantRecord,
    references: references.assistants,
  },
  senders: { to: 'senders', nameField: 'phone_number', record: SenderRecord, references: [assistant] },
  automations: {
    to: 'automate',
    nameField: 'name',
    body: automate.create.body.omit({ sample: true, confirm_side_effects: true }),
    record: automationRecord,
    references: [assistant],
  },
  campaigns: {
    to: 'campaigns',
    nameField: 'name',
    body: campaigns.create.body,
    record: campaignRecord,
    references: references.campaigns,
  },
  conversations: {
    nameField: 'name',
    record: ConversationRecord,
    references: [assistant, { path: 'sender_id', to: 'senders' }],
  },
  calls: { nameField: 'name', record: CallRecord, references: [assistant, { path: 'campaign_id', to: 'campaigns' }] },
} as const satisfies Record<string, SampleList>

export type SampleListName = keyof typeof sampleLists

/** Names of the lists of an account, in order. */
export const sampleListNames = Object.keys(sampleLists) as readonly SampleListName[]

/** Fields of the request that may be missing in sample data, because they are secrets. */
export const optionalSecrets: Readonly<Partial<Record<SampleListName, readonly string[]>>> = {
  sip_trunks: ['sip_password'],
}

/** Top level of a document. The lists of accounts are checked one record at a time. */
export const SampleDocument = z.object({
  $schema: z.string().optional(),
  version: z.literal(sampleDataVersion, { error: `The version field must be ${sampleDataVersion}.` }),
  accounts: z.array(z.record(z.string(), z.unknown())).min(1),
})

type Fields = Readonly<Record<string, unknown>>

/** Sample data: accounts with lists of records that refer to each other by name. */
export interface SampleData {
  readonly $schema?: string
  readonly version: typeof sampleDataVersion
  readonly accounts: readonly (Fields & { readonly [K in SampleListName]?: readonly Fields[] })[]
}
