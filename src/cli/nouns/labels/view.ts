import { labels } from '../../../contract/resources/labels.ts'
import { groupingTarget, groupingView } from '../folders/grouping-view.ts'

export const view = groupingView('labels')
export const target = groupingTarget('label', labels.list)
