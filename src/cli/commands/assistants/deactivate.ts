import { statusCommand } from './activation.ts'

export const deactivate = statusCommand('inactive', 'Deactivate an assistant')
