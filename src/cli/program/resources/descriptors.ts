import type { Assistant } from '../../../contract/resources/assistants.ts'
import { keys } from '../../nouns/keys/resource.ts'
import { knowledge } from '../../nouns/knowledge/resource.ts'
import { labels } from '../../nouns/labels/resource.ts'
import { languages } from '../../nouns/languages/resource.ts'
import { leads } from '../../nouns/leads/resource.ts'
import { senders } from '../../nouns/messaging/senders.ts'
import { templates } from '../../nouns/messaging/templates.ts'
import { models } from '../../nouns/models/resource.ts'
import { numbers } from '../../nouns/numbers/resource.ts'
import { sipTrunks } from '../../nouns/sip-trunks/resource.ts'
import { synthesizers } from '../../nouns/synthesizers/resource.ts'
import { tools } from '../../nouns/tools/resource.ts'
import { transcribers } from '../../nouns/transcribers/resource.ts'
import { voices } from '../../nouns/voices/resource.ts'
import type { ResourceRecord } from '../updates/previous-record.ts'
import type { HistoryEndpoints } from './history-descriptor.ts'
import type { Action, ResourceDescriptor, ResourceName, WriteName } from './resource-descriptor.ts'

const assistants = {
  noun: 'assistants',
  singular: 'assistant',
  plural: 'assistants',
  showCommand: 'assistants get',
  list: 'assistants.list',
  parent: null,
  flags: ['--assistant', '--assistant-id'],
  argumentOf: [],
  writes: {
    'assistants.create': null,
    'assistants.update': 'update',
    'assistants.delete': 'delete',
    'assistants.setStatus': null,
    'assistants.enableConversationEndedWebhook': 'update',
    'assistants.disableConversationEndedWebhook': 'update',
    'assistants.enablePostCallWebhook': 'update',
    'assistants.disablePostCallWebhook': 'update',
    'assistants.enableInboundWebhook': 'update',
    'assistants.disableInboundWebhook': 'update',
  },
  sharedWrites: {},
  naturalKey: ['name'],
  writtenFields: {
    'assistants.enableConversationEndedWebhook': (it) => ({ conversation_ended_webhook_url: it.webhook_url }),
    'assistants.disableConversationEndedWebhook': () => ({ conversation_ended_webhook_url: null }),
    'assistants.enablePostCallWebhook': (it) => ({ webhook_url: it.webhook_url, is_webhook_active: true }),
    'assistants.disablePostCallWebhook': () => ({ webhook_url: null, is_webhook_active: false }),
    'assistants.enableInboundWebhook': (it) => ({ inbound_webhook_url: it.webhook_url }),
    'assistants.disableInboundWebhook': () => ({ inbound_webhook_url: null }),
  },
  loadHistory: async () => {
    const { assistants: of } = await import('../../../contract/resources/assistants.ts')
    const { maskAssistant } = await import('../secrets/assistant-credentials.ts')
    return {
      readers: [of.list],
      update: of.update,
      create: of.create,
      remove: of.delete,
      definitionFields: ['status'],
      separateWrites: {
        inbound_webhook_url: (url, id) =>
          typeof url === 'string'
            ? [of.enableInboundWebhook, { assistant_id: id, webhook_url: url }]
            : [of.disableInboundWebhook, { assistant_id: id }],
      },
      fieldCommands: {
        inbound_webhook_url: {
          verb: 'enable-webhook',
          flagsFor: (url) => [
            ['--event', 'inbound'],
            ['--webhook-url', String(url)],
          ],
        },
      },
      modeField: 'mode',
      toShown: maskAssistant,
      async confirmDeletion(context, live, confirmed) {
        const { confirmAssistantDeletion } = await import('../consent/confirm-assistant-deletion.ts')
        const { allAssistants } = await import('../../nouns/assistants/assistant-record.ts')
        const all: Assistant[] = []
        for await (const one of allAssistants(context)) all.push(one)
        const { target } = await import('../../nouns/assistants/view.ts')
        return confirmAssistantDeletion(context, live as unknown as Assistant, { all, target, confirmed })
      },
    }
  },
  loadTarget: async () => (await import('../../nouns/assistants/view.ts')).target,
  loadFileKind: async () => (await import('../../features/as-code/kinds/assistants.ts')).assistants,
  isActive: ({ status }: { readonly status?: unknown }) => status !== 'inactive',
  endpointChecks: {
    'replies.generate': { ownedReference: 'assistant_id' },
    'assistants.enableConversationEndedWebhook': { ownedReference: 'assistant_id' },
    'assistants.disableConversationEndedWebhook': { ownedReference: 'assistant_id' },
    'assistants.enablePostCallWebhook': { ownedReference: 'assistant_id' },
    'assistants.disablePostCallWebhook': { ownedReference: 'assistant_id' },
    'assistants.enableInboundWebhook': { ownedReference: 'assistant_id' },
    'assistants.disableInboundWebhook': { ownedReference: 'assistant_id' },
  },
} as const satisfies ResourceDescriptor

const automate = {
  noun: 'automate',
  singular: 'automation',
  plural: 'automations',
  showCommand: 'automate get',
  list: 'automate.list',
  parent: null,
  flags: [],
  argumentOf: [],
  writes: {
    'automate.create': null,
    'automate.apply': null,
    'automate.update': 'update',
    'automate.delete': 'delete',
    'automate.restore': 'restore',
    'automate.restoreVersion': 'restore',
    'automate.cancelRun': null,
    'automate.rerun': null,
    'automate.retry': null,
  },
  sharedWrites: {},
  naturalKey: ['name'],
  writtenFields: {
    'automate.update': ({ name, enabled }) => ({
      ...(name !== undefined && { name }),
      ...(enabled !== undefined && { status: enabled === true ? 'enabled' : 'disabled' }),
    }),
  },
  loadHistory: async () => {
    const { automate: of } = await import('../../../contract/resources/automate.ts')
    return {
      readers: [of.get],
      update: of.update,
      create: of.create,
      remove: of.delete,
      notRestored: 'Its versions and runs are not restored, and the URL of its webhook is new.',
      computedFields: ['webhook_url', 'live_version'],
      definitionFields: ['status', 'definition', 'binding'],
      dependentsOf: 'automate',
      document: (await import('../../features/automations/automation-history.ts')).automationHistory,
    }
  },
  loadTarget: async () => (await import('../../features/automations/commands/view.ts')).target,
  loadFileKind: async () => (await import('../../features/as-code/kinds/automations.ts')).automations,
  isActive: ({ status }: { readonly status?: unknown }) => status === 'enabled',
  hasDefinition: true,
  hasAddress: true,
  endpointChecks: {
    'automate.create': { dependentFields: ['bind_webhook', 'assistant_id', 'flow', 'sample'] },
    'automate.getRun': { parameters: { run_id: 'automate.listRuns' } },
    'automate.version': { query: { number: 1 } },
    'automate.runs': { order: { by: 'start_time', newest: true, isDocumented: true } },
    'automate.versions': { order: { by: 'number', newest: true } },
    'automate.templates': { isShared: true },
  },
} as const satisfies ResourceDescriptor

const calls = {
  noun: 'calls',
  singular: 'call',
  plural: 'calls',
  showCommand: 'calls get',
  list: 'calls.list',
  parent: null,
  flags: [],
  argumentOf: [],
  writes: { 'calls.stop': null, 'calls.delete': null },
  sharedWrites: {},
  naturalKey: null,
  loadReaders: async () => [(await import('../../../contract/resources/calls.ts')).calls.get],
  loadHistory: null,
  loadTarget: null,
  loadFileKind: null,
  endpointChecks: {
    'calls.list': { order: { by: 'created_at', newest: true } },
    'calls.start': { ownedReference: 'assistant_id' },
  },
} as const satisfies ResourceDescriptor

const campaigns = {
  noun: 'campaigns',
  singular: 'campaign',
  plural: 'campaigns',
  showCommand: 'campaigns get',
  list: 'campaigns.list',
  parent: null,
  flags: ['--campaign', '--campaign-id'],
  argumentOf: [],
  writes: { 'campaigns.create': null, 'campaigns.update': 'update', 'campaigns.delete': 'delete' },
  sharedWrites: {},
  naturalKey: ['name'],
  loadHistory: async () => {
    const { campaigns: of } = await import('../../../contract/resources/campaigns.ts')
    return {
      readers: [of.get, of.list],
      create: of.create,
      update: of.update,
      remove: of.delete,
      dependentsOf: 'campaigns',
      notRestored: 'Its leads are not restored, and it is a draft again.',
    }
  },
  loadTarget: async () => (await import('../../nouns/campaigns/view.ts')).target,
  loadFileKind: async () => (await import('../../features/as-code/kinds/campaigns.ts')).campaigns,
  isActive: ({ status }: { readonly status?: unknown }) => status === 'in-progress' || status === 'scheduled',
  hasEnded: ({ status }: { readonly status?: unknown }) => status === 'completed',
  endpointChecks: {
    'campaigns.updateStatus': { ownedReference: 'campaign_id' },
  },
} as const satisfies ResourceDescriptor

const conversations = {
  noun: 'conversations',
  singular: 'conversation',
  plural: 'conversations',
  showCommand: 'conversations get',
  list: 'conversations.list',
  parent: null,
  flags: [],
  argumentOf: [],
  writes: { 'conversations.create': null, 'conversations.enableAi': null, 'conversations.disableAi': null },
  sharedWrites: {},
  naturalKey: null,
  writtenFields: {
    'conversations.enableAi': () => ({ ai_enabled: true }),
    'conversations.disableAi': () => ({ ai_enabled: false }),
  },
  loadReaders: async () => [(await import('../../../contract/resources/conversations.ts')).conversations.list],
  loadHistory: null,
  loadTarget: null,
  loadFileKind: null,
  endpointChecks: {
    'conversations.list': { order: { by: 'created_at', newest: true } },
    'conversations.create': { ownedReference: 'assistant_id' },
  },
} as const satisfies ResourceDescriptor

const documents = {
  noun: 'knowledge documents',
  singular: 'document',
  plural: 'documents',
  showCommand: 'knowledge documents get',
  list: 'knowledge.listDocuments',
  parent: { list: 'knowledge.list', flag: '--knowledge' },
  flags: [],
  argumentOf: ['knowledge documents get', 'knowledge documents update', 'knowledge documents delete'],
  writes: {
    'knowledge.createDocument': null,
    'knowledge.updateDocument': 'update',
    'knowledge.deleteDocument': 'delete',
  },
  sharedWrites: {},
  naturalKey: ['name'],
  loadHistory: async () => {
    const { knowledge: of } = await import('../../../contract/resources/knowledge.ts')
    return {
      readers: [of.getDocument, of.listDocuments],
      update: of.updateDocument,
      remove: of.deleteDocument,
      pathParameters: ['id', 'docId'],
      notRestored:
        'The history does not save the content of documents. Add it again with "parley knowledge documents create".',
    }
  },
  loadTarget: null,
  loadFileKind: null,
  endpointChecks: { 'knowledge.getDocument': { parameters: { docId: 'knowledge.listDocuments' } } },
} as const satisfies ResourceDescriptor

const folders = {
  noun: 'folders',
  singular: 'folder',
  plural: 'folders',
  showCommand: 'folders list',
  list: 'folders.list',
  parent: null,
  flags: ['--folder-id'],
  argumentOf: [],
  writes: { 'folders.create': null, 'folders.update': 'update', 'folders.delete': 'delete' },
  sharedWrites: {},
  naturalKey: ['name'],
  loadHistory: async () => {
    const { folders: of } = await import('../../../contract/resources/folders.ts')
    return {
      readers: [of.list],
      update: of.update,
      create: of.create,
      remove: of.delete,
      dependentsOf: 'folders',
    }
  },
  loadTarget: async () => (await import('../../nouns/folders/view.ts')).target,
  loadFileKind: async () => (await import('../../features/as-code/kinds/groupings.ts')).folders,
  isGrouping: true,
  endpointChecks: {},
} as const satisfies ResourceDescriptor

const table = {
  assistants,
  automate,
  calls,
  campaigns,
  conversations,
  documents,
  folders,
  keys,
  knowledge,
  labels,
  languages,
  leads,
  models,
  numbers,
  senders,
  sipTrunks,
  synthesizers,
  templates,
  tools,
  transcribers,
  voices,
} as const satisfies Record<ResourceName, ResourceDescriptor>

type Table = typeof table
type Declared = { [Name in ResourceName]: keyof Table[Name]['writes'] }[ResourceName]
// A write that no descriptor declares is named by this type, and the file does not compile.
type Undeclared = Exclude<WriteName, Declared>
true satisfies [Undeclared] extends [never] ? true : ['Declare it in "writes" of its descriptor:', Undeclared]

/** Resources that are written to files. */
export type FileResource = {
  [Name in ResourceName]: Table[Name]['loadFileKind'] extends null ? never : Name
}[ResourceName]

/** The descriptor of every resource. */
export const resources: Readonly<Record<ResourceName, ResourceDescriptor>> = table

const all: readonly ResourceDescriptor[] = Object.values(resources)

/** Returns the resource that an endpoint writes in a command, and how; undefined for writes that are not recorded. */
export function findWrite(endpoint: string, commandName: string): readonly [ResourceDescriptor, Action] | undefined {
  const [written, action] = findWritten(endpoint, commandName) ?? []
  return written && action ? [written, action] : undefined
}

/** Returns the resource that an endpoint writes in a command, and how the history records it: null if it does not. */
export function findWritten(
  endpoint: string,
  commandName: string,
): readonly [ResourceDescriptor, Action | null] | undefined {
  const own = all.find((it) => Object.hasOwn(it.writes, endpoint))
  const sharing = all.find((it) => Object.hasOwn(it.sharedWrites, endpoint) && commandName.startsWith(it.noun))
  const action = sharing?.sharedWrites[endpoint as WriteName] ?? own?.writes[endpoint as WriteName] ?? null
  const written = sharing ?? own
  return written && [written, action]
}

/** A resource with history, and its endpoints. */
export interface RecordedResource extends HistoryEndpoints {
  readonly noun: string
  readonly singular: string
  readonly writtenFields?: Readonly<Record<string, (input: ResourceRecord) => ResourceRecord>>
}

/** Returns the noun of a resource as one word, for output and flags: `knowledge-documents`. */
export const nounToken = (noun: string): string => noun.replaceAll(' ', '-')

/** Returns the kind of a resource as one word, for output: `knowledge_base`. */
export const kindToken = (name: ResourceName): string => resources[name].singular.toLowerCase().replaceAll(' ', '_')

const recorded = all.filter((it) => it.loadHistory).map((it) => it.noun)

/** The nouns of resources with history, each as one word. */
export const recordedNouns: readonly string[] = recorded.map(nounToken)

/** Nouns as version 0.1 spelled them in `--noun`, with their current form. */
export const oldRecordedNouns: Readonly<Record<string, string>> = Object.fromEntries(
  recorded.filter((it) => it.includes(' ')).map((it) => [it, nounToken(it)]),
)

const pickWritten = ({ writtenFields }: ResourceDescriptor): Pick<RecordedResource, 'writtenFields'> =>
  writtenFields ? { writtenFields: writtenFields as NonNullable<RecordedResource['writtenFields']> } : {}

/** Loads a resource and the endpoints that read it; undefined if none does. */
export async function loadReadable(found: ResourceDescriptor): Promise<RecordedResource | undefined> {
  if (found.loadHistory) return loadRecorded(found.noun)
  const { noun, singular, loadReaders } = found
  return loadReaders && { noun, singular, ...pickWritten(found), readers: await loadReaders() }
}

/** Loads a resource with history by its noun. @throws TypeError for other nouns */
export async function loadRecorded(noun: string): Promise<RecordedResource> {
  const found = all.find((it) => it.noun === noun)
  if (!found?.loadHistory) throw new TypeError(`"${noun}" has no history.`)
  return { noun, singular: found.singular, ...pickWritten(found), ...(await found.loadHistory()) }
}

/** Lists that are read within another one, by endpoint name. */
export const parentLists: Readonly<Record<string, { readonly list: string; readonly flag: string }>> =
  Object.fromEntries(all.flatMap(({ list, parent }) => (parent ? [[list, parent]] : [])))

/** Endpoint names of lists by the flags that take one of their items. */
export const listOfFlag: Readonly<Record<string, string>> = Object.fromEntries(
  all.flatMap(({ list, flags }) => flags.map((flag) => [flag, list])),
)

/** The resource whose id or name a flag takes. */
export const resourceOfFlag: Readonly<Record<string, ResourceName>> = Object.fromEntries(
  Object.entries(resources).flatMap(([name, { flags }]) => flags.map((flag) => [flag, name as ResourceName])),
)

/** Returns the resource whose ids a field holds: senders for `sender_id`. Undefined for other fields. */
export function resourceOfField(field: string): ResourceName | undefined {
  if (!/_ids?$/.test(field)) return undefined
  const flag = `--${field.replaceAll('_', '-')}`
  return resourceOfFlag[flag] ?? resourceOfFlag[flag.replace(/-ids?$/, '')]
}

/** Endpoint names of lists by the commands whose argument is one of their items, besides those of their own noun. */
export const listOfArgument: Readonly<Record<string, string>> = Object.fromEntries(
  all.flatMap(({ list, argumentOf }) => argumentOf.map((words) => [words, list])),
)
