import { conversations } from '../../../contract/resources/conversations.ts'
import { aiSwitchCommand } from './ai-switch-command.ts'

export const disableAi = aiSwitchCommand(
  conversations.disableAi,
  'The assistant does not answer any more: messages are kept.',
)
