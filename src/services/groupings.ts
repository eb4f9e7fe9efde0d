import { Failure, invalidField } from '../contract/errors.ts'
import { isUniqueViolation } from '../store/failure.ts'
import { type Counted, deleteGrouping, findGrouping, type GroupingKind, insertGrouping, listGroupings, updateGrouping } from '../store/groupings.ts'
import type { Deps } from './deps.ts'

export interface GroupingDraft {
  readonly name: string
  readonly color?: string | null | undefined
}

/** Another of the account has the name, perhaps since a moment ago: the unique index tells. */
const taken = (error: unknown): never => {
  throw isUniqueViolation(error) ? invalidField('name', 'The name has already been taken.') : error
}

/** Folders or labels: what assistants are sorted by. */
export function groupingService({ connection, clock }: Pick<Deps, 'connection' | 'clock'>, kind: GroupingKind) {
  const found = (row: Counted | undefined): Counted => {
    if (!row) throw new Failure(kind === 'folder' ? 'folders.not_found' : 'labels.not_found')
    return row
  }
  return {
    /** `page` counts from 1; beyond the last one there is nothing. */
    list: (account: number, { page, perPage }: { page: number; perPage: number }) =>
      listGroupings(connection.read, kind, account, { offset: (page - 1) * perPage, limit: perPage }),

    create: (account: number, { name, color = null }: GroupingDraft): Promise<Counted> =>
      connection.write(async (query) => insertGrouping(query, kind, { account_id: account, name, color, created_at: await clock.now(query) })).catch(taken),

    /** Changes only what is given; a colour of null takes it away. */
    update: (account: number, id: number, { name, color }: { readonly [K in keyof GroupingDraft]?: GroupingDraft[K] | undefined }): Promise<Counted> =>
      connection
        .write(async (query) => {
          found(await findGrouping(query, kind, account, id))
          const change = { ...(name !== undefined && { name }), ...(color !== undefined && { color }) }
          if (Object.keys(change).length > 0) await updateGrouping(query, kind, account, id, change)
          return found(await findGrouping(query, kind, account, id))
        })
        .catch(taken),

    async delete(account: number, id: number): Promise<void> {
      if (!(await connection.write((query) => deleteGrouping(query, kind, account, id)))) found(undefined)
    },
  }
}
