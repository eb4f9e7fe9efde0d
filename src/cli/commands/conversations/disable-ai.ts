import { conversations } from '../../../contract/resources/conversations.ts'
import { aiSwitchCommand } from './ai-switch-command.ts'

export const disableAi = aiSwitchCommand(
  conversations.disableAi,
  'Disabled AI replies. New messages are saved without a reply.',
)
