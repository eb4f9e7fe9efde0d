import { folders } from '../../../contract/folders.ts'
import { groupingTarget, groupingView } from '../../grouping.ts'

export const view = groupingView('folders')
export const target = groupingTarget('folder', folders.list)
