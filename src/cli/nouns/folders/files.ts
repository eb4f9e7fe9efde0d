import { folders as folderEndpoints } from '../../../contract/resources/folders.ts'
import { labels as labelEndpoints } from '../../../contract/resources/labels.ts'
import { recordFiles } from '../../program/resources/record-files.ts'
import type { ResourceFiles } from '../../program/resources/resource-files.ts'

const schemasOf = ({ create, update }: typeof folderEndpoints | typeof labelEndpoints) => ({
  documentSchema: create.body,
  updateSchema: update.body,
})

/**
 * Folders of assistants as files of a project, which pull, push, diff and promote manage: a name and a color. `noun` is the name of the folder on the
 * disks of users, and is in test reports and promotions: it never changes.
 */
export const folders: ResourceFiles = recordFiles(
  { noun: 'folders', singular: 'folder', resourceKind: 'folders', ...schemasOf(folderEndpoints) },
  folderEndpoints,
)

/** Labels of assistants as files of a project, like folders. */
export const labels: ResourceFiles = recordFiles(
  { noun: 'labels', singular: 'label', resourceKind: 'labels', ...schemasOf(labelEndpoints) },
  labelEndpoints,
)
