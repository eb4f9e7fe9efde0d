import { groupingEndpoints } from '../assistants/groupings.ts'

export const labels = groupingEndpoints('label', 'assistants lose it')
