import { conversations } from '../../../contract/conversations.ts'
import { switching } from './answering.ts'

export const enableAi = switching(conversations.enableAi, 'The assistant answers again.')
