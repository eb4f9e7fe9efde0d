import { conversations } from '../../../contract/resources/conversations.ts'
import { aiSwitchCommand } from './ai-switch-command.ts'

export const enableAi = aiSwitchCommand(conversations.enableAi, 'Enabled AI replies.')
