import type { Endpoint } from '../endpoint/endpoint.ts'
import { assistants } from '../resources/assistants.ts'
import { automate } from '../resources/automate.ts'
import { campaigns } from '../resources/campaigns.ts'
import { folders } from '../resources/folders.ts'
import { knowledge } from '../resources/knowledge.ts'
import { labels } from '../resources/labels.ts'
import { languages } from '../resources/languages.ts'
import { messaging } from '../resources/messaging.ts'
import { models } from '../resources/models.ts'
import { numbers } from '../resources/numbers.ts'
import { sipTrunks } from '../resources/sip-trunks.ts'
import { synthesizers } from '../resources/synthesizers.ts'
import { tools } from '../resources/tools.ts'
import { transcribers } from '../resources/transcribers.ts'
import { voices } from '../resources/voices.ts'
import { type ReferencePath, toolsPath } from './reference-paths.ts'

/** List endpoint of each resource kind that an id can refer to. */
export const resourceLists = {
  assistants: assistants.list,
  automate: automate.list,
  campaigns: campaigns.list,
  folders: folders.list,
  knowledge: knowledge.list,
  labels: labels.list,
  languages: languages.list,
  models: models.list,
  numbers: numbers.list,
  senders: messaging.senders,
  sipTrunks: sipTrunks.list,
  synthesizers: synthesizers.list,
  templates: messaging.templates,
  tools: tools.list,
  transcribers: transcribers.list,
  voices: voices.list,
} as const satisfies Record<string, Endpoint>

export type ResourceKind = keyof typeof resourceLists

/** Field of a resource that holds the id of another resource. */
export interface Reference extends ReferencePath {
  readonly to: ResourceKind
  /** The platform accepts a name instead of the id, too. */
  readonly takesName?: true
}

/**
 * Reference fields by resource kind. References inside automation definitions are in `stepReferences`. `pull` and `push`
 * replace ids at these paths by names, and deletions, `refs` and `audit` find uses by them: a missing path hides a use.
 */
export const references = {
  assistants: [
    { path: 'voice_id', to: 'voices' },
    { path: 'language_id', to: 'languages' },
    { path: 'secondary_language_ids[]', to: 'languages' },
    { path: 'llm_model_id', to: 'models' },
    { path: 'multimodal_model_id', to: 'models' },
    { path: 'chat_llm_fallback_id', to: 'models' },
    { path: 'synthesizer_provider_id', to: 'synthesizers' },
    { path: 'transcriber_provider_id', to: 'transcribers' },
    { path: 'phone_number_id', to: 'numbers' },
    { path: 'knowledgebase_id', to: 'knowledge' },
    { path: 'folder_id', to: 'folders' },
    { path: 'label_ids[]', to: 'labels' },
    { path: toolsPath, to: 'tools' },
    { path: 'tools[].outbound_phone_id', to: 'numbers', when: ['type', 'warm_call_transfer'] },
    { path: 'tools[].assistant_id', to: 'assistants', when: ['type', 'assistant_transfer'] },
  ],
  automate: [{ path: 'binding.assistant_id', to: 'assistants' }],
  campaigns: [
    { path: 'assistant_id', to: 'assistants' },
    { path: 'phone_number_ids[]', to: 'numbers' },
    { path: 'messaging_sender_id', to: 'senders' },
    { path: 'messaging_template_id', to: 'templates' },
    { path: 'sms_from_phone_number_id', to: 'numbers' },
    { path: 'fallback_messaging_sender_id', to: 'senders' },
    { path: 'fallback_messaging_template_id', to: 'templates' },
    { path: 'fallback_sms_from_phone_number_id', to: 'numbers' },
  ],
  // Only platforms with the capability `sender-assistants` return the field.
  senders: [{ path: 'assistant_id', to: 'assistants' }],
  voices: [
    { path: 'language_id', to: 'languages' },
    { path: 'synthesizer_provider_id', to: 'synthesizers' },
  ],
} as const satisfies Partial<Record<ResourceKind, readonly Reference[]>>

/**
 * Fields that hold a URL. If it is the webhook of an automation, the field refers to that automation. Deletions find uses by
 * it, and promotions move the URLs to the other platform: a missing field hides a use.
 */
export const addressFields = {
  assistants: ['webhook_url', 'conversation_ended_webhook_url', 'inbound_webhook_url'],
  tools: ['endpoint'],
} as const satisfies Partial<Record<ResourceKind, readonly string[]>>

/**
 * Returns the id of the automation that a webhook URL belongs to; undefined for other URLs. The path is the end of
 * `webhooksPath` (contract/automations/webhook-path.ts), because platforms serve it under their own prefixes.
 */
export const automationIdAt = (address: string): string | undefined =>
  /\/api\/v1\/webhooks\/([\w-]{1,64})(?:\/(?:sync|test))?(?:[?#]|$)/.exec(address)?.[1]

/** Webhook URLs of automations in a text, recognized as `automationIdAt` does: what is before the path, the path, and the id. */
const addressPattern =
  /(https?:\/\/[^\s"'`<>]+?)?((?:\/[\w.~-]+)*?\/api\/v1\/webhooks\/)([\w-]{1,64})(?=(?:\/(?:sync|test))?(?:[?#\s"'`<>()[\]{},;.]|$))/g

/** Replaces the webhook URLs of automations in a text, without what follows the id. */
export const replaceAddresses = (
  text: string,
  replace: (address: {
    readonly url: string
    readonly base: string
    readonly path: string
    readonly id: string
  }) => string,
): string =>
  text.replaceAll(addressPattern, (url: string, base: string | undefined, path: string, id: string, at: number) =>
    // A path within a text follows an expression with the address of the platform.
    replace({ url, base: base ?? (at === 0 ? '' : '{{}}'), path, id }),
  )

/**
 * Fields of a step's `settings.input` that hold an id, by `triggerName` or `actionName`. Expressions are not resolved.
 * A template and a called automation may be given by their names. The keys are names of triggers and actions of
 * engine/pieces.
 */
export const stepReferences = {
  phoneCallEnded: { assistant: 'assistants' },
  inboundCall: { assistant: 'assistants' },
  newConversation: { assistant: 'assistants' },
  makePhoneCall: { assistant: 'assistants' },
  sendSms: { from: 'numbers' },
  sendTemplate: { sender: 'senders', template: 'templates' },
  sendMessage: { sender: 'senders' },
  addLead: { campaign: 'campaigns' },
  requeueLead: { campaign: 'campaigns' },
  callFlow: { flow: 'automate' },
} as const satisfies Record<string, Readonly<Record<string, ResourceKind>>>

/** Fields of a step's `settings.input` with the id of a record that has no name, with its noun. */
export const unnamedStepReferences = {
  requeueLead: { lead: 'lead' },
  deleteLead: { lead: 'lead' },
} as const satisfies Record<string, Readonly<Record<string, string>>>
