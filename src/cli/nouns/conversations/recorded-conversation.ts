import type { Output } from '../../../contract/endpoint/endpoint.ts'
import type { Conversation, conversations } from '../../../contract/resources/conversations.ts'
import type { RecordedConversation } from './scenario-from-transcript.ts'

/**
 * Returns what is recorded about a conversation, for a scenario and for a judgement. `listed` is its entry in the list, which has its
 * type and its assistant; without it, it counts as a chat. Names and values in `people` and `variables` are what the file of a
 * scenario replaces by others: a value that is missing here is written to it.
 */
export const recordedConversation = (
  listed: Conversation | undefined,
  { history, variables = {}, customer }: Pick<Output<typeof conversations.get>, 'history' | 'variables' | 'customer'>,
): Omit<RecordedConversation, 'name'> => ({
  assistant: listed?.assistant_name ?? '',
  channel: listed?.type === 'messaging' ? 'messaging' : 'chat',
  messages: history,
  variables: variables as Readonly<Record<string, unknown>>,
  people: { name: customer?.name ?? '', phone: customer?.phone ?? '' },
})
