import type { contract } from '../../../contract/resources/index.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import {
  languageHandlers,
  modelHandlers,
  synthesizerHandlers,
  transcriberHandlers,
  voiceHandlers,
} from './catalogues.ts'
import { folderHandlers, labelHandlers } from './groupings.ts'
import { type LoadedResource, loadedResource } from './handler.ts'
import { userHandlers } from './user.ts'

type ResourceLoader = (deps: Deps) => Promise<LoadedResource>

/** Loaders of all resources of the contract. A resource without handlers does not compile. */
export const resourceLoaders: Readonly<Record<keyof typeof contract, ResourceLoader>> = {
  keys: async (deps) => (await import('./keys.ts')).keyResource(deps),
  tools: async (deps) => (await import('./tools.ts')).toolResource(deps),
  messaging: async (deps) => (await import('./messaging.ts')).messagingResource(deps),
  numbers: async (deps) => (await import('./numbers.ts')).numberResource(deps),
  models: async () => loadedResource((await import('../../../contract/resources/models.ts')).models, modelHandlers()),
  synthesizers: async () =>
    loadedResource((await import('../../../contract/resources/synthesizers.ts')).synthesizers, synthesizerHandlers()),
  transcribers: async () =>
    loadedResource((await import('../../../contract/resources/transcribers.ts')).transcribers, transcriberHandlers()),
  voices: async () => loadedResource((await import('../../../contract/resources/voices.ts')).voices, voiceHandlers()),
  languages: async () =>
    loadedResource((await import('../../../contract/resources/languages.ts')).languages, languageHandlers()),
  folders: async (deps) =>
    loadedResource((await import('../../../contract/resources/folders.ts')).folders, folderHandlers(deps)),
  labels: async (deps) =>
    loadedResource((await import('../../../contract/resources/labels.ts')).labels, labelHandlers(deps)),
  knowledge: async (deps) => (await import('./knowledge.ts')).knowledgeResource(deps),
  sipTrunks: async (deps) => (await import('./sip-trunks.ts')).sipTrunkResource(deps),
  assistants: async (deps) => (await import('./assistants.ts')).assistantResource(deps),
  conversations: async (deps) => (await import('./conversations.ts')).conversationResource(deps),
  automate: async (deps) => (await import('./automate.ts')).automationResource(deps),
  calls: async (deps) => (await import('./calls.ts')).callResource(deps),
  replies: async (deps) => (await import('./replies.ts')).replyResource(deps),
  sms: async (deps) => (await import('./sms.ts')).smsResource(deps),
  campaigns: async (deps) => (await import('./campaigns.ts')).campaignResource(deps),
  leads: async (deps) => (await import('./leads.ts')).leadResource(deps),
  billing: async (deps) => (await import('./billing.ts')).billingResource(deps),
  user: async () => loadedResource((await import('../../../contract/resources/user.ts')).user, userHandlers()),
}
