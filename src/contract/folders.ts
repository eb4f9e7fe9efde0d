import { groupings } from './groupings.ts'

export const folders = groupings('folder', 'its assistants stay, uncategorized')
