import { groupingEndpoints } from '../assistants/groupings.ts'

export const folders = groupingEndpoints('folder', 'its assistants become uncategorized')
