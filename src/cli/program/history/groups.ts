// One entry for what one command changes in many resources, so that one undo reverts all of it.

import { isRefusedWrite } from '../../../client/failures/uncertain-writes.ts'
import type { Context } from '../context.ts'
import {
  addEntry,
  findEntry,
  type GroupItem,
  type GroupRecord,
  groupNoun,
  type HistoryEntry,
  historyScope,
  listEntries,
  removeEntry,
  updateEntry,
} from './entries.ts'
import { saveBeforeWrite } from './recorder.ts'
import { savesHistory } from './undo-unavailable.ts'

/** The entry of a change of many resources, while the change is made. */
export interface Group {
  /** Its number; undefined without a history. */
  readonly entry: number | undefined
  /**
   * Makes a change that has no entry of its own. The resource is in the entry before the request is sent, so that an undo finds it
   * whatever happens then, and is removed if the platform has refused the request.
   */
  change(item: GroupItem, send: () => Promise<unknown>): Promise<void>
  /** Removes a resource that was not changed after all. */
  drop(item: Pick<GroupItem, 'noun' | 'id'>): void
  /** Completes the entry, or removes it if there is nothing that it can undo. `more` is what is known only now. */
  end(more?: Pick<GroupRecord, 'stopped_at'>): Promise<void>
  /** Removes the entry, because nothing was changed. */
  discard(): void
  /** Returns whether an undo can restore something. */
  canUndo(): Promise<boolean>
}

/**
 * Adds the entry of a change of many resources before its first write. Entries of the writes that follow become parts of it.
 * @throws ClientFailure `undo_unavailable` if it cannot be saved
 */
export async function startGroup(context: Context, name: string, record: GroupRecord = { items: [] }): Promise<Group> {
  const { system, commandName } = context
  if (!(await savesHistory(context)))
    return {
      entry: undefined,
      canUndo: async () => false,
      async change(_, send) {
        await send()
      },
      drop() {},
      async end() {},
      discard() {},
    }
  const scope = await historyScope(context)
  const draft = {
    at: new Date(system.now()).toISOString(),
    profile: scope.profile,
    base_url: scope.baseUrl,
    noun: groupNoun,
    ids: { command: commandName },
    name,
    action: 'group',
    command: commandName,
    state: 'open',
    request_id: null,
    before: null,
    sent: null,
    after: null,
    pointers: [],
    group: record,
  } as const
  let copy = await saveBeforeWrite<HistoryEntry>(context, 'What the command changes', () =>
    addEntry(system, scope, draft),
  )
  const entry = copy?.entry
  if (entry !== undefined) context.writes.historyGroup = entry
  const save = (more: Partial<HistoryEntry>): void => {
    if (!copy) return
    copy = { ...copy, ...more }
    updateEntry(system, scope, copy)
  }
  /** Saves what an undo can do without, because the disk may be full by now. */
  const trySave = (more: Partial<HistoryEntry>): void => {
    try {
      save(more)
    } catch {
      // What is saved names more than was changed, or is not marked as complete.
    }
  }
  const canUndo = async (): Promise<boolean> =>
    copy !== undefined &&
    (record.is_account === true || (copy.group?.items.length ?? 0) > 0 || (await partsOf(context, copy)).length > 0)
  const withoutItem = ({ noun, id }: Pick<GroupItem, 'noun' | 'id'>): readonly GroupItem[] =>
    (copy?.group?.items ?? []).filter((it) => it.noun !== noun || it.id !== id)
  const drop: Group['drop'] = (item) => trySave({ group: { ...record, items: withoutItem(item) } })
  const discard = (): void => {
    delete context.writes.historyGroup
    if (entry !== undefined) removeEntry(system, scope, entry)
  }
  return {
    entry,
    canUndo,
    drop,
    discard,
    async change(item, send) {
      await saveBeforeWrite(context, 'What the command changes', () =>
        save({ group: { ...record, items: [...withoutItem(item), item] } }),
      )
      try {
        await send()
      } catch (error) {
        if (isRefusedWrite(error)) drop(item)
        throw error
      }
    },
    async end(more) {
      delete context.writes.historyGroup
      if (await canUndo()) trySave({ state: 'done', ...(copy?.group && { group: { ...copy.group, ...more } }) })
      else discard()
    },
  }
}

/** Returns the entries of the writes that a change of many resources made, newest first. */
export async function partsOf(context: Context, { entry }: HistoryEntry): Promise<HistoryEntry[]> {
  return listEntries(context.system, await historyScope(context)).filter((it) => it.part_of === entry)
}

/** Returns the entries of a command that changed many resources and were not undone, newest first. */
export async function openGroups(context: Context, command: string): Promise<HistoryEntry[]> {
  const entries = listEntries(context.system, await historyScope(context))
  return entries.filter((it) => it.command === command && it.group !== undefined && it.group.is_undone !== true)
}

/** Saves what is left of a change of many resources after an undo. */
export async function updateGroup(context: Context, entry: number, group: GroupRecord): Promise<void> {
  const scope = await historyScope(context)
  const copy = findEntry(context.system, scope, entry)
  if (copy) updateEntry(context.system, scope, { ...copy, group })
}
