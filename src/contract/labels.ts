import { groupings } from './groupings.ts'

export const labels = groupings('label', 'assistants lose it')
