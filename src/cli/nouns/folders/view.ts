import { folders } from '../../../contract/resources/folders.ts'
import { groupingTarget, groupingView } from './grouping-view.ts'

export const view = groupingView('folders')
export const target = groupingTarget('folder', folders.list)
