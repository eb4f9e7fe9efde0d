import type { BuiltInTool } from '../../contract/assistant-tools.ts'
import type { AssistantRow } from '../../store/assistants.ts'
import type { TurnFunction } from '../ports.ts'

type Transfer = Extract<BuiltInTool, { type: 'assistant_transfer' }>

/** A conversation on its way to another assistant: who takes it over, and what the customer reads then. */
export interface HandOver {
  readonly to: AssistantRow
  readonly before: string | undefined
  readonly greets: boolean
}

/** A name as the model may call it. */
const named = (name: string): string =>
  `transfer_to_${name
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toLowerCase()}`.slice(0, 64)

/** Handing the conversation over to another assistant of the account as a function. `onHandOver` is told; the last one counts. */
export const transferFunction = (tool: Transfer, to: AssistantRow, onHandOver: (it: HandOver) => void): TurnFunction => ({
  name: named(to.name),
  description: `${tool.description} The other assistant is ${to.name}.`,
  parameters: { type: 'object', properties: {}, required: [] },
  async run() {
    onHandOver({ to, before: tool.message_before_transfer, greets: tool.speak_transfer_greeting })
    return { transferred_to: to.name }
  },
})
