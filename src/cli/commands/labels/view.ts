import { labels } from '../../../contract/labels.ts'
import { groupingTarget, groupingView } from '../../grouping.ts'

export const view = groupingView('labels')
export const target = groupingTarget('label', labels.list)
