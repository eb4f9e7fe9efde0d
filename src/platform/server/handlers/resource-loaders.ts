import type { contract } from '../../../contract/resources/index.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { LoadedResource } from './handler.ts'

type ResourceLoader = (deps: Deps) => Promise<LoadedResource>

/** Models, voices and the other catalogues. */
const catalogues = () => import('./catalogues.ts')
/** Folders and labels. */
const groupings = () => import('./groupings.ts')
/** Chats and generated replies. */
const conversations = () => import('./conversations.ts')

/** Loaders of all resources of the contract. A resource without handlers does not compile. */
export const resourceLoaders: Readonly<Record<keyof typeof contract, ResourceLoader>> = {
  keys: async (deps) => (await import('./keys.ts')).keyResource(deps),
  approvals: async (deps) => (await import('./approvals.ts')).approvalResource(deps),
  tools: async (deps) => (await import('./tools.ts')).toolResource(deps),
  messaging: async (deps) => (await import('./messaging.ts')).messagingResource(deps),
  numbers: async (deps) => (await import('./numbers.ts')).numberResource(deps),
  models: async () => (await catalogues()).catalogueResources.models,
  synthesizers: async () => (await catalogues()).catalogueResources.synthesizers,
  transcribers: async () => (await catalogues()).catalogueResources.transcribers,
  voices: async () => (await catalogues()).catalogueResources.voices,
  languages: async () => (await catalogues()).catalogueResources.languages,
  folders: async (deps) => (await groupings()).folderResource(deps),
  labels: async (deps) => (await groupings()).labelResource(deps),
  knowledge: async (deps) => (await import('./knowledge.ts')).knowledgeResource(deps),
  sipTrunks: async (deps) => (await import('./sip-trunks.ts')).sipTrunkResource(deps),
  assistants: async (deps) => (await import('./assistants.ts')).assistantResource(deps),
  conversations: async (deps) => (await conversations()).conversationResource(deps),
  automate: async (deps) => (await import('./automate.ts')).automationResource(deps),
  calls: async (deps) => (await import('./calls.ts')).callResource(deps),
  replies: async (deps) => (await conversations()).replyResource(deps),
  sms: async (deps) => (await import('./sms.ts')).smsResource(deps),
  contacts: async (deps) => (await import('./contacts.ts')).contactResource(deps),
  campaigns: async (deps) => (await import('./campaigns.ts')).campaignResource(deps),
  leads: async (deps) => (await import('./leads.ts')).leadResource(deps),
  billing: async (deps) => (await import('./billing.ts')).billingResource(deps),
  user: async (deps) => (await import('./user.ts')).userResource(deps),
}
