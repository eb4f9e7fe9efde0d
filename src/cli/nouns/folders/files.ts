import { folders as folderEndpoints } from '../../../contract/resources/folders.ts'
import { labels as labelEndpoints } from '../../../contract/resources/labels.ts'
import { recordFiles } from '../../program/resources/record-files.ts'
import type { ResourceFiles } from '../../program/resources/resource-files.ts'

const schemasOf = ({ create, update }: typeof folderEndpoints | typeof labelEndpoints) => ({
  documentSchema: create.body,
  updateSchema: update.body,
})

/** Folders of assistants: a name and a color. */
export const folders: ResourceFiles = recordFiles(
  { noun: 'folders', singular: 'folder', resourceKind: 'folders', ...schemasOf(folderEndpoints) },
  folderEndpoints,
)

/** Labels of assistants: a name and a color. */
export const labels: ResourceFiles = recordFiles(
  { noun: 'labels', singular: 'label', resourceKind: 'labels', ...schemasOf(labelEndpoints) },
  labelEndpoints,
)
