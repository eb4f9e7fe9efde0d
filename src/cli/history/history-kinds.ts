import type { Endpoint } from '../../contract/mechanics/endpoint.ts'

/** A kind of resource whose state is saved before a change. */
export interface HistoryKind {
  /** The noun of its commands. */
  readonly noun: string
  /** Singular noun for messages. */
  readonly singular: string
  /** The endpoints that return the complete resource; the first is used by default. */
  readonly readers: readonly [Endpoint, ...Endpoint[]]
  readonly update?: Endpoint
  /** The endpoint that recreates it. */
  readonly create?: Endpoint
  readonly remove?: Endpoint
  /** A sentence about parts that are not restored, or why it cannot be recreated. */
  readonly notRestored?: string
  /** Path parameters, the last of which is the id (default: `id`). */
  readonly pathParameters?: readonly string[]
}

export type Action = 'update' | 'delete' | 'restore' | 'create'

/** Kind of resource that each write changes, by endpoint name, so that other writes load nothing. */
const writeActions: Readonly<Record<string, readonly [noun: string, action: Action]>> = {
  'assistants.update': ['assistants', 'update'],
  'assistants.enableConversationEndedWebhook': ['assistants', 'update'],
  'assistants.disableConversationEndedWebhook': ['assistants', 'update'],
  'assistants.enablePostCallWebhook': ['assistants', 'update'],
  'assistants.disablePostCallWebhook': ['assistants', 'update'],
  'assistants.enableInboundWebhook': ['assistants', 'update'],
  'assistants.disableInboundWebhook': ['assistants', 'update'],
  'assistants.delete': ['assistants', 'delete'],
  'tools.update': ['tools', 'update'],
  'tools.delete': ['tools', 'delete'],
  'automate.update': ['automate', 'update'],
  'automate.delete': ['automate', 'delete'],
  'automate.restore': ['automate', 'restore'],
  'automate.restoreVersion': ['automate', 'restore'],
  'numbers.update': ['numbers', 'update'],
  'numbers.release': ['numbers', 'delete'],
  'sipTrunks.update': ['sip-trunks', 'update'],
  'campaigns.delete': ['campaigns', 'delete'],
  'leads.update': ['leads', 'update'],
  'leads.delete': ['leads', 'delete'],
  'labels.update': ['labels', 'update'],
  'labels.delete': ['labels', 'delete'],
  'folders.update': ['folders', 'update'],
  'folders.delete': ['folders', 'delete'],
  'knowledge.update': ['knowledge', 'update'],
  'knowledge.delete': ['knowledge', 'delete'],
  'knowledge.updateDocument': ['knowledge documents', 'update'],
  'knowledge.deleteDocument': ['knowledge documents', 'delete'],
}

/**
 * Returns the kind of resource that a write changes, and how; undefined for other writes. A SIP trunk is released as a
 * number.
 */
export function findChange(endpoint: string, words: string): readonly [noun: string, action: Action] | undefined {
  const found = Object.hasOwn(writeActions, endpoint) ? writeActions[endpoint] : undefined
  return found && endpoint === 'numbers.release' && words.startsWith('sip-trunks') ? ['sip-trunks', found[1]] : found
}

const loaders: Readonly<Record<string, () => Promise<HistoryKind>>> = {
  async assistants() {
    const { assistants: of } = await import('../../contract/resources/assistants.ts')
    return {
      noun: 'assistants',
      singular: 'assistant',
      readers: [of.list],
      update: of.update,
      create: of.create,
      remove: of.delete,
    }
  },
  async tools() {
    const { tools: of } = await import('../../contract/resources/tools.ts')
    return {
      noun: 'tools',
      singular: 'tool',
      readers: [of.get, of.list],
      update: of.update,
      create: of.create,
      remove: of.delete,
    }
  },
  async automate() {
    const { automate: of } = await import('../../contract/resources/automate.ts')
    const lost = 'Its versions and runs are not restored.'
    return {
      noun: 'automate',
      singular: 'automation',
      readers: [of.get],
      update: of.update,
      create: of.create,
      remove: of.delete,
      notRestored: lost,
    }
  },
  async numbers() {
    const { numbers: of } = await import('../../contract/resources/numbers.ts')
    const lost = 'Buy a released number again while it is available: parley numbers buy.'
    return { noun: 'numbers', singular: 'number', readers: [of.list], update: of.update, notRestored: lost }
  },
  async 'sip-trunks'() {
    const { sipTrunks: of } = await import('../../contract/resources/sip-trunks.ts')
    const { numbers } = await import('../../contract/resources/numbers.ts')
    return {
      noun: 'sip-trunks',
      singular: 'SIP trunk',
      readers: [of.get],
      update: of.update,
      create: of.create,
      remove: numbers.release,
    }
  },
  async campaigns() {
    const { campaigns: of } = await import('../../contract/resources/campaigns.ts')
    const lost = 'Its leads are not restored, and it is a draft again.'
    return {
      noun: 'campaigns',
      singular: 'campaign',
      readers: [of.get, of.list],
      create: of.create,
      remove: of.delete,
      notRestored: lost,
    }
  },
  async leads() {
    const { leads: of } = await import('../../contract/resources/leads.ts')
    const lost = 'It is queued as a new lead.'
    return {
      noun: 'leads',
      singular: 'lead',
      readers: [of.list],
      update: of.update,
      create: of.create,
      remove: of.delete,
      notRestored: lost,
    }
  },
  async labels() {
    const { labels: of } = await import('../../contract/resources/labels.ts')
    return {
      noun: 'labels',
      singular: 'label',
      readers: [of.list],
      update: of.update,
      create: of.create,
      remove: of.delete,
    }
  },
  async folders() {
    const { folders: of } = await import('../../contract/resources/folders.ts')
    return {
      noun: 'folders',
      singular: 'folder',
      readers: [of.list],
      update: of.update,
      create: of.create,
      remove: of.delete,
    }
  },
  async knowledge() {
    const { knowledge: of } = await import('../../contract/resources/knowledge.ts')
    const lost = 'Its documents are not restored. Add them again.'
    return {
      noun: 'knowledge',
      singular: 'knowledge base',
      readers: [of.get, of.list],
      update: of.update,
      create: of.create,
      remove: of.delete,
      notRestored: lost,
    }
  },
  async 'knowledge documents'() {
    const { knowledge: of } = await import('../../contract/resources/knowledge.ts')
    const lost =
      'The history does not save the content of documents. Add it again with "parley knowledge documents create".'
    return {
      noun: 'knowledge documents',
      singular: 'document',
      readers: [of.getDocument, of.listDocuments],
      update: of.updateDocument,
      remove: of.deleteDocument,
      pathParameters: ['id', 'docId'],
      notRestored: lost,
    }
  },
}

/** Returns the noun of a history kind as one word, for output and flags: `knowledge-documents`. */
export const historyNounToken = (noun: string): string => noun.replaceAll(' ', '-')

/** All nouns with history, each as one word. */
export const historyNouns = Object.keys(loaders).map(historyNounToken)

/** Nouns as version 0.1 spelled them in `--noun`. */
export const oldHistoryNouns: Readonly<Record<string, string>> = Object.fromEntries(
  Object.keys(loaders).flatMap((it) => (it.includes(' ') ? [[it, historyNounToken(it)]] : [])),
)

/** Loads a history kind. @throws TypeError for an unknown noun */
export const loadHistoryKind = (noun: string): Promise<HistoryKind> => (loaders[noun] as () => Promise<HistoryKind>)()

/** Returns the path parameters of a resource from the input of a write. */
export function idsOf(
  { pathParameters = ['id'] }: HistoryKind,
  input: Readonly<Record<string, unknown>>,
): Record<string, number | string> {
  const own = (name: string): unknown => input[name] ?? (name === 'id' ? input.assistant_id : undefined)
  return Object.fromEntries(pathParameters.map((name) => [name, own(name) as number | string]))
}
