import { labels } from '../../../contract/resources/labels.ts'
import { groupingTarget, groupingView } from '../folders/grouping-view.ts'

/** How labels are shown to people; scripts read JSON or `-o id`. */
export const view = groupingView('labels')
/** How commands find a label by what a user passes: an id or a name. */
export const target = groupingTarget('label', labels.list)
