import { Failure, invalidField } from '../../../contract/errors/failures.ts'
import {
  deleteGrouping,
  findGrouping,
  type GroupingKind,
  type GroupingWithCount,
  insertGrouping,
  listGroupings,
  updateGrouping,
} from '../../store/assistants/groupings.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import { isUniqueViolation } from '../../store/database/store-error.ts'
import type { Deps } from '../runtime/deps.ts'

/** The input for a new folder or label. */
interface GroupingDraft {
  readonly name: string
  readonly color?: string | null | undefined
}

/**
 * Translates a violated unique index into a validation error. Another request may have taken the name since it was
 * checked.
 */
const throwIfNameTaken = (error: unknown): never => {
  throw isUniqueViolation(error) ? invalidField('name', 'The name has already been taken.') : error
}

/** Lists, creates, changes and deletes folders or labels, which group assistants. */
export function groupingService({ connection, clock }: Pick<Deps, 'connection' | 'clock'>, kind: GroupingKind) {
  const requireGrouping = (row: GroupingWithCount | undefined): GroupingWithCount => {
    if (!row) throw new Failure(kind === 'folder' ? 'folders.not_found' : 'labels.not_found')
    return row
  }
  return {
    /** Returns one page. `page` counts from 1; a page beyond the last is empty. */
    list: (account: number, { page, perPage }: { page: number; perPage: number }) =>
      listGroupings(accountQuery(connection.read, account), kind, {
        offset: (page - 1) * perPage,
        limit: perPage,
      }),

    create: (account: number, { name, color = null }: GroupingDraft): Promise<GroupingWithCount> =>
      connection
        .write({ account }, async (query) =>
          insertGrouping(query, kind, { account_id: account, name, color, created_at: await clock.now(query) }),
        )
        .catch(throwIfNameTaken),

    /** Changes only the given fields. A color of null removes the color. */
    update: (
      account: number,
      id: number,
      { name, color }: { readonly [K in keyof GroupingDraft]?: GroupingDraft[K] | undefined },
    ): Promise<GroupingWithCount> =>
      connection
        .write({ account }, async (query) => {
          requireGrouping(await findGrouping(query, kind, id))
          const change = { ...(name !== undefined && { name }), ...(color !== undefined && { color }) }
          if (Object.keys(change).length > 0) await updateGrouping(query, kind, id, change)
          return requireGrouping(await findGrouping(query, kind, id))
        })
        .catch(throwIfNameTaken),

    async delete(account: number, id: number): Promise<void> {
      if (!(await connection.write({ account }, (query) => deleteGrouping(query, kind, id)))) requireGrouping(undefined)
    },
  }
}
