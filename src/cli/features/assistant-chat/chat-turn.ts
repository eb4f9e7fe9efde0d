import { FunctionCall } from '../../../contract/resources/conversations.ts'
import * as z from '../../../contract/schema/schema.ts'

/** A message and its reply in machine output. Scripts read it: fields are added and not renamed. */
export const FileChatTurn = z.object({
  conversation_id: z.string(),
  assistant: z.string().describe('Assistant that the conversation was started with'),
  model: z.string().describe('Language model that replied: "local", or the name of the configured model'),
  message: z.string(),
  reply: z.string(),
  function_calls: z.array(FunctionCall),
  unmocked_tools: z
    .array(z.string())
    .describe('Tools and hosts that got the default answer, because they have no mock'),
  status: z.enum(['open', 'ended']).describe('Whether the assistant has ended the conversation'),
  variables: z.record(z.string(), z.unknown()).describe('Variables of the conversation'),
})
export type FileChatTurn = z.output<typeof FileChatTurn>
