import type { Grouping } from '../../../contract/assistants/groupings.ts'
import type { HandlerInput } from '../../../contract/endpoint/endpoint.ts'
import type { folders } from '../../../contract/resources/folders.ts'
import type { contract } from '../../../contract/resources/index.ts'
import type { labels } from '../../../contract/resources/labels.ts'
import type { languages } from '../../../contract/resources/languages.ts'
import type { models } from '../../../contract/resources/models.ts'
import type { synthesizers } from '../../../contract/resources/synthesizers.ts'
import type { transcribers } from '../../../contract/resources/transcribers.ts'
import type { user } from '../../../contract/resources/user.ts'
import type { voices } from '../../../contract/resources/voices.ts'
import { fromMillionths } from '../../../contract/values/millionths.ts'
import { groupingService } from '../../services/assistants/grouping-service.ts'
import { catalogues } from '../../services/catalogues/catalogues.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { GroupingKind, GroupingWithCount } from '../../store/assistants/groupings.ts'
import { type Caller, type HandlersOf, type LoadedResource, loadedResource } from './handler.ts'

/** Creates the handlers of models. */
const modelHandlers = (): HandlersOf<typeof models> => ({
  list: ({ type }) => catalogues.models(type).map((it) => ({ ...it })),
})

/** Creates the handlers of synthesizers. */
const synthesizerHandlers = (): HandlersOf<typeof synthesizers> => ({
  list: ({ language_id }) => catalogues.synthesizers(language_id).map(({ id, name, code }) => ({ id, name, code })),
})

/** Creates the handlers of transcribers. */
const transcriberHandlers = (): HandlersOf<typeof transcribers> => ({
  list: ({ language_id }) => catalogues.transcribers(language_id).map(({ id, name, code }) => ({ id, name, code })),
})

/** Creates the handlers of languages. */
const languageHandlers = (): HandlersOf<typeof languages> => ({
  list: () => catalogues.languages().map(({ id, name, iso }) => ({ id, name, iso_2: iso })),
})

/** Creates the handlers of voices. */
const voiceHandlers = (): HandlersOf<typeof voices> => ({
  list: ({ mode, language_id }) =>
    catalogues.voices({ mode, languageId: language_id }).map((voice) => ({
      id: voice.id,
      name: voice.name,
      language_id: voice.languageId,
      gender: voice.gender,
      preview_url: voice.previewUrl,
      accent: voice.accent,
      age: voice.age,
      synthesizer_provider_id: voice.synthesizerId,
    })),
})

type Folders = typeof folders

/** Creates the handlers of folders. */
const folderHandlers = (deps: Deps): HandlersOf<typeof folders> => handlers(deps, 'folder', 'Folder')
/** Creates the handlers of labels. */
const labelHandlers = (deps: Deps): HandlersOf<typeof labels> => handlers(deps, 'label', 'Label')

function handlers(deps: Deps, kind: GroupingKind, title: string) {
  const service = groupingService(deps, kind)
  return {
    async list({ page, per_page }: HandlerInput<Folders['list']>, { account }: Caller) {
      const { rows, total } = await service.list(account.id, { page, perPage: per_page })
      return { data: rows.map(toWire), current_page: page, per_page, total }
    },
    create: async (draft: HandlerInput<Folders['create']>, { account }: Caller) => ({
      message: `${title} created successfully`,
      data: toWire(await service.create(account.id, draft)),
    }),
    update: async ({ id, ...change }: HandlerInput<Folders['update']>, { account }: Caller) => ({
      message: `${title} updated successfully`,
      data: toWire(await service.update(account.id, id, change)),
    }),
    async delete({ id }: HandlerInput<Folders['delete']>, { account }: Caller) {
      await service.delete(account.id, id)
      return { message: `${title} deleted successfully` }
    },
  }
}

const toWire = (row: GroupingWithCount): Grouping => ({
  id: row.id,
  name: row.name,
  color: row.color as Grouping['color'],
  assistants_count: row.assistants,
})

/**
 * Creates the handlers of the user. `total_balance` is in the account's unit: credits for tenants, minutes for direct
 * users.
 */
function userHandlers(): HandlersOf<typeof user> {
  return {
    me: (_, { account }) => ({
      name: account.name,
      email: account.email,
      total_balance: fromMillionths(account.balance),
    }),
  }
}

type ResourceLoader = (deps: Deps) => Promise<LoadedResource>

/** Chats and generated replies. */
const conversations = () => import('./conversations.ts')

/** Loaders of all resources of the contract. A resource without handlers does not compile. */
export const resourceLoaders: Readonly<Record<keyof typeof contract, ResourceLoader>> = {
  keys: async (deps) => (await import('./keys.ts')).keyResource(deps),
  approvals: async (deps) => (await import('./approvals.ts')).approvalResource(deps),
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
  conversations: async (deps) => (await conversations()).conversationResource(deps),
  automate: async (deps) => (await import('./automate.ts')).automationResource(deps),
  calls: async (deps) => (await import('./calls.ts')).callResource(deps),
  replies: async (deps) => (await conversations()).replyResource(deps),
  sms: async (deps) => (await import('./sms.ts')).smsResource(deps),
  campaigns: async (deps) => (await import('./campaigns.ts')).campaignResource(deps),
  leads: async (deps) => (await import('./leads.ts')).leadResource(deps),
  billing: async (deps) => (await import('./billing.ts')).billingResource(deps),
  user: async () => loadedResource((await import('../../../contract/resources/user.ts')).user, userHandlers()),
}
