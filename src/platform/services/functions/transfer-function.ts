import type { BuiltInTool } from '../../../contract/assistants/built-in-tools.ts'
import { functionNames } from '../../../contract/assistants/function-names.ts'
import type { ModelFunction } from '../../../engine/ports/language-model.ts'
import type { AssistantRow } from '../../store/assistants/assistants.ts'

type TransferTool = Extract<BuiltInTool, { type: 'assistant_transfer' }>

/** The transfer of a conversation to another assistant, with what the customer reads then. */
export interface ConversationTransfer {
  readonly to: AssistantRow
  readonly messageBefore: string | undefined
  readonly sendsGreeting: boolean
}

/** Returns a function name for the model. */
const toFunctionName = (name: string): string =>
  `${functionNames.transfer}${name
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toLowerCase()}`.slice(0, 64)

/**
 * Creates the function that transfers the conversation to another assistant of the account. It calls `onTransfer`; the
 * last call counts.
 */
export const createTransferFunction = (
  tool: TransferTool,
  to: AssistantRow,
  onTransfer: (transfer: ConversationTransfer) => void,
): ModelFunction => ({
  name: toFunctionName(to.name),
  description: `${tool.description} The other assistant is ${to.name}.`,
  parameters: { type: 'object', properties: {}, required: [] },
  async run() {
    onTransfer({ to, messageBefore: tool.message_before_transfer, sendsGreeting: tool.speak_transfer_greeting })
    return { transferred_to: to.name }
  },
})
