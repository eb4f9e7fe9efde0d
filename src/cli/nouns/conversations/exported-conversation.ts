import { conversations } from '../../../contract/resources/conversations.ts'
import * as z from '../../../contract/schema/schema.ts'
import { stringifyJson } from '../../../node/json.ts'
import { itemSchema } from '../../program/output/tables/item-shape.ts'
import type { FullConversation } from './read-conversations.ts'
import { redactPersonalData } from './redact-personal-data.ts'
import { nameOfRole } from './text-search.ts'

/**
 * Schema of an exported conversation: the fields of the list, and those of the conversation itself. Users keep exports,
 * and scripts read them: fields are added, not renamed.
 */
export const exportedConversation = (): z.ZodObject =>
  (itemSchema(conversations.list) as z.ZodObject).extend(conversations.get.output.omit({ status: true }).shape)

export type ExportedConversation = FullConversation['conversation'] & FullConversation['details']

/** Schema of a row of csv and tsv: one message. Scripts read it: fields are added, not renamed. */
export const exportedMessage = z.object({
  conversation_id: z.string(),
  assistant_name: z.string(),
  type: z.string(),
  created_at: z.string(),
  message: z.int().describe('Position in the conversation, from 1'),
  role: z.string(),
  content: z.string(),
})
export type ExportedMessage = z.output<typeof exportedMessage>

/** Returns the exported form of a conversation, with masked personal data if `isRedacted`. */
export function toExported({ conversation, details }: FullConversation, isRedacted: boolean): ExportedConversation {
  const exported = { ...conversation, ...details }
  return isRedacted ? redactPersonalData(exported) : exported
}

/** Returns one row for each message. */
export const messageRows = (conversation: ExportedConversation): ExportedMessage[] =>
  conversation.history.map(({ role, content }, n) => ({
    conversation_id: conversation.id,
    assistant_name: conversation.assistant_name,
    type: conversation.type,
    created_at: conversation.created_at,
    message: n + 1,
    role,
    content,
  }))

/** Escapes characters that Markdown would read as formatting at the start of a line, and HTML. */
export const escapeMarkdown = (text: string): string =>
  text.replace(/[<>]/g, (it) => (it === '<' ? '&lt;' : '&gt;')).replace(/^(\s*)([#>*+-]|\d+\.)(\s)/gm, '$1\\$2$3')

/** Returns the transcript of a conversation in Markdown. */
export function toMarkdown(conversation: ExportedConversation): string {
  const lines = conversation.history.flatMap(({ role, content, function_calls: calls = [] }) => [
    ...calls.map(
      ({ name, arguments: given, result }) => `> Ran \`${name}\` ${stringifyJson(given)}: ${stringifyJson(result)}\n`,
    ),
    ...(content === '' ? [] : [`**${nameOfRole(role)}:** ${escapeMarkdown(content)}\n`]),
  ])
  const about = [
    `Assistant: ${conversation.assistant_name}`,
    `Type: ${conversation.type}`,
    `Started: ${conversation.created_at} UTC`,
  ]
  return `## Conversation ${conversation.id}\n\n${about.map((line) => `- ${line}\n`).join('')}\n${lines.join('\n')}\n`
}
