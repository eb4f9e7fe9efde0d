import { statusCommand } from './status-command.ts'

export const activate = statusCommand('active', 'Activate an assistant')
