import type { Thing } from '../../contract/references.ts'
import type { Item, Link } from './links.ts'

/** A thing in a sentence: `"Front desk" (2)`, `+14155550123 (4)`; its id alone where it has no name. */
export function calledIn(item: Item): string {
  const { name, phone_number: phone, display_name: display, nickname, id } = item
  const called = [name, phone, display, nickname].find((it) => typeof it === 'string' && it !== '')
  return called === undefined ? String(id) : `${called === phone ? called : `"${called}"`} (${id})`
}

type Loss = (link: Link, target: Item) => string

const it = ({ item }: Link): string => `The assistant ${calledIn(item)}`
const campaign = ({ item }: Link): string => `The campaign "${item.name}"`
const running = ({ item }: Link): string =>
  item.status === 'in-progress' ? ', which is in progress,' : item.status === 'scheduled' ? ', which is scheduled,' : ''

const cannotSend: Loss = (link) => `${campaign(link)}${running(link)} can no longer send.`
const noFallback: Loss = (link) => `${campaign(link)}${running(link)} loses its fallback.`

/** What is lost when what a field points to goes: a sentence for each entry of the table of references. */
const losses: Readonly<Record<string, Loss>> = {
  'assistants.knowledgebase_id': (link) => `${it(link)} can no longer look anything up in it.`,
  'assistants.folder_id': (link) => `${it(link)} stays, uncategorized.`,
  'assistants.label_ids[]': (link) => `${it(link)} loses the label.`,
  'assistants.tool_ids[]': (link) => `${it(link)} can no longer use it while it talks.`,
  'assistants.phone_number_id': (link, target) =>
    link.item.type === 'inbound'
      ? `Nobody answers ${target.phone_number ?? target.name ?? 'it'} any more: ${calledIn(link.item)} loses it.`
      : `${it(link)} no longer calls from ${target.phone_number ?? target.name ?? 'it'}.`,
  'assistants.tools[].outbound_phone_id': (link) => `${it(link)} can no longer dial its supervisor, who is called from it.`,
  'assistants.tools[].assistant_id': (link) => `${it(link)} no longer transfers to it.`,
  'assistants.address': (link) => `${it(link)} tells its ${events[link.path] ?? link.path} webhook to nobody.`,
  'automate.binding.assistant_id': (link) => `The automation "${link.item.name}" loses its event.`,
  'automate.step': (link) => `The automation "${link.item.name}" fails at "${link.step}".`,
  'automate.address': (link) => `The automation "${link.item.name}" asks nobody at "${link.step}".`,
  'campaigns.assistant_id': (link) => `The campaign "${link.item.name}"${running(link)} loses its assistant.`,
  'campaigns.phone_number_ids[]': (link) => `${campaign(link)}${running(link)} no longer calls from it.`,
  'campaigns.messaging_sender_id': cannotSend,
  'campaigns.messaging_template_id': cannotSend,
  'campaigns.sms_from_phone_number_id': cannotSend,
  'campaigns.fallback_messaging_sender_id': noFallback,
  'campaigns.fallback_messaging_template_id': noFallback,
  'campaigns.fallback_sms_from_phone_number_id': noFallback,
  'tools.address': (link) => `The tool ${calledIn(link.item)} asks it and gets no answer any more.`,
}

const events: Readonly<Record<string, string>> = {
  webhook_url: 'post-call',
  conversation_ended_webhook_url: 'conversation-ended',
  inbound_webhook_url: 'inbound',
}

/** What is lost with the target of a link; undefined for what never goes, such as languages. */
export const lossOf = (link: Link, target: Item): string | undefined => losses[`${link.from}.${link.by}`]?.(link, target)

/** Whether something works through a link now. `tools` that ask an automation do when an assistant uses them: `used` has their ids. */
export function isLive({ from, item, by, path, to }: Link, used: ReadonlySet<unknown>): boolean {
  if (to === 'folders' || to === 'labels') return false
  if (from === 'assistants') return item.status !== 'inactive' && !(by === 'address' && path === 'webhook_url' && item.is_webhook_active !== true)
  if (from === 'automate') return item.status === 'enabled'
  if (from === 'campaigns') return item.status === 'in-progress' || item.status === 'scheduled'
  return from === 'tools' && used.has(item.id)
}

/** Kinds whose going takes nothing from anybody but an order of things. */
export const isFiling = (thing: Thing): boolean => thing === 'folders' || thing === 'labels'
