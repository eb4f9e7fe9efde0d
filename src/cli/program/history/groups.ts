// One entry for what one command changes in many resources, so that one undo reverts all of it.

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
  /** Adds a resource that was changed without an entry of its own. */
  add(item: GroupItem): void
  /** Completes the entry, or removes it if there is nothing that it can undo. */
  end(hasChanged: boolean): Promise<void>
  /** Returns whether an undo can restore something. */
  canUndo(): Promise<boolean>
}

/**
 * Adds the entry of a change of many resources before its first write. Entries of the writes that follow become parts of it.
 * @throws ClientFailure `undo_unavailable` if it cannot be saved
 */
export async function startGroup(context: Context, name: string, record: GroupRecord = { items: [] }): Promise<Group> {
  const { system, commandName } = context
  if (!(await savesHistory(context))) return { entry: undefined, add() {}, async end() {}, canUndo: async () => false }
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
  const canUndo = async (): Promise<boolean> =>
    copy !== undefined &&
    (record.is_account === true || (copy.group?.items.length ?? 0) > 0 || (await partsOf(context, copy)).length > 0)
  return {
    entry,
    canUndo,
    add: (item) => save({ group: { ...record, items: [...(copy?.group?.items ?? []), item] } }),
    async end(hasChanged) {
      delete context.writes.historyGroup
      if (hasChanged && (await canUndo())) save({ state: 'done' })
      else if (entry !== undefined) removeEntry(system, scope, entry)
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
