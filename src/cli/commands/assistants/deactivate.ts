import { activation } from './activation.ts'

export const deactivate = activation('inactive', 'Deactivate an assistant')
