import { groupingEndpoints } from './groupings.ts'

export const labels = groupingEndpoints('label', 'assistants lose it')
