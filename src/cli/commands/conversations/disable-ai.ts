import { conversations } from '../../../contract/conversations.ts'
import { switching } from './answering.ts'

export const disableAi = switching(conversations.disableAi, 'The assistant does not answer any more: messages are kept.')
