import { groupingEndpoints } from './groupings.ts'

export const folders = groupingEndpoints('folder', 'its assistants stay, uncategorized')
