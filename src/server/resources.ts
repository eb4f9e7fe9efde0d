import type { Definition, Endpoint } from '../contract/endpoint.ts'
import type { Deps } from '../services/deps.ts'
import type { AccountRow } from '../store/accounts.ts'
import type { Handler } from './handler.ts'

/** Every endpoint of a resource beside its handler. Loaded when the first request for the resource arrives. */
export interface Served {
  readonly endpoints: Readonly<Record<string, Endpoint>>
  readonly handlers: Readonly<Record<string, Handler<Definition>>>
  /** The status of an answer, where an endpoint has several. */
  readonly statusOf?: (verb: string, answer: unknown) => number | undefined
  /** Whose business a request without a key is, by what it names; undefined where that is nobody's. */
  readonly owner?: (input: Readonly<Record<string, unknown>>) => Promise<AccountRow | undefined>
}

type Loader = (deps: Deps) => Promise<Served>

const served = (endpoints: object, handlers: object): Served => ({ endpoints, handlers }) as Served

/** The resources that are built. What the contract declares beyond them stands in the list of planned endpoints. */
export const resources: Readonly<Record<string, Loader>> = {
  keys: async (deps) => served((await import('../contract/keys.ts')).keys, (await import('./handlers/keys.ts')).keyHandlers(deps)),
  tools: async (deps) => served((await import('../contract/tools.ts')).tools, (await import('./handlers/tools.ts')).toolHandlers(deps)),
  messaging: async (deps) => served((await import('../contract/messaging.ts')).messaging, (await import('./handlers/messaging.ts')).messagingHandlers(deps)),
  numbers: async (deps) => served((await import('../contract/numbers.ts')).numbers, (await import('./handlers/numbers.ts')).numberHandlers(deps)),
  models: async () => served((await import('../contract/models.ts')).models, (await import('./handlers/catalogues.ts')).modelHandlers()),
  synthesizers: async () =>
    served((await import('../contract/synthesizers.ts')).synthesizers, (await import('./handlers/catalogues.ts')).synthesizerHandlers()),
  transcribers: async () =>
    served((await import('../contract/transcribers.ts')).transcribers, (await import('./handlers/catalogues.ts')).transcriberHandlers()),
  voices: async () => served((await import('../contract/voices.ts')).voices, (await import('./handlers/catalogues.ts')).voiceHandlers()),
  languages: async () => served((await import('../contract/languages.ts')).languages, (await import('./handlers/catalogues.ts')).languageHandlers()),
  folders: async (deps) => served((await import('../contract/folders.ts')).folders, (await import('./handlers/groupings.ts')).folderHandlers(deps)),
  labels: async (deps) => served((await import('../contract/labels.ts')).labels, (await import('./handlers/groupings.ts')).labelHandlers(deps)),
  knowledge: async (deps) => served((await import('../contract/knowledge.ts')).knowledge, (await import('./handlers/knowledge.ts')).knowledgeHandlers(deps)),
  sipTrunks: async (deps) => served((await import('../contract/sip-trunks.ts')).sipTrunks, (await import('./handlers/sip-trunks.ts')).sipTrunkHandlers(deps)),
  assistants: async (deps) =>
    served((await import('../contract/assistants.ts')).assistants, (await import('./handlers/assistants.ts')).assistantHandlers(deps)),
  async conversations(deps) {
    const { conversationHandlers, conversationOwner } = await import('./handlers/conversations.ts')
    return { ...served((await import('../contract/conversations.ts')).conversations, conversationHandlers(deps)), owner: conversationOwner(deps) }
  },
  async automate(deps) {
    const { automationHandlers, statusOf } = await import('./handlers/automate.ts')
    return { ...served((await import('../contract/automate.ts')).automate, automationHandlers(deps)), statusOf }
  },
  calls: async (deps) => served((await import('../contract/calls.ts')).calls, (await import('./handlers/calls.ts')).callHandlers(deps)),
  replies: async (deps) => served((await import('../contract/replies.ts')).replies, (await import('./handlers/replies.ts')).replyHandlers(deps)),
  sms: async (deps) => served((await import('../contract/sms.ts')).sms, (await import('./handlers/sms.ts')).smsHandlers(deps)),
  campaigns: async (deps) => served((await import('../contract/campaigns.ts')).campaigns, (await import('./handlers/campaigns.ts')).campaignHandlers(deps)),
  leads: async (deps) => served((await import('../contract/leads.ts')).leads, (await import('./handlers/leads.ts')).leadHandlers(deps)),
  user: async () => served((await import('../contract/user.ts')).user, (await import('./handlers/user.ts')).userHandlers()),
}
