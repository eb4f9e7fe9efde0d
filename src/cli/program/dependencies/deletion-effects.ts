import type { Link, LinkedItem } from '../../../contract/references/resource-links.ts'
import type { ResourceKind } from '../../../contract/references/resource-references.ts'
import { resources } from '../resources/registry.ts'

/** Formats a resource for a sentence: `"Front desk" (2)`, `+14155550123 (4)`; only its id if it has no name. */
export function describeItem(item: LinkedItem): string {
  const { name, phone_number: phone, display_name: display, nickname, id } = item
  const called = [name, phone, display, nickname].find((it) => typeof it === 'string' && it !== '')
  return called === undefined ? String(id) : `${called === phone ? called : `"${called}"`} (${id})`
}

type EffectText = (link: Link, target: LinkedItem) => string

const describeAssistant = ({ item }: Link): string => `The assistant ${describeItem(item)}`
const describeCampaign = ({ item }: Link): string => `The campaign "${item.name}"`
const runningClause = ({ item }: Link): string =>
  item.status === 'in-progress' ? ', which is in progress,' : item.status === 'scheduled' ? ', which is scheduled,' : ''

const cannotSendEffect: EffectText = (link) => `${describeCampaign(link)}${runningClause(link)} can no longer send.`
const noFallbackEffect: EffectText = (link) => `${describeCampaign(link)}${runningClause(link)} loses its fallback.`

/**
 * Texts about the effect of deleting a referenced resource, by `from` and `by` of its link. They are for people, in questions and as
 * `loss` of `parley refs`: free to change. A reference without one is not mentioned, but `isLive` counts it.
 */
const effectTexts: Readonly<Record<string, EffectText>> = {
  'assistants.knowledgebase_id': (link) => `${describeAssistant(link)} can no longer search it.`,
  'assistants.folder_id': (link) => `${describeAssistant(link)} stays, uncategorized.`,
  'assistants.label_ids[]': (link) => `${describeAssistant(link)} loses the label.`,
  'assistants.tool_ids[]': (link) => `${describeAssistant(link)} can no longer use it during calls.`,
  'assistants.phone_number_id': (link, target) =>
    link.item.type === 'inbound'
      ? `Calls to ${target.phone_number ?? target.name ?? 'it'} are no longer answered: ${describeItem(link.item)} loses it.`
      : `${describeAssistant(link)} no longer calls from ${target.phone_number ?? target.name ?? 'it'}.`,
  'assistants.tools[].outbound_phone_id': (link) =>
    `${describeAssistant(link)} can no longer dial its supervisor, who is called from it.`,
  'assistants.tools[].assistant_id': (link) => `${describeAssistant(link)} no longer transfers to it.`,
  'assistants.address': (link) =>
    `${describeAssistant(link)} no longer sends its ${events[link.path] ?? link.path} webhook.`,
  'automate.binding.assistant_id': (link) => `The automation "${link.item.name}" loses its event.`,
  'automate.step': (link) => `The automation "${link.item.name}" fails at "${link.step}".`,
  'automate.address': (link) => `The automation "${link.item.name}" has no target at "${link.step}".`,
  'campaigns.assistant_id': (link) => `The campaign "${link.item.name}"${runningClause(link)} loses its assistant.`,
  'campaigns.phone_number_ids[]': (link) => `${describeCampaign(link)}${runningClause(link)} no longer calls from it.`,
  'campaigns.messaging_sender_id': cannotSendEffect,
  'campaigns.messaging_template_id': cannotSendEffect,
  'campaigns.sms_from_phone_number_id': cannotSendEffect,
  'campaigns.fallback_messaging_sender_id': noFallbackEffect,
  'campaigns.fallback_messaging_template_id': noFallbackEffect,
  'campaigns.fallback_sms_from_phone_number_id': noFallbackEffect,
  'senders.assistant_id': (link) =>
    `The sender ${describeItem(link.item)} loses its assistant, and can no longer send or receive messages.`,
  'tools.address': (link) => `The tool ${describeItem(link.item)} no longer gets a response from it.`,
}

const events: Readonly<Record<string, string>> = {
  webhook_url: 'post-call',
  conversation_ended_webhook_url: 'conversation-ended',
  inbound_webhook_url: 'inbound',
}

/**
 * Returns the effect of deleting the target of a link; undefined for targets that cannot be deleted, such as languages.
 */
export const deletionEffect = (link: Link, target: LinkedItem): string | undefined =>
  effectTexts[`${link.from}.${link.by}`]?.(link, target)

/**
 * Returns whether a link is in use now. A tool that calls an automation is in use if an assistant uses it: `used` has
 * the keys of such resources (`useKey`). Consent depends on it: a resource in use is
 * deleted only with a confirmation by its name.
 */
export function isLive({ from, item, by, path, to }: Link, used: ReadonlySet<string>): boolean {
  if (isGroupingKind(to)) return false
  if (by === 'address' && path === 'webhook_url' && item.is_webhook_active !== true) return false
  return resources[from].isActive?.(item) ?? used.has(useKey(from, item.id))
}

/** Returns the key of a resource in the set of those that are used. Compared in memory only: free to change. */
export const useKey = (resourceKind: ResourceKind, id: unknown): string => `${resourceKind} ${id}`

/** Returns whether a kind only groups resources, so that its deletion breaks nothing. */
export const isGroupingKind = (resourceKind: ResourceKind): boolean => resources[resourceKind].isGrouping === true
