import { isDeepStrictEqual } from 'node:util'
import { command } from '../../program/commandline/command.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import {
  groupNoun,
  historyScope,
  isOwnEntry,
  listAllEntries,
  promotionNoun,
  withoutParts,
} from '../../program/history/entries.ts'
import { definitionOf, redactContent } from '../../program/history/entry-content.ts'
import { partsOf } from '../../program/history/groups.ts'
import { compareWithLive, findGivenEntry, planUndo } from '../../program/history/undo-plan.ts'
import { listWriteLog } from '../../program/history/write-log.ts'
import { parseTimeFlag } from '../../program/input/time-flag.ts'
import { idView } from '../../program/output/format.ts'
import { applyLimit } from '../../program/output/print-list.ts'
import { nounToken, oldRecordedNouns, recordedNouns } from '../../program/resources/registry.ts'
import { describeChanges } from '../../program/updates/field-changes.ts'
import { argument, toListedEntry, view, writesView } from './view.ts'

/** Command `history diff`. Scripts read its result in the form that custom-output-schemas.ts declares. */
export const diff = command({
  callsPlatform: true,
  exits: ['finding'],
  summary: 'Compare a history entry with the live resource',
  argument,
  examples: ['12', '12 --json'],
  notes:
    'Shows each field that differs, from the saved value to the live value. Secrets are not shown. Of a promotion, the fields that it changed are compared in all of its resources. The exit code is 20 when there are differences.',
  async run(context, { argument: given }) {
    const copy = await findGivenEntry(context, given)
    if (copy.promotion) {
      const { diffPromotionEntry } = await import('../as-code/promotion/promotion-history.ts')
      return diffPromotionEntry(context, copy, copy.promotion)
    }
    if (copy.group)
      throw usageError(
        `Entry ${copy.entry} changed several resources. Compare its parts.`,
        `Show them: parley history get ${copy.entry}.`,
      )
    const { kind, live } = await compareWithLive(context, copy)
    const before = definitionOf(kind, copy.before ?? {})
    const now = live && definitionOf(kind, await redactContent(kind, live))
    const definition = now && kind.document?.compare(before, now)
    const names = now ? [...new Set([...Object.keys(before), ...Object.keys(now)])] : []
    const differences = names
      .filter((name) => !isDeepStrictEqual(before[name] ?? null, now?.[name] ?? null))
      .map((field) => ({
        field,
        copy: before[field] ?? null,
        live: now?.[field] ?? null,
        ...(definition?.fields.includes(field) && { steps: definition.steps }),
      }))
    const secrets = live && copy.before ? (await planUndo({ copy, kind, live })).secret : []
    const isGone = live === undefined
    const { out } = context
    const id = Object.values(copy.ids).join('/')
    const print = async (): Promise<void> => {
      if (isGone)
        return out.line(`The ${kind.singular} ${copy.name === null ? '' : `"${copy.name}" `}(${id}) no longer exists.`)
      const others = Object.entries(before).filter(([name]) => !definition?.fields.includes(name))
      const lines = [...describeChanges(Object.fromEntries(others), now ?? {}), ...(definition?.lines ?? [])]
      const none = secrets.length > 0 ? [] : ['No differences.']
      for (const line of lines.length > 0 ? lines : none) await out.line(line)
      if (secrets.length > 0)
        await out.line(
          `Not compared: ${secrets.join(', ')}. The history does not save secrets, which may have changed.`,
        )
    }
    await out.result(
      { entry: copy.entry, noun: nounToken(copy.noun), id, gone: isGone, differences, not_compared: secrets },
      print,
      { view: idView(() => copy.entry) },
    )
    return isGone || differences.length > 0 ? 'finding' : 'done'
  },
})

export const get = command({
  callsPlatform: true,
  exits: ['not_found'],
  summary: 'Show a change made by this CLI, with the previous values',
  argument,
  examples: ['12', '12 --json'],
  notes: 'Secrets are not saved. To compare the saved values with the live ones: parley history diff <entry>.',
  view,
  async run(context, { argument: given }) {
    const copy = await findGivenEntry(context, given)
    const { before, sent, promotion } = copy
    if (promotion) {
      const { from, to, items } = promotion
      await context.out.record({ ...toListedEntry(copy), from, to, items }, { view })
      await context.notes.note(`Compare with live: parley history diff ${copy.entry}`)
      return
    }
    if (copy.group) {
      const parts = await partsOf(context, copy)
      const numbers = parts.map((it) => it.entry)
      await context.out.record({ ...toListedEntry(copy, parts), items: copy.group.items, parts: numbers }, { view })
      await context.notes.note(`Undo all of it: parley history undo ${copy.entry}`)
      return
    }
    await compareWithLive(context, copy)
    await context.out.record({ ...toListedEntry(copy), before: before ?? null, sent: sent ?? null }, { view })
    await context.notes.note(`Compare with live: parley history diff ${copy.entry}`)
  },
})

/** Command `history list`. Scripts read `ListedEntry` as JSON, and with --all-writes `WriteLogEntry`. */
export const list = command({
  summary: 'List changes made by this CLI, newest first',
  flags: [
    {
      flags: '--noun <noun>',
      describe: 'Only changes of this kind of resource, for example tools',
      choices: [...recordedNouns(), promotionNoun, groupNoun],
      hiddenChoices: oldRecordedNouns(),
    },
    { flags: '--id <id>', describe: 'Only changes of the resource with this id' },
    { flags: '--since <time>', describe: 'Only entries at or after a time, or within the last 30m, 2h, 7d, 1w' },
    {
      flags: '--all-writes',
      describe: 'Show the log of every write instead, for all profiles: time, command and response',
    },
  ],
  isList: true,
  examples: ['', '--noun assistants --id 1', '--since 2h --json', '--all-writes --limit 20'],
  notes: `The previous values are saved before every update, deletion and restore, without secrets, in the folder "history" of the data folder. Each profile and platform has at most 500 entries, for 30 days; "parley server purge" deletes them earlier. A promotion is one entry, and so is a change of several resources by one command (action "group"), which one "history undo" reverts; those of the single writes are listed with --noun or --id. The log of writes has names of fields and no values.\nWhen is the time of this computer, which moving the clock of the platform does not change.`,
  view,
  otherView: writesView,
  async run(context, { flags }) {
    const since = parseTimeFlag(flags.since, '--since', context.system.now())
    const isMeant = (entry: { readonly at: string; readonly id: string | null }): boolean =>
      (since === undefined || Date.parse(entry.at) >= since) && (flags.id === undefined || entry.id === flags.id)
    if (flags.allWrites) {
      const isFiltered = since !== undefined || flags.id !== undefined || flags.noun !== undefined
      const resource = flags.noun === undefined ? undefined : String(flags.noun).split('-', 1)[0]
      const writes = listWriteLog(context.system).filter(
        (it) => isMeant(it) && (resource === undefined || it.command.startsWith(resource)),
      )
      return context.out.list(applyLimit(context, writes), {
        view: isFiltered ? { ...writesView, empty: 'No writes in the log match.' } : writesView,
      })
    }
    const place = await historyScope(context)
    const all = listAllEntries(context.system, place)
    const copies = all.filter((it) => isOwnEntry(context.system, place, it))
    const isOfResource = flags.noun !== undefined || flags.id !== undefined
    const shown = (isOfResource ? copies : withoutParts(copies)).map((copy) =>
      toListedEntry(copy, copy.group && copies.filter((part) => part.part_of === copy.entry)),
    )
    const found = shown.filter((it) => isMeant(it) && (flags.noun === undefined || it.noun === flags.noun))
    await context.out.list(applyLimit(context, found), {
      view: shown.length > 0 ? { ...view, empty: 'No changes in the history match. All: parley history list' } : view,
    })
    const others = all.length - copies.length
    if (others > 0)
      await context.notes.note(
        `Not shown: ${others} ${others === 1 ? 'entry' : 'entries'} made with another API key, which may belong to another account.`,
      )
    if (found.length > 0) await context.notes.note('Undo a change: parley history undo <entry>')
    if (found.some((it) => it.action === 'group'))
      await context.notes.note('A group is what one command changed in several resources: its undo reverts all of it.')
  },
})
