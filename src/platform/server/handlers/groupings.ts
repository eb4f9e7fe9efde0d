import type { Grouping } from '../../../contract/assistants/groupings.ts'
import type { HandlerInput } from '../../../contract/endpoint/endpoint.ts'
import { folders } from '../../../contract/resources/folders.ts'
import { labels } from '../../../contract/resources/labels.ts'
import { groupingService } from '../../services/assistants/grouping-service.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { GroupingKind, GroupingWithCount } from '../../store/assistants/groupings.ts'
import { type Caller, type HandlersOf, type LoadedResource, loadedResource } from './handler.ts'

/** Returns the endpoints of folders with their handlers. */
export const folderResource = (deps: Deps): LoadedResource => loadedResource(folders, folderHandlers(deps))
/** Returns the endpoints of labels with their handlers. */
export const labelResource = (deps: Deps): LoadedResource => loadedResource(labels, labelHandlers(deps))

type Folders = typeof folders

/** Creates the handlers of folders. */
const folderHandlers = (deps: Deps): HandlersOf<typeof folders> => handlers(deps, 'folder', 'Folder')
/** Creates the handlers of labels. */
const labelHandlers = (deps: Deps): HandlersOf<typeof labels> => handlers(deps, 'label', 'Label')

function handlers(deps: Deps, kind: GroupingKind, title: string) {
  const service = groupingService(deps, kind)
  return {
    async list({ page, per_page }: HandlerInput<Folders['list']>, { account }: Caller) {
      const { rows, total } = await service.list(account.id, { page, perPage: per_page })
      return { data: rows.map(toWire), current_page: page, per_page, total }
    },
    create: async (draft: HandlerInput<Folders['create']>, { account }: Caller) => ({
      message: `${title} created successfully`,
      data: toWire(await service.create(account.id, draft)),
    }),
    update: async ({ id, ...change }: HandlerInput<Folders['update']>, { account }: Caller) => ({
      message: `${title} updated successfully`,
      data: toWire(await service.update(account.id, id, change)),
    }),
    async delete({ id }: HandlerInput<Folders['delete']>, { account }: Caller) {
      await service.delete(account.id, id)
      return { message: `${title} deleted successfully` }
    },
  }
}

const toWire = (row: GroupingWithCount): Grouping => ({
  id: row.id,
  name: row.name,
  color: row.color as Grouping['color'],
  assistants_count: row.assistants,
})
