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
import { type LoadedResource, loadedResource } from './loaded-resource.ts'
import { userHandlers } from './user.ts'

type ResourceLoader = (deps: Deps) => Promise<LoadedResource>

/** Loaders of all resources of the contract. A resource without handlers does not compile. */
export const resourceLoaders: Readonly<Record<keyof typeof contract, ResourceLoader>> = {
  keys: async (deps) =>
    loadedResource(
      (await import('../../../contract/resources/keys.ts')).keys,
      (await import('./keys.ts')).keyHandlers(deps),
    ),
  async tools(deps) {
    const { storedToolType, toolHandlers } = await import('./tools.ts')
    return {
      ...loadedResource((await import('../../../contract/resources/tools.ts')).tools, toolHandlers(deps)),
      storedCondition: storedToolType(deps),
    }
  },
  messaging: async (deps) =>
    loadedResource(
      (await import('../../../contract/resources/messaging.ts')).messaging,
      (await import('./messaging.ts')).messagingHandlers(deps),
    ),
  numbers: async (deps) =>
    loadedResource(
      (await import('../../../contract/resources/numbers.ts')).numbers,
      (await import('./numbers.ts')).numberHandlers(deps),
    ),
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
  knowledge: async (deps) =>
    loadedResource(
      (await import('../../../contract/resources/knowledge.ts')).knowledge,
      (await import('./knowledge.ts')).knowledgeHandlers(deps),
    ),
  sipTrunks: async (deps) =>
    loadedResource(
      (await import('../../../contract/resources/sip-trunks.ts')).sipTrunks,
      (await import('./sip-trunks.ts')).sipTrunkHandlers(deps),
    ),
  async assistants(deps) {
    const { assistantHandlers, storedMode } = await import('./assistants.ts')
    return {
      ...loadedResource(
        (await import('../../../contract/resources/assistants.ts')).assistants,
        assistantHandlers(deps),
      ),
      storedCondition: storedMode(deps),
    }
  },
  async conversations(deps) {
    const { conversationHandlers, conversationOwner } = await import('./conversations.ts')
    return {
      ...loadedResource(
        (await import('../../../contract/resources/conversations.ts')).conversations,
        conversationHandlers(deps),
      ),
      findOwner: conversationOwner(deps),
    }
  },
  async automate(deps) {
    const { automationHandlers, statusOf } = await import('./automate.ts')
    return {
      ...loadedResource((await import('../../../contract/resources/automate.ts')).automate, automationHandlers(deps)),
      statusOf,
    }
  },
  calls: async (deps) =>
    loadedResource(
      (await import('../../../contract/resources/calls.ts')).calls,
      (await import('./calls.ts')).callHandlers(deps),
    ),
  replies: async (deps) =>
    loadedResource(
      (await import('../../../contract/resources/replies.ts')).replies,
      (await import('./replies.ts')).replyHandlers(deps),
    ),
  sms: async (deps) =>
    loadedResource(
      (await import('../../../contract/resources/sms.ts')).sms,
      (await import('./sms.ts')).smsHandlers(deps),
    ),
  async campaigns(deps) {
    const { campaignHandlers, storedChannel } = await import('./campaigns.ts')
    return {
      ...loadedResource((await import('../../../contract/resources/campaigns.ts')).campaigns, campaignHandlers(deps)),
      storedCondition: storedChannel(deps),
    }
  },
  leads: async (deps) =>
    loadedResource(
      (await import('../../../contract/resources/leads.ts')).leads,
      (await import('./leads.ts')).leadHandlers(deps),
    ),
  billing: async (deps) =>
    loadedResource(
      (await import('../../../contract/resources/billing.ts')).billing,
      (await import('./billing.ts')).billingHandlers(deps),
    ),
  user: async () => loadedResource((await import('../../../contract/resources/user.ts')).user, userHandlers()),
}
