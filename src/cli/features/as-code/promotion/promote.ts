// Nothing is written before the plan was confirmed by name and its record is saved (promotion-record.ts).

import { resolve } from 'node:path'
import { stringifyJson } from '../../../../node/json.ts'
import { command } from '../../../program/commandline/command.ts'
import { confirmPlan } from '../../../program/consent/require-confirmation.ts'
import type { Context } from '../../../program/context.ts'
import { createContext } from '../../../program/create-context.ts'
import { requireNoPrintCurl } from '../../../program/errors/require-no-print-curl.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import type { PromotionRecord } from '../../../program/history/entries.ts'
import type { WriteOptions } from '../../../program/resources/resource-files.ts'
import { withParts } from '../../../program/system.ts'
import { confirmTestEffects } from '../../automations/test-effects.ts'
import { noRollbackFlag, parseWriteOptions, skipLocalTestFlag } from '../../automations/write-flags.ts'
import { test } from '../../scenario-tests/assistants/test-command.ts'
import type { FolderComparison, Layout } from '../compare-folder.ts'
import { describeEntryChanges, fieldDifferences } from '../drift.ts'
import { lostLines, noteLostValues, noteMerges } from '../merged-entries.ts'
import { fileList, plannedSteps } from '../planned-steps.ts'
import { isResourcePath, parseSelection } from '../project-layout.ts'
import { Pusher } from '../pusher.ts'
import { failureExit } from '../sync-failures.ts'
import { onlyFlag } from '../sync-flags.ts'
import { withRemarks } from '../sync-view.ts'
import { compareProfiles } from './compare-profiles.ts'
import { confirmTarget, openProfilePair, openTarget, type ProfilePair, type ProfileSide } from './profile-pair.ts'
import { type DocumentContents, readDocumentContents } from './promoted-documents.ts'
import { promotionWait } from './promoted-knowledge-wait.ts'
import { type PromotionPlan, planPromotion, requirePossible, resolveEntries } from './promotion-plan.ts'
import { lockPromotion, promotionFolder, readPromotion, startPromotion, updatePromotion } from './promotion-record.ts'
import { emptyText, plannedResults, promotionView, writtenResults } from './promotion-view.ts'
import { undoPromotion } from './undo-promotion.ts'

/** Runs the scenarios of a project folder on temporary local platforms. Prints their results on stderr. */
async function passesScenarios({ system, globals, notes }: Context, folder: string): Promise<boolean> {
  const { stderr } = system.streams
  const own = withParts(system, { streams: { ...system.streams, stdout: stderr } })
  const { json: _, output: __, fields: ___, profile: ____, ...rest } = globals
  const context = await createContext({ system: own, globals: rest, command: test, commandName: 'assistants test' })
  try {
    const result = await test.run(context, { argument: folder, words: [folder], input: {}, flags: {} })
    if (result === undefined || result === 'done') return true
    await notes.warn('A scenario failed, so nothing was promoted.')
    return false
  } finally {
    await context.close()
  }
}

interface PromoteOptions {
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
async function promoteProfile(
  context: Context,
  pair: ProfilePair,
  { layout, skipped, contents, options, confirm, forced }: PromoteOptions,
): Promise<'finding' | 'partial' | 'conflict' | 'done'> {
  const { system, out, notes, globals } = context
  const { from, to } = pair
  requireNoPrintCurl(context)
  const folder = promotionFolder(system, to.name)
  await notes.note(`From ${from.described} to ${to.described}.`)
  const release = globals.dryRun ? () => {} : lockPromotion(system, folder, to.name)
  try {
    const last = readPromotion(folder)
    const compared = { folder, skipped, contents }
    const readAt = context.pauses()
    const found = await compareProfiles(pair, layout, compared)
    const first = await planPromotion(to.context, found, last)
    const bases = first.comparison.entries.filter((it) => it.local && it.kind.resourceKind === 'knowledge')
    const names = new Set(bases.map((it) => it.local?.name ?? it.name))
    context.nameStarted({}, promotionWait(context, to.name, names))
    const sides = { theirs: to.name, mine: from.name }
    await notePlan(context, first, to, forced)
    if (found.unread.length > 0) await notes.warn(unreadWarning(found.unread))
    const isComplete = found.unread.length === 0
    if (globals.dryRun) {
      await out.list(withRemarks(plannedResults(first), first.remarks), { view: promotionView })
      requirePossible(first, sides, forced)
      await notes.note('Dry run. Nothing was sent.')
      return 'done'
    }
    requirePossible(first, sides, forced)
    const checker = new Pusher(to.context, first.comparison, options)
    await checker.checkAll(first.written)
    if (first.written.length === 0) {
      checker.recordUnchanged()
      if (last?.state === 'open') await updatePromotion(to.context, folder, { ...last, state: 'done' })
      const empty = emptyText(first.comparison, to.name, isComplete)
      await out.list([], { view: { ...promotionView, empty } })
      return isComplete ? 'done' : 'finding'
    }
    await to.context.approvals.requirePlan(async () => ({
      summary: `Promote ${fileList(first.written)} from ${from.described} to ${to.described}?`,
      ...(await plannedSteps(to.context, { all: first.comparison, written: first.written, removals: [] })),
    }))
    let confirmed = options
    const plan = await confirmPlan(context, {
      plan: first,
      readAt,
      async ask(plan, isAskedAgain) {
        if (isAskedAgain) await notePlan(context, plan, to, forced)
        confirmed = await confirmTestEffects(context, plan.written, options)
        await confirmTarget(context, to, confirm, isAskedAgain)
      },
      async read() {
        const plan = await planPromotion(to.context, await compareProfiles(pair, layout, compared), last)
        requirePossible(plan, sides, forced)
        const fresh = new Pusher(to.context, plan.comparison, options)
        await fresh.checkAll(plan.written)
        return plan
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
  const lines = written.flatMap((entry) =>
    refused.has(entry.file)
      ? [`conflict ${entry.file}`]
      : [
          `${entry.remote ? 'change' : 'create'} ${entry.file}${live.has(entry.file) ? ' (live)' : ''}`,
          ...fieldDifferences(entry).map((line) => `  ${line}`),
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
  const united = Object.entries(items).map(([file, resource]) => {
    const first = earlier[file]
    if (!first || !resource.before) return [file, resource] as const
    if (!first.before) return [file, first] as const
    const saved = first.before
    const values = Object.entries(resource.before).filter(([name]) => !first.fields.includes(name))
    const firstValues = Object.entries(saved).filter(([name]) => first.fields.includes(name))
    const before = Object.fromEntries([...values, ...firstValues])
    return [
      file,
      {
        ...first,
        ...resource,
        ...(first.base && { base: first.base }),
        fields: [...new Set([...first.fields, ...resource.fields])],
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

/** Kinds that belong to one account only, and are promoted only when `--only` or a name selects them. */
const selectedKinds = 'numbers,senders,sip-trunks,campaigns'
const promotedKinds = 'labels,folders,knowledge,tools,assistants,automations'

export const promote = command({
  callsPlatform: true,
  exits: ['finding', 'partial', 'unknown'],
  summary: 'Apply the resources of one profile to another',
  argument: {
    name: 'resource',
    describe: 'Resources such as assistants/front-desk (default: all), or "undo" for the last promotion',
    optional: true,
    isVariadic: true,
  },
  risk: 'outside',
  supportsPreview: true,
  flags: [
    { flags: '--from <profile>', describe: 'Profile to read' },
    { flags: '--to <profile>', describe: 'Profile to write' },
    { ...onlyFlag, describe: `Comma-separated kinds, also ${selectedKinds} (default: ${promotedKinds})` },
    { flags: '--skip-fields <names>', describe: 'Comma-separated fields that are not changed on the target' },
    {
      flags: '--documents <folder>',
      describe: 'Project folder whose knowledge/*.yaml has the url, links or file of documents',
    },
    {
      flags: '--test <folder>',
      describe: 'First run the scenarios of this project folder, like "parley assistants test"',
    },
    {
      flags: '--force',
      describe: 'Overwrite what was changed on the target since the last promotion',
    },
    {
      flags: '--confirm-side-effects',
      describe: 'Allow test steps of automations that send messages or place calls',
    },
    skipLocalTestFlag,
    noRollbackFlag,
    { flags: '--confirm <profile>', describe: 'Name of the target profile, to confirm' },
  ],
  examples: [
    '--from staging --to production --dry-run',
    'assistants/front-desk --from staging --to production --confirm production',
    '--from staging --to production --skip-fields phone_number_id,webhook_url --confirm production',
    '--from staging --to production --confirm production --wait --wait-timeout 30m',
    'undo --to production --confirm production',
  ],
  notes: `Resources are matched by name. The plan lists created, changed and unchanged resources with both values, and marks those that are live. If the target lacks references or secrets, all of them are listed and nothing is sent (exit code 2). Secrets are read from the environment, and an existing resource keeps the secrets it has. Nothing is deleted. The platform does not return the content of documents of knowledge bases: --documents reads it from files of "parley push". Documents without content are named and not promoted (exit code 20), and those that only the target has stay. The target processes documents in the background: --wait waits until the promoted knowledge bases are active.
Only --from and --to select the platforms: --profile, --base-url, PARLEY_BASE_URL and PARLEY_API_KEY are rejected, and PARLEY_PROFILE and project files have no effect. Every write requires the name of the target. With --test, nothing is sent unless every scenario passes (exit code 20).
If only the target was changed since the last promotion, or both changed the same field, the changes are shown and nothing is sent (exit code 5); --force overwrites them and prints each value that is lost. A change of the target in another field than that of the source is preserved and printed, also later, until the source changes that field. The result is read back: exit code 20 when it differs, 11 when some resources failed. Run the same command again to resume: nothing is sent twice. Of two promotions to a profile at the same time on one computer, the second fails with exit code 5.
"promote undo" restores the fields that the last promotion changed, and deletes what it created. Later changes in other fields stay. A promotion is one entry of the history of the target profile, and "parley history undo <entry>" does the same.`,
  waits: promotionWait(),
  view: promotionView,
  async run(context, { words, flags }) {
    const options = parseWriteOptions(flags)
    const { confirm, force } = flags
    const forced = force === true
    if (words.length === 1 && words[0] === 'undo') {
      const { layout } = await parseSelection(context, [], undefined, true)
      const to = await openTarget(context, flags.to)
      return undoPromotion(context, to, { layout, options, confirm, forced }).finally(() => to.context.close())
    }
    const wrong = words.find((it) => !isResourcePath(it))
    if (wrong !== undefined)
      throw usageError(
        `${stringifyJson(wrong)} is not the kind and name of a resource. Nothing was sent.`,
        'Write assistants/front-desk for one resource, or --only assistants for all of a kind.',
      )
    const { layout } = await parseSelection(
      context,
      words,
      words.length > 0 ? flags.only : (flags.only ?? promotedKinds),
    )
    const skipped = new Set(
      String(flags.skipFields ?? '')
        .split(',')
        .map((it) => it.trim())
        .filter((it) => it !== ''),
    )
    requireKnownFields(skipped, layout)
    const pair = await openProfilePair(context, flags.from, flags.to)
    if (typeof flags.test === 'string') {
      if (!(await passesScenarios(context, flags.test))) {
        await pair.close()
        return 'finding'
      }
    }
    const contents =
      typeof flags.documents === 'string'
        ? await readDocumentContents(context, resolve(context.system.cwd, flags.documents))
        : new Map()
    return promoteProfile(context, pair, { layout, skipped, contents, options, confirm, forced }).finally(() =>
      pair.close(),
    )
  },
})

/** @throws ClientFailure `usage` for a field that none of the promoted kinds has */
function requireKnownFields(names: ReadonlySet<string>, layout: Layout): void {
  const known = new Set(layout.flatMap(([, kind]) => Object.keys(kind.documentSchema.shape)))
  const unknown = [...names].filter((it) => !known.has(it))
  if (unknown.length > 0)
    throw usageError(
      `Unknown field in --skip-fields: ${unknown.map((it) => `"${it}"`).join(', ')}. Nothing was sent.`,
      `Fields: ${[...known].sort().join(', ')}.`,
    )
}
