import type { EndpointDefinition, Endpoint } from '../contract/endpoint.ts'
import type { Deps } from '../services/deps.ts'
import type { AccountRow } from '../store/accounts.ts'
import type { Handler } from './handler.ts'

/** Every endpoint of a resource beside its handler. Loaded when the first request for the resource arrives. */
export interface LoadedResource {
  readonly endpoints: Readonly<Record<string, Endpoint>>
  readonly handlers: Readonly<Record<string, Handler<EndpointDefinition>>>
  /** The status of an answer, where an endpoint has several. */
  readonly statusOf?: (verb: string, answer: unknown) => number | undefined
  /** Whose business a request without a key is, by what it names; undefined where that is nobody's. */
  readonly findOwner?: (input: Readonly<Record<string, unknown>>) => Promise<AccountRow | undefined>
}

type ResourceLoader = (deps: Deps) => Promise<LoadedResource>

const loadedResource = (endpoints: object, handlers: object): LoadedResource => ({ endpoints, handlers }) as LoadedResource

/** The resources that are built. What the contract declares beyond them stands in the list of planned endpoints. */
export const resourceLoaders: Readonly<Record<string, ResourceLoader>> = {
  keys: async (deps) => loadedResource((await import('../contract/keys.ts')).keys, (await import('./handlers/keys.ts')).keyHandlers(deps)),
  tools: async (deps) => loadedResource((await import('../contract/tools.ts')).tools, (await import('./handlers/tools.ts')).toolHandlers(deps)),
  messaging: async (deps) => loadedResource((await import('../contract/messaging.ts')).messaging, (await import('./handlers/messaging.ts')).messagingHandlers(deps)),
  numbers: async (deps) => loadedResource((await import('../contract/numbers.ts')).numbers, (await import('./handlers/numbers.ts')).numberHandlers(deps)),
  models: async () => loadedResource((await import('../contract/models.ts')).models, (await import('./handlers/catalogues.ts')).modelHandlers()),
  synthesizers: async () =>
    loadedResource((await import('../contract/synthesizers.ts')).synthesizers, (await import('./handlers/catalogues.ts')).synthesizerHandlers()),
  transcribers: async () =>
    loadedResource((await import('../contract/transcribers.ts')).transcribers, (await import('./handlers/catalogues.ts')).transcriberHandlers()),
  voices: async () => loadedResource((await import('../contract/voices.ts')).voices, (await import('./handlers/catalogues.ts')).voiceHandlers()),
  languages: async () => loadedResource((await import('../contract/languages.ts')).languages, (await import('./handlers/catalogues.ts')).languageHandlers()),
  folders: async (deps) => loadedResource((await import('../contract/folders.ts')).folders, (await import('./handlers/groupings.ts')).folderHandlers(deps)),
  labels: async (deps) => loadedResource((await import('../contract/labels.ts')).labels, (await import('./handlers/groupings.ts')).labelHandlers(deps)),
  knowledge: async (deps) => loadedResource((await import('../contract/knowledge.ts')).knowledge, (await import('./handlers/knowledge.ts')).knowledgeHandlers(deps)),
  sipTrunks: async (deps) => loadedResource((await import('../contract/sip-trunks.ts')).sipTrunks, (await import('./handlers/sip-trunks.ts')).sipTrunkHandlers(deps)),
  assistants: async (deps) =>
    loadedResource((await import('../contract/assistants.ts')).assistants, (await import('./handlers/assistants.ts')).assistantHandlers(deps)),
  async conversations(deps) {
    const { conversationHandlers, conversationOwner } = await import('./handlers/conversations.ts')
    return { ...loadedResource((await import('../contract/conversations.ts')).conversations, conversationHandlers(deps)), findOwner: conversationOwner(deps) }
  },
  async automate(deps) {
    const { automationHandlers, statusOf } = await import('./handlers/automate.ts')
    return { ...loadedResource((await import('../contract/automate.ts')).automate, automationHandlers(deps)), statusOf }
  },
  calls: async (deps) => loadedResource((await import('../contract/calls.ts')).calls, (await import('./handlers/calls.ts')).callHandlers(deps)),
  replies: async (deps) => loadedResource((await import('../contract/replies.ts')).replies, (await import('./handlers/replies.ts')).replyHandlers(deps)),
  sms: async (deps) => loadedResource((await import('../contract/sms.ts')).sms, (await import('./handlers/sms.ts')).smsHandlers(deps)),
  campaigns: async (deps) => loadedResource((await import('../contract/campaigns.ts')).campaigns, (await import('./handlers/campaigns.ts')).campaignHandlers(deps)),
  leads: async (deps) => loadedResource((await import('../contract/leads.ts')).leads, (await import('./handlers/leads.ts')).leadHandlers(deps)),
  user: async () => loadedResource((await import('../contract/user.ts')).user, (await import('./handlers/user.ts')).userHandlers()),
}
