import { command } from '../../commandline/command.ts'
import { isOwnEntry, listAllEntries, promotionNoun, withoutParts } from '../../history/entries.ts'
import { historyScope } from '../../history/recorder.ts'
import { listWriteLog } from '../../history/write-log.ts'
import { parseTimeFlag } from '../../input/time-flag.ts'
import { applyLimit } from '../../output/print-list.ts'
import { oldRecordedNouns, recordedNouns } from '../../resources/descriptors.ts'
import { toListedEntry, view, writesView } from './view.ts'

export const list = command({
  summary: 'List changes made by this CLI, newest first',
  flags: [
    {
      flags: '--noun <noun>',
      describe: 'Only changes of this kind of resource, for example tools',
      choices: [...recordedNouns, promotionNoun],
      hiddenChoices: oldRecordedNouns,
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
  notes: `The previous values are saved before every update, deletion and restore, without secrets, in the folder "history" of the data folder. Each profile and platform has at most 500 entries, for 30 days; "parley server purge" deletes them earlier. A promotion is one entry, and those of its single writes are listed with --noun or --id. The log of writes has names of fields and no values.\nWhen is the time of this computer, which moving the clock of the platform does not change.`,
  view,
  otherView: writesView,
  async run(context, { flags }) {
    const since = parseTimeFlag(flags.since, '--since', context.system.now())
    const isMeant = (it: { readonly at: string; readonly id: string | null }): boolean =>
      (since === undefined || Date.parse(it.at) >= since) && (flags.id === undefined || it.id === flags.id)
    if (flags.allWrites) {
      const resource = flags.noun === undefined ? undefined : String(flags.noun).split('-', 1)[0]
      const writes = listWriteLog(context.system).filter(
        (it) => isMeant(it) && (resource === undefined || it.command.startsWith(resource)),
      )
      return context.out.list(applyLimit(context, writes), { view: writesView })
    }
    const place = await historyScope(context)
    const all = listAllEntries(context.system, place)
    const copies = all.filter((it) => isOwnEntry(context.system, place, it))
    const isOfResource = flags.noun !== undefined || flags.id !== undefined
    const shown = (isOfResource ? copies : withoutParts(copies)).map(toListedEntry)
    const found = shown.filter((it) => isMeant(it) && (flags.noun === undefined || it.noun === flags.noun))
    await context.out.list(applyLimit(context, found), { view })
    const others = all.length - copies.length
    if (others > 0)
      await context.notes.note(
        `Not shown: ${others} ${others === 1 ? 'entry' : 'entries'} made with another API key, which may belong to another account.`,
      )
    if (found.length > 0) await context.notes.note('Undo a change: parley history undo <entry>')
  },
})
