import { activation } from './activation.ts'

export const activate = activation('active', 'Activate an assistant')
