import { statusCommand } from './activation.ts'

export const activate = statusCommand('active', 'Activate an assistant')
