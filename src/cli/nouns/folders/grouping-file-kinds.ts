import { folders as folderEndpoints } from '../../../contract/resources/folders.ts'
import { labels as labelEndpoints } from '../../../contract/resources/labels.ts'
import type { FileKind } from '../../program/resources/file-kind.ts'
import { recordKind } from '../../program/resources/record-kind.ts'

const schemas = {
  documentSchema: folderEndpoints.create.body,
  updateSchema: folderEndpoints.update.body,
}

/** Folders of assistants: a name and a color. */
export const folders: FileKind = recordKind(
  { noun: 'folders', singular: 'folder', resourceKind: 'folders', ...schemas },
  folderEndpoints,
)

/** Labels of assistants: a name and a color. */
export const labels: FileKind = recordKind(
  { noun: 'labels', singular: 'label', resourceKind: 'labels', ...schemas },
  labelEndpoints,
)
