import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { type CommandInput, command, type Invocation, repeatedFlag } from '../../commandline/command.ts'
import { guardWrite } from '../../consent/require-confirmation.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import { compareWithLive, type EntryComparison } from '../../history/undo-plan.ts'
import { entryResourceId, nothingToUndo, type UndoOutcome, type UndoResult } from '../../history/undo-result.ts'
import type { View } from '../../output/form.ts'
import { argument } from './view.ts'

const view: View<UndoResult> = { id: (it) => it.id, columns: [], empty: '' }

export const undo = command({
  callsPlatform: true,
  exits: ['finding', 'unknown'],
  summary: 'Take back a change that was made from here',
  argument,
  risk: 'write',
  supportsPreview: true,
  flags: [
    { flags: '--force', describe: 'Put fields back that somebody changed after it, too' },
    {
      flags: '--set <path=value>',
      describe: 'A secret of a thing that is made again, which no copy has; repeatable',
      repeatable: true,
    },
    {
      flags: '--confirm-side-effects',
      describe: 'Steps of an automation that really send or call may run in its test',
    },
    { flags: '--confirm <name>', describe: 'Name of a protected profile, as consent' },
  ],
  examples: ['12', '12 --dry-run', '12 --force', '13 --set headers.0.value="Bearer new-token"'],
  notes: `An update: the fields it changed go back to what they were, and nothing else does. Where somebody changed one of them since, nothing is done (exit 5) unless --force is given. A deletion: the thing is made again, where that can be, with a new id; what pointed to the old one is told. A restore: the definition before it is live again. The definition of an automation is put back by restoring its version where there is one, which runs no test and leaves it enabled; elsewhere it is tested first. What is live is read back: exit 20 when it is not as before. Copies hold no secrets: undoing an update leaves those that are live, a version of an automation comes back with its own, and a thing that is made again needs them with --set. What cannot be undone, such as the release of a number, exits 5. Undoing is a change like any other, and can be undone.`,
  view,
  async run(context, { argument: given, flags }): Promise<ExitName | undefined> {
    const { globals } = context
    if (!globals.dryRun && !globals.printCurl) await guardWrite(context, flags.confirm as string | undefined)
    const comparison = await compareWithLive(context, given)
    const done = await undoEntry(context, comparison, flags)
    if (!done) return undefined
    const { out, notes } = context
    const { id = entryResourceId(comparison.copy), done: what, fields = [] } = done.undone
    const undone: UndoResult = {
      entry: comparison.copy.entry,
      noun: comparison.copy.noun,
      id,
      done: what,
      fields,
      undo: context.historyEntries.at(-1) ?? null,
    }
    if (out.settings.form !== 'table' || out.settings.fields) await out.record(undone, { view } as never)
    else await out.line(done.sentence)
    for (const it of done.notes ?? []) await notes.note(it)
    if (undone.undo !== null) await notes.note(`Undo: parley history undo ${undone.undo}`)
    return done.exit
  },
})

/** Undefined where it was only shown. */
async function undoEntry(
  context: Context,
  comparison: EntryComparison,
  flags: Invocation['flags'],
): Promise<UndoOutcome | undefined> {
  const { copy, kind, live } = comparison
  const label = `${kind.singular} ${copy.name === null ? entryResourceId(copy) : `"${copy.name}" (${entryResourceId(copy)})`}`
  if (copy.action === 'create')
    return live
      ? (await import('../../history/undo-creation.ts')).undoCreation(context, comparison, label)
      : nothingToUndo(`The ${label} is gone already.`)
  if (copy.action === 'delete') {
    if (live?.ends_at)
      throw cannotUndoError(
        `The release of ${label} cannot be undone: its subscription ends on ${String(live.ends_at)}.`,
        kind.notRestored,
      )
    if (live) return nothingToUndo(`Nothing to undo: the ${label} exists.`)
    return (await import('../../history/undo-deletion.ts')).undoDeletion(
      context,
      comparison,
      label,
      parseSetFlags(flags),
      flags.confirmSideEffects === true,
    )
  }
  if (!live)
    throw new ClientFailure({
      exit: 'not_found',
      code: 'not_found',
      message: `The ${label} is gone.`,
      hint: `Where it was deleted from here: parley history list --noun "${copy.noun}" --id ${entryResourceId(copy)}.`,
    })
  const { undoUpdate } = await import('../../history/undo-update.ts')
  return undoUpdate(context, { ...comparison, live }, label, {
    force: flags.force === true,
    confirmed: flags.confirmSideEffects === true,
  })
}

const cannotUndoError = (message: string, hint: string | undefined): ClientFailure =>
  new ClientFailure({
    exit: 'conflict',
    code: 'cannot_be_undone',
    message: `${message} Nothing was changed.`,
    ...(hint !== undefined && { hint }),
  })

function parseSetFlags(flags: Invocation['flags']): CommandInput {
  return Object.fromEntries(
    repeatedFlag(flags, 'set').map((it) => {
      const at = it.indexOf('=')
      if (at < 1) throw usageError(`--set takes path=value, not "${it}".`)
      return [it.slice(0, at), it.slice(at + 1)]
    }),
  )
}
