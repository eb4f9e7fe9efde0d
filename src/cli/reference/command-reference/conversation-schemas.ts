import * as z from '../../../contract/schema/schema.ts'
import { exportedConversation, exportedMessage } from '../../nouns/conversations/exported-conversation.ts'

/** Returns the output schemas of the commands that read the messages of several conversations. */
export const conversationSchemas = (): Readonly<Record<string, z.ZodType>> => ({
  'conversations search': z.array(exportedMessage),
  'conversations export': z.array(exportedConversation()),
})
