import { statusCommand } from './status-command.ts'

export const deactivate = statusCommand('inactive', 'Deactivate an assistant')
