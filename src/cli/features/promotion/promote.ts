import { confirmPlan } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { checkEach } from '../../program/documents/missing-secrets.ts'
import { rejectPrintCurl } from '../../program/errors/reject-print-curl.ts'
import type { PromotionRecord } from '../../program/history/entries.ts'
import type { WriteOptions } from '../../program/resources/file-kind.ts'
import type { FolderComparison, Layout } from '../as-code/compare-folder.ts'
import { confirmTestEffects } from '../as-code/confirm-test-effects.ts'
import { fieldDifferences } from '../as-code/drift.ts'
import { describeEntryChanges } from '../as-code/live-check.ts'
import { lostLines, noteLostValues, noteMerges } from '../as-code/merged-entries.ts'
import { failureExit, withRemarks } from '../as-code/push-result.ts'
import { Pusher } from '../as-code/pusher.ts'
import { compareProfiles } from './compare-profiles.ts'
import { confirmTarget } from './confirm-target.ts'
import type { ProfilePair, ProfileSide } from './profile-pair.ts'
import type { DocumentContents } from './promoted-documents.ts'
import { startPromotion, updatePromotion } from './promotion-entry.ts'
import { type PromotionPlan, planPromotion, rejectImpossible, resolveEntries } from './promotion-plan.ts'
import { lockPromotion, promotionFolder, readPromotion } from './promotion-record.ts'
import { emptyText, plannedResults, promotionView, writtenResults } from './promotion-view.ts'

export interface PromoteOptions {
  readonly layout: Layout
  /** Fields that are not changed on the target. */
  readonly skipped: ReadonlySet<string>
  /** Content of documents of knowledge bases, which no platform returns. */
  readonly contents: DocumentContents
  readonly options: WriteOptions
  /** Value of `--confirm`. */
  readonly confirm: unknown
  /** Overwrites changes that were made on the target since the last promotion. */
  readonly forced: boolean
}

/** Makes the target profile like the source profile. Prints the plan first, and reads back what was written. */
export async function promote(
  context: Context,
  pair: ProfilePair,
  { layout, skipped, contents, options, confirm, forced }: PromoteOptions,
): Promise<'finding' | 'partial' | 'conflict' | 'done'> {
  const { system, out, notes, globals } = context
  const { from, to } = pair
  rejectPrintCurl(context)
  const folder = promotionFolder(system, to.name)
  await notes.note(`From ${from.described} to ${to.described}.`)
  const release = globals.dryRun ? () => {} : lockPromotion(system, folder, to.name)
  try {
    const last = readPromotion(folder)
    const compared = { folder, skipped, contents }
    const readAt = context.pauses()
    const found = await compareProfiles(pair, layout, compared)
    const first = await planPromotion(to.context, found, last)
    const sides = { theirs: to.name, mine: from.name }
    await notePlan(context, first, to, forced)
    if (found.unread.length > 0) await notes.warn(unreadWarning(found.unread))
    const isComplete = found.unread.length === 0
    if (globals.dryRun) {
      await out.list(withRemarks(plannedResults(first), first.remarks), { view: promotionView })
      rejectImpossible(first, sides, forced)
      await notes.note('Dry run. Nothing was sent.')
      return 'done'
    }
    rejectImpossible(first, sides, forced)
    const checker = new Pusher(to.context, first.comparison, options)
    await checkEach(first.written, (it) => checker.check(it))
    if (first.written.length === 0) {
      checker.recordUnchanged()
      if (last?.state === 'open') await updatePromotion(to.context, folder, { ...last, state: 'done' })
      const empty = emptyText(first.comparison, to.name, isComplete)
      await out.list([], { view: { ...promotionView, empty } })
      return isComplete ? 'done' : 'finding'
    }
    let confirmed = options
    const plan = await confirmPlan(context, {
      plan: first,
      readAt,
      async ask(it, isAskedAgain) {
        if (isAskedAgain) await notePlan(context, it, to, forced)
        confirmed = await confirmTestEffects(context, it.written, options)
        await confirmTarget(context, to, confirm, isAskedAgain)
      },
      async read() {
        const it = await planPromotion(to.context, await compareProfiles(pair, layout, compared), last)
        rejectImpossible(it, sides, forced)
        const fresh = new Pusher(to.context, it.comparison, options)
        await checkEach(it.written, (entry) => fresh.check(entry))
        return it
      },
      describeChanges: (agreed, current) => [
        ...describeEntryChanges(agreed.written, current.written),
        ...[...current.live].filter((it) => !agreed.live.has(it)).map((it) => `${it} is live now.`),
      ],
    })
    const pusher = new Pusher(to.context, plan.comparison, confirmed)
    const record = await startPromotion(to.context, folder, recordOf(pair, plan, last, system.now()))
    const sent = await pusher.write(plan.written)
    pusher.recordUnchanged()
    const results = writtenResults(plan.written, plan.live, sent)
    await out.list(withRemarks(results, plan.remarks), { view: promotionView })
    const failed = failureExit(sent)
    if (failed) return failed
    const isEqual = await isPromoted(context, await compareProfiles(pair, layout, compared), plan)
    await updatePromotion(to.context, folder, { ...record, state: 'done' })
    await notes.note(
      `Promoted ${plan.written.length === 1 ? '1 resource' : `${plan.written.length} resources`}. [${to.name}]`,
    )
    await notes.note(
      record.entry === undefined
        ? `Undo: parley promote undo --to ${to.name}`
        : `Undo: parley history undo ${record.entry} --profile ${to.name}`,
    )
    return isEqual && isComplete && sent.every((it) => it.remark === null) ? 'done' : 'finding'
  } finally {
    release()
  }
}

const unreadWarning = (unread: readonly string[]): string =>
  [
    'Documents that are not promoted, because the platform does not return their content:',
    ...unread.map((it) => `  ${it}`),
    'Pass a project folder whose knowledge/*.yaml has their url, links or file: --documents <folder>. Or exclude documents: --skip-fields documents.',
  ].join('\n')

async function notePlan(
  context: Context,
  { comparison, written, unchanged, gone, live, drifted, remarks }: PromotionPlan,
  { name }: Pick<ProfileSide, 'name'>,
  forced: boolean,
): Promise<void> {
  const { notes } = context
  // Without --force, the refusal shows the values of a conflict.
  const refused = new Set(forced ? [] : drifted.map((it) => it.file))
  const lines = written.flatMap((it) =>
    refused.has(it.file)
      ? [`conflict ${it.file}`]
      : [
          `${it.remote ? 'change' : 'create'} ${it.file}${live.has(it.file) ? ' (live)' : ''}`,
          ...fieldDifferences(it).map((line) => `  ${line}`),
        ],
  )
  if (lines.length > 0) await notes.note([`Plan (${unchanged.length} unchanged):`, ...lines].join('\n'))
  for (const [file, sentences] of remarks) await notes.warn(`${file}: ${sentences.join(' ')}`)
  await noteMerges(context, comparison.entries, `Preserved changes of profile "${name}" since the last promotion:`)
  // Without --force, the refusal names them.
  if (forced)
    await noteLostValues(
      context,
      drifted.flatMap((it) => lostLines(it, 'theirs')),
      `Changed in profile "${name}" since the last promotion, and overwritten with --force:`,
    )
  if (gone.length > 0)
    await notes.note(`No longer in the source, and not deleted: ${gone.map((it) => it.file).join(', ')}.`)
}

/** Returns the record of this promotion. One that resumes an interrupted one keeps what that one has saved. */
function recordOf(
  { from, to }: ProfilePair,
  { written }: PromotionPlan,
  last: PromotionRecord | undefined,
  now: number,
): PromotionRecord {
  const items = Object.fromEntries(
    written.map(({ file, kind, name, local, remote, fields, base }) => [
      file,
      {
        kind: kind.noun,
        name: local?.name ?? name,
        action: remote ? ('update' as const) : ('create' as const),
        fields,
        before: remote?.content ?? null,
        ...(base && { base }),
      },
    ]),
  )
  return {
    from: from.name,
    to: to.name,
    base_url: to.baseUrl,
    at: new Date(now).toISOString(),
    state: 'open',
    ...(last?.state === 'open' && last.from === from.name && last.entry !== undefined && { entry: last.entry }),
    items: last?.state === 'open' && last.from === from.name ? uniteItems(items, last.items) : items,
  }
}

type Items = PromotionRecord['items']

/** Returns the items of a resumed promotion: of each field, the value before it was changed first. */
function uniteItems(items: Items, earlier: Items): Items {
  const united = Object.entries(items).map(([file, it]) => {
    const first = earlier[file]
    if (!first || !it.before) return [file, it] as const
    if (!first.before) return [file, first] as const
    const saved = first.before
    const values = Object.entries(it.before).filter(([name]) => !first.fields.includes(name))
    const firstValues = Object.entries(saved).filter(([name]) => first.fields.includes(name))
    const before = Object.fromEntries([...values, ...firstValues])
    return [
      file,
      {
        ...first,
        ...it,
        ...(first.base && { base: first.base }),
        fields: [...new Set([...first.fields, ...it.fields])],
        before,
      },
    ] as const
  })
  return { ...earlier, ...Object.fromEntries(united) }
}

/** Reads both platforms again, and warns about promoted resources that still differ. */
async function isPromoted({ notes }: Context, found: FolderComparison, { written }: PromotionPlan): Promise<boolean> {
  const entries = await resolveEntries(found, undefined)
  const files = new Set(written.map((it) => it.file))
  const left = entries.filter((it) => files.has(it.file) && (!it.remote || it.fields.length > 0))
  if (left.length === 0) return true
  await notes.warn(
    `After the promotion, the profiles still differ: ${left.map(({ file, fields }) => `${file} (${fields.join(', ')})`).join(', ')}.`,
  )
  return false
}
