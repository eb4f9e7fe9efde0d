import { groupingEndpoints } from '../assistants/groupings.ts'

export const labels = groupingEndpoints('label', 'it is removed from its assistants')
