import { conversations } from '../../../contract/conversations.ts'
import { aiSwitchCommand } from './answering.ts'

export const disableAi = aiSwitchCommand(conversations.disableAi, 'The assistant does not answer any more: messages are kept.')
