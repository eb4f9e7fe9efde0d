import { conversations } from '../../../contract/conversations.ts'
import { aiSwitchCommand } from './answering.ts'

export const enableAi = aiSwitchCommand(conversations.enableAi, 'The assistant answers again.')
