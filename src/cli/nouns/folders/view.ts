import { folders } from '../../../contract/resources/folders.ts'
import { groupingTarget, groupingView } from './grouping-view.ts'

/** How folders are shown to people; scripts read JSON or `-o id`. */
export const view = groupingView('folders')
/** How commands find a folder by what a user passes: an id or a name. */
export const target = groupingTarget('folder', folders.list)
