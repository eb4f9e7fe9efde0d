import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { campaigns } from '../../../contract/resources/campaigns.ts'
import { user } from '../../../contract/resources/user.ts'
import { requireConfirmation } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import type { GroupItem, GroupRecord, HistoryEntry } from '../../program/history/entries.ts'
import { partsOf, updateGroup } from '../../program/history/groups.ts'
import { findRecreated } from '../../program/history/undo-deletion.ts'
import { compareForUndo, planUndo } from '../../program/history/undo-plan.ts'
import { entryResourceId, type UndoOutcome, type UndoResult } from '../../program/history/undo-result.ts'
import { idView, type View } from '../../program/output/format.ts'
import { calledItem, type NamedItem, namesOf } from '../../program/output/named-items.ts'
import { describeTime } from '../../program/output/time.ts'
import { loadRecorded } from '../../program/resources/registry.ts'
import { describeRunning, readRunning } from '../stop/running.ts'
import { asItem } from './view.ts'

/** Undoes the entry of one write. Undefined if it was only previewed. */
export type UndoPart = (part: HistoryEntry) => Promise<UndoOutcome | undefined>

/** What a command changed in many resources, and what an undo of it would do. */
export interface GroupPlan {
  readonly entry: HistoryEntry
  readonly items: readonly GroupItem[]
  readonly parts: readonly HistoryEntry[]
}

/** A resource that is as it was before, or why it is not. `resume` prints it as JSON: fields are added, not renamed. */
export interface Reverted extends NamedItem {
  readonly result: 'restored' | 'unchanged' | 'failed'
  readonly reason: string | null
}

/** Returns the resources that an undo would change: not those that are as before, or that somebody else has started or ended. */
async function openTargets(context: Context, { items, parts }: GroupPlan): Promise<NamedItem[]> {
  const open: NamedItem[] = []
  for (const part of parts) if (await hasChange(context, part)) open.push(asItem(part))
  for (const item of items)
    if ((await context.call(campaigns.get, { id: Number(item.id) })).data.status === 'paused') open.push(item)
  return open
}

/** Returns whether the change of an entry is still there. */
async function hasChange(context: Context, part: HistoryEntry): Promise<boolean> {
  const comparison = await compareForUndo(context, part, false)
  const { live } = comparison
  if (part.action === 'create') return live !== undefined
  if (part.action === 'delete') return live === undefined && (await findRecreated(context, comparison)) === undefined
  if (live === undefined) return true
  const { change, impossible, secret } = await planUndo({ ...comparison, live })
  return Object.keys(change).length + impossible.length + secret.length > 0
}

/** Reads what an undo of an entry would do. */
export const planOf = async (context: Context, entry: HistoryEntry): Promise<GroupPlan> => ({
  entry,
  items: entry.group?.items ?? [],
  parts: await partsOf(context, entry),
})

/** Returns the resources that an undo would change. */
export const targetsOf = ({ items, parts }: GroupPlan): NamedItem[] => [...items, ...parts.map(asItem)]

/**
 * Asks for one approval of everything that undoes these changes, where one is required. The content is stored with the operation, and
 * `ops run` compares it: another one would need a new approval.
 */
export async function requireUndoPlan(context: Context, plans: readonly GroupPlan[], summary: string): Promise<void> {
  await context.approvals.requirePlan(async () => {
    const allows: Record<string, number> = {}
    const allow = (name: string | undefined): void => {
      if (name !== undefined) allows[name] = (allows[name] ?? 0) + 1
    }
    for (const { entry, items, parts } of plans) {
      if (entry.group?.is_account) allow(user.resume.name)
      for (const _ of items) allow(campaigns.updateStatus.name)
      for (const { noun } of parts) {
        const { update, create, remove } = await loadRecorded(noun)
        for (const endpoint of [update, create, remove]) allow(endpoint?.name)
      }
    }
    const content = plans.map((plan) => ({ entry: plan.entry.entry, resources: targetsOf(plan).map(calledItem) }))
    return { summary, content, allows }
  })
}

/**
 * Undoes what a command changed, in reverse order. What fails does not stop the rest, and stays in the history entry: `resume`
 * and the next undo try it again, until the entry is marked with `is_undone`.
 */
export async function revertGroup(
  context: Context,
  { entry, items, parts }: GroupPlan,
  undoPart: UndoPart,
): Promise<Reverted[]> {
  const done: Reverted[] = []
  const attempt = async (item: NamedItem, work: () => Promise<Pick<Reverted, 'result' | 'reason'>>): Promise<void> => {
    const { noun, id, name } = item
    try {
      done.push({ noun, id, name, ...(await work()) })
    } catch (error) {
      if (context.system.signal.aborted || !(error instanceof ClientFailure)) throw error
      done.push({ noun, id, name, result: 'failed', reason: [error.message, error.hint].filter(Boolean).join(' ') })
    }
  }
  for (const part of parts)
    await attempt(asItem(part), async () => {
      const outcome = await undoPart(part)
      return outcome?.undone.done === 'nothing'
        ? { result: 'unchanged', reason: outcome.sentence }
        : { result: 'restored', reason: null }
    })
  for (const item of items.toReversed())
    await attempt(item, async () => {
      const { data: campaign } = await context.call(campaigns.get, { id: Number(item.id) })
      // Somebody else has started or ended it since.
      if (campaign.status !== 'paused') return { result: 'unchanged', reason: null }
      await context.call(campaigns.updateStatus, { campaign_id: Number(item.id), action: 'start' })
      return { result: 'restored', reason: null }
    })
  const isUndone = done.every((it) => it.result !== 'failed')
  if (entry.group) {
    const left = items.filter((item) => done.some((it) => it.id === item.id && it.result === 'failed'))
    await updateGroup(context, entry.entry, { ...entry.group, items: left, ...(isUndone && { is_undone: true }) })
  }
  return done
}

/** Prints what failed. Returns the exit code. */
export async function reportReverted({ notes }: Context, done: readonly Reverted[]): Promise<ExitName | undefined> {
  const failed = done.filter((it) => it.result === 'failed')
  for (const item of failed) await notes.warn(`${calledItem(item)}: ${item.reason}`)
  for (const item of done.filter((it) => it.result === 'unchanged'))
    await notes.note(item.reason ?? `${calledItem(item)} was changed since, and is not changed back.`)
  return failed.length > 0 ? 'partial' : undefined
}

const view: View<UndoResult> = idView((it) => it.id)

/**
 * Returns when the account was stopped, if that is the stop of this entry. @throws ClientFailure `conflict` if it was resumed, or
 * stopped again since
 */
async function requireSameStop(context: Context, { stopped_at: own }: GroupRecord): Promise<string> {
  const { stopped_at: current } = (await context.call(user.activity, {})).data
  if (current !== null && (own === undefined || own === current)) return current
  throw new ClientFailure({
    exit: 'conflict',
    code: 'stop_changed',
    message:
      current === null
        ? 'The account was resumed already. Nothing was changed.'
        : `The account was resumed and stopped again (${describeTime(current)}). Nothing was continued.`,
    ...(current !== null && { hint: 'To continue: parley resume.' }),
    sent: false,
  })
}

/** Undoes a change of many resources, and prints what was restored. */
export async function undoGroup(context: Context, plan: GroupPlan, undoPart: UndoPart): Promise<ExitName | undefined> {
  const { out, notes, globals } = context
  const { entry } = plan
  const targets = targetsOf(plan)
  const stoppedAt = entry.group?.is_account ? await requireSameStop(context, entry.group) : null
  const continued = stoppedAt === null ? '' : describeRunning(await readRunning(context, true))
  const what =
    stoppedAt === null ? namesOf(targets) : `everything that was stopped ${describeTime(stoppedAt)}: ${continued}`
  const question = `Undo "parley ${entry.command}": restore ${what}?`
  if (globals.dryRun || globals.printCurl) {
    const open = stoppedAt === null ? await openTargets(context, plan) : targets
    const same = targets.filter((target) => !open.some(({ noun, id }) => noun === target.noun && id === target.id))
    const left = same.length > 0 ? ` Nothing to undo: ${namesOf(same)}.` : ''
    const restored = stoppedAt !== null ? what : open.length > 0 ? namesOf(open) : 'nothing'
    await notes.note(`Would restore ${restored}.${left} Dry run. Nothing was sent.`)
    return undefined
  }
  await requireUndoPlan(context, [plan], question)
  if (entry.group?.is_account || plan.items.length > 0)
    await requireConfirmation(context, { question, refusalMessage: `Continuing ${what} requires confirmation.` })
  if (stoppedAt !== null) await context.call(user.resume, { stopped_at: stoppedAt })
  const done = await revertGroup(context, plan, undoPart)
  const restored = done.filter((it) => it.result === 'restored')
  const isDone = entry.group?.is_account === true || restored.length > 0
  const result: UndoResult = {
    entry: entry.entry,
    noun: entry.noun,
    id: entryResourceId(entry),
    done: isDone ? 'restored' : 'nothing',
    fields: restored.map((it) => `${it.noun}/${it.name ?? it.id}`),
    undo: null,
  }
  const sentence = entry.group?.is_account
    ? `Everything is resumed: ${continued}.`
    : `Restored ${restored.length} of ${targets.length}.`
  await out.result(result, sentence, { view })
  return reportReverted(context, done)
}
