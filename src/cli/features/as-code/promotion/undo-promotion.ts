import { ClientFailure } from '../../../../client/failures/client-failure.ts'
import { confirmPlan } from '../../../program/consent/require-confirmation.ts'
import type { Context } from '../../../program/context.ts'
import { ResourceNames } from '../../../program/documents/resource-names.ts'
import { requireNoPrintCurl } from '../../../program/errors/require-no-print-curl.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { historyScope, listEntries, type PromotionRecord } from '../../../program/history/entries.ts'
import type { WriteOptions } from '../../../program/resources/resource-files.ts'
import { confirmTestEffects } from '../../automations/test-effects.ts'
import { differingFields, type SyncEntry } from '../compare.ts'
import { type FolderComparison, type Layout, lockKey } from '../compare-folder.ts'
import { describeEntryChanges, fieldDifferences } from '../drift.ts'
import { lostLines, noteLostValues } from '../merged-entries.ts'
import { fileList, plannedSteps } from '../planned-steps.ts'
import { Pusher } from '../pusher.ts'
import { deleteCommand, type ResourcesInUse, usesByOthers } from '../resources-in-use.ts'
import { failureExit } from '../sync-failures.ts'
import { SyncLock } from '../sync-lock.ts'
import { isNotWritten } from '../sync-view.ts'
import { confirmTarget, type ProfileSide } from './profile-pair.ts'
import { readPromotedEntries } from './promoted-entries.ts'
import { lockPromotion, promotionFolder, readPromotion, updatePromotion } from './promotion-record.ts'
import { promotionView, writtenResults } from './promotion-view.ts'

/** Which promotion is undone, and how. `confirm` is the value of `--confirm`. */
interface UndoPromotionOptions {
  readonly layout: Layout
  readonly options: WriteOptions
  readonly confirm: unknown
  /** Overwrites changes that were made since the promotion. */
  readonly forced: boolean
  /** The promotion to undo (default: the last one to the profile). */
  readonly chosen?: PromotionRecord
}

/**
 * Undoes a promotion to a profile: restores the fields it changed, and deletes what it created. `finding` if a
 * difference remains.
 */
export async function undoPromotion(
  context: Context,
  to: ProfileSide,
  { layout, options, confirm, forced, chosen }: UndoPromotionOptions,
): Promise<'finding' | 'partial' | 'conflict' | 'done'> {
  const { system, out, notes, globals } = context
  requireNoPrintCurl(context)
  const folder = promotionFolder(system, to.name)
  const which = chosen?.entry === undefined ? 'the last promotion' : `the promotion of history entry ${chosen.entry}`
  await notes.note(`Undoing ${which} to ${to.described}.`)
  const release = globals.dryRun ? () => {} : lockPromotion(system, folder, to.name)
  try {
    const record = chosen ? chooseRecord(chosen, readPromotion(folder)) : readPromotion(folder)
    if (record && record.state !== 'undone' && record.base_url !== to.baseUrl)
      throw usageError(
        `${which.replace('the', 'The')} to profile "${to.name}" was to ${record.base_url}, and the profile now uses ${to.baseUrl}.`,
        'Nothing was sent. Undo it with a profile of that URL.',
      )
    if (!record || record.state === 'undone') {
      const earlier = chosen || !record ? undefined : await findEarlierPromotion(to.context, record)
      const empty = `Nothing to undo in profile "${to.name}".${earlier === undefined ? '' : ` The last promotion was undone. Undo the one before: parley history undo ${earlier} --profile ${to.name}`}`
      // The table prints the note itself.
      if (out.settings.format !== 'table') await notes.note(empty)
      await out.list([], { view: { ...promotionView, empty } })
      return 'done'
    }
    const lock = new SyncLock(folder, await lockKey(to.context))
    const readAt = context.pauses()
    const isCertain = (it: SyncEntry): boolean => forced || lock.of(it.file) !== undefined
    const readPlan = async (): Promise<UndoPlan> => {
      const entries = await readPromotedEntries(to.context, layout, record, lock)
      const changes = entries.filter((it) => it.local && it.fields.length > 0).reverse()
      const created = entries.filter((it) => !it.local).reverse()
      const all: FolderComparison = { folder: '', lock, names: new ResourceNames(to.context), entries }
      const removals = created.filter((it) => it.kind.remove && isCertain(it))
      if (!forced) {
        requireUnchangedEntries([...changes, ...removals], lock, to.name)
        requireUnused(await new Pusher(to.context, all, options).inUse(removals, changes, usesByOthers), to.name)
      }
      return {
        all,
        changes,
        removals,
        // The answer to the creation was lost or a failure, so that somebody else may have created it.
        uncertain: created.filter((it) => it.kind.remove && !isCertain(it)),
        undeletable: created.filter((it) => !it.kind.remove),
      }
    }
    const first = await readPlan()
    await notePlan(context, first)
    if (forced) await noteOverwritten(context, first, lock)
    const live = new Set<string>()
    if (globals.dryRun) {
      await out.list(
        writtenResults(first.all.entries, live, [
          ...first.changes.map(({ file, id }) => ({ file, id, done: 'would_update' as const, remark: null })),
          ...first.removals.map(({ file, id }) => ({ file, id, done: 'would_delete' as const, remark: null })),
        ]),
        { view: promotionView },
      )
      await notes.note('Dry run. Nothing was sent.')
      return 'done'
    }
    await to.context.approvals.requirePlan(async () => ({
      summary: `Undo the promotion to ${to.described}: ${fileList([...first.changes, ...first.removals])}?`,
      ...(await plannedSteps(to.context, { all: first.all, written: first.changes, removals: first.removals })),
    }))
    let confirmed = options
    const { all, changes, removals, uncertain, undeletable } = await confirmPlan(context, {
      plan: first,
      readAt,
      async ask(plan, isAskedAgain) {
        if (isAskedAgain) await notePlan(context, plan)
        confirmed = await confirmTestEffects(context, plan.changes, options)
        await confirmTarget(context, to, confirm, isAskedAgain)
      },
      read: readPlan,
      describeChanges: (agreed, current) =>
        describeEntryChanges([...agreed.changes, ...agreed.removals], [...current.changes, ...current.removals]),
    })
    const pusher = new Pusher(to.context, all, confirmed)
    const sent = await pusher.write(changes)
    // A change that failed may have left a reference to a resource that the promotion created.
    const isFailed = sent.some(isNotWritten)
    const inUse: ResourcesInUse = isFailed ? await pusher.inUse(removals, [], usesByOthers) : new Map()
    const done = [...sent, ...(await pusher.remove(removals, inUse))]
    await out.list(writtenResults(all.entries, live, done), { view: promotionView })
    const failed = failureExit(done)
    if (failed) return failed
    const left = (await readPromotedEntries(to.context, layout, record, lock)).filter((entry) =>
      entry.local ? entry.fields.length > 0 : entry.kind.remove !== undefined && isCertain(entry),
    )
    if (left.length > 0) {
      await notes.warn(`After the undo, these resources still differ: ${left.map((it) => it.file).join(', ')}.`)
      return 'finding'
    }
    await updatePromotion(to.context, folder, { ...record, state: 'undone' })
    if (to.context !== context) await notes.note(`Undid the promotion. [${to.name}]`)
    if (uncertain.length > 0)
      await notes.warn(
        `Not deleted, because somebody else may have created them: ${uncertain.map((it) => `${it.file} (${deleteCommand(it)})`).join(', ')}.`,
      )
    if (undeletable.length === 0) return uncertain.length > 0 ? 'finding' : 'done'
    await notes.warn(
      `Created by the promotion and not deleted, because the platform cannot delete them: ${undeletable.map((it) => it.file).join(', ')}.`,
    )
    return 'finding'
  } finally {
    release()
  }
}

/** Returns the history entry of the newest promotion before one that was undone; undefined if all were undone. */
async function findEarlierPromotion(target: Context, { entry }: PromotionRecord): Promise<number | undefined> {
  if (entry === undefined) return undefined
  return listEntries(target.system, await historyScope(target)).find(
    (it) => it.entry < entry && it.promotion !== undefined && it.promotion.state !== 'undone',
  )?.entry
}

/** What an undo does with the resources of a promotion. */
interface UndoPlan {
  readonly all: FolderComparison
  readonly changes: readonly SyncEntry[]
  readonly removals: readonly SyncEntry[]
  /** Resources that somebody else may have created. */
  readonly uncertain: readonly SyncEntry[]
  readonly undeletable: readonly SyncEntry[]
}

/** Prints the values that were changed since the promotion, and that --force overwrites. */
async function noteOverwritten(context: Context, { changes, removals }: UndoPlan, lock: SyncLock): Promise<void> {
  await noteLostValues(
    context,
    findChanged([...changes, ...removals], lock).flatMap((it) => lostLines(it, 'theirs')),
    'Changed since the promotion, and overwritten with --force:',
  )
}

/**
 * Returns the entries that were changed since the promotion, with the changed fields of those that it would restore.
 * Other fields are not touched by an undo.
 */
function findChanged(entries: readonly SyncEntry[], lock: SyncLock): SyncEntry[] {
  return entries.flatMap((entry): SyncEntry[] => {
    const { kind, file, local, remote } = entry
    const synced = lock.of(file)
    // Lines of lost values compare with what is restored.
    const { base: _, ...changed } = entry
    // Without a sync record, the update may have failed and the change may be of somebody else.
    if (!synced || !remote) return remote && local ? [changed] : []
    if (synced.there === remote.hash) return []
    const promoted = synced.live ?? synced.base
    if (!local || !promoted) return [changed]
    const since = differingFields(kind, promoted, remote.content, [])
    const fields = entry.fields.filter((name) => since.includes(name))
    return fields.length > 0 ? [{ ...changed, fields }] : []
  })
}

const notePlan = ({ notes }: Context, { changes, removals, uncertain, undeletable }: UndoPlan): Promise<void> =>
  notes.note(
    [
      'Plan:',
      ...changes.flatMap((it) => [`restore ${it.file}`, ...fieldDifferences(it).map((line) => `  ${line}`)]),
      ...removals.map((it) => `delete ${it.file}`),
      ...uncertain.map((it) => `leave ${it.file}, which somebody else may have created`),
      ...undeletable.map((it) => `leave ${it.file}, which the promotion created: it cannot be deleted`),
    ].join('\n'),
  )

/** Returns the current record of the promotion of an entry. @throws ClientFailure `conflict` if a later one is not undone */
function chooseRecord(chosen: PromotionRecord, last: PromotionRecord | undefined): PromotionRecord {
  if (!last || chosen.state === 'undone') return chosen
  if (last.entry === chosen.entry) return last
  if (last.state === 'undone') return chosen
  throw new ClientFailure({
    exit: 'conflict',
    code: 'conflict',
    message: `A later promotion from "${last.from}" to "${last.to}" is not undone. Nothing was changed.`,
    hint: `Undo it first: parley ${last.entry === undefined ? `promote undo --to ${last.to}` : `history undo ${last.entry}`}`,
  })
}

/** Rejects the undo if other resources use what the promotion created. @throws ClientFailure `conflict` */
function requireUnused(inUse: ResourcesInUse, to: string): void {
  if (inUse.size === 0) return
  throw new ClientFailure({
    exit: 'conflict',
    code: 'conflict',
    message: [
      `Created by the promotion and in use in profile "${to}", and nothing was sent:`,
      ...[...inUse].map(([{ file }, uses]) => `${file}: ${uses.join(' ')}`),
    ].join('\n'),
    hint: 'Change these resources, or pass --force to delete them anyway.',
  })
}

/** Rejects the undo if something was changed since the promotion. @throws ClientFailure `conflict` */
function requireUnchangedEntries(entries: readonly SyncEntry[], lock: SyncLock, to: string): void {
  const changed = findChanged(entries, lock)
  if (changed.length === 0) return
  throw new ClientFailure({
    exit: 'conflict',
    code: 'conflict',
    message: [
      `Changed in profile "${to}" since the promotion, and nothing was sent:`,
      ...changed.flatMap((it) => (it.local ? fieldDifferences(it).map((line) => `${it.file}: ${line}`) : [it.file])),
    ].join('\n'),
    hint: 'Values: now -> before the promotion. Pass --force to overwrite them.',
  })
}
