import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { ExitName } from '../../../contract/errors/exit-codes.ts'
import { type CommandInput, command, type Invocation, repeatedFlag } from '../../program/commandline/command.ts'
import { guardWrite, requireConfirmedName } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import type { HistoryEntry } from '../../program/history/entries.ts'
import { undoCreation } from '../../program/history/undo-creation.ts'
import { findRecreated, undoDeletion } from '../../program/history/undo-deletion.ts'
import { compareForUndo, type EntryComparison, findGivenEntry } from '../../program/history/undo-plan.ts'
import { entryResourceId, nothingToUndo, type UndoOutcome, type UndoResult } from '../../program/history/undo-result.ts'
import { undoUpdate } from '../../program/history/undo-update.ts'
import { idView, type View } from '../../program/output/format.ts'
import { nounToken } from '../../program/resources/registry.ts'
import { argument } from './view.ts'

const view: View<UndoResult> = idView((it) => it.id)

/**
 * Command `history undo`. A resource is compared with its entry before anything is changed, and the confirmations are those of the
 * command with the same effect. The undo is a change with an entry of its own.
 */
export const undo = command({
  callsPlatform: true,
  exits: ['finding', 'partial', 'unknown'],
  summary: 'Undo a change made by this CLI',
  argument,
  risk: 'write',
  reducesHarm: true,
  supportsPreview: true,
  flags: [
    {
      flags: '--force',
      describe: 'Overwrite fields that were changed since, and send values that look like masks of secrets',
    },
    {
      flags: '--set <path=value>',
      describe:
        'Secret of a resource that is created again (not saved in the history); of several, tools/12:path=value; repeatable',
      repeatable: true,
    },
    {
      flags: '--confirm-side-effects',
      describe: 'Allow test steps of an automation that send messages or place calls',
    },
    { flags: '--confirm <name>', describe: 'Name of the protected profile or of the resource in use, to confirm' },
  ],
  examples: ['12', '12 --dry-run', '12 --force', '13 --set headers.0.value="Bearer new-token"'],
  notes: `Undoing an update restores only the fields it changed. If any of them was changed since, the command fails with exit code 5; use --force to overwrite, which prints each value that is lost. Later changes of other entries of a list are preserved. Undoing a deletion creates the resource again with a new id, where possible, and lists references to the old id. Undoing a restore makes the previous definition live again.\nIf the earlier definition of an automation exists as a version, that version is restored without a test, and the automation stays enabled. Otherwise the definition is tested first. The result is read back: the exit code is 20 when it differs.\nHistory entries hold no secrets. Undoing an update keeps the live secrets, and a restored automation version has its own. A resource that is created again needs them with --set. Changes that cannot be undone, such as the release of a number, fail with exit code 5. You can undo an undo.\nAn undo needs the same confirmation as the command with the same effect. One that publishes a definition needs --yes or --confirm <name>, like "parley automate restore". Undoing a promotion does what "parley promote undo" does, and needs --confirm with the name of the profile. Of several promotions, undo the newest first. Undoing a change of several resources undoes each of them, and starts campaigns again that it stopped (exit code 11 when some could not be undone).`,
  view,
  async run(context, { argument: given, flags }): Promise<ExitName | undefined> {
    const { globals } = context
    const entry = await findGivenEntry(context, given)
    // Before the questions below: undoing a promotion asks for the name of the profile by its own rules (profile-pair.ts).
    if (entry.promotion) {
      const { undoPromotionEntry } = await import('../as-code/promotion/promotion-history.ts')
      const done = await undoPromotionEntry(context, entry, flags)
      return done === 'done' ? undefined : done
    }
    if (!globals.dryRun && !globals.printCurl) await guardWrite(context, flags.confirm as string | undefined, true)
    if (entry.group) {
      const { planOf, undoGroup } = await import('./undo-group.ts')
      const plan = await planOf(context, entry)
      const secretsOf = distributeSecrets(flags, plan.parts)
      return undoGroup(context, plan, (part) => undoPart(context, part, flags, secretsOf(part)))
    }
    const comparison = await compareForUndo(context, entry, flags.force === true)
    const { copy, live } = comparison
    await requireConfirmedName(context, flags.confirm, [copy.name, live?.name, live?.phone_number, live?.nickname])
    const done = await undoEntry(context, comparison, flags)
    if (!done) return undefined
    const { out, notes } = context
    const { id = entryResourceId(comparison.copy), done: what, fields = [] } = done.undone
    const undone: UndoResult = {
      entry: comparison.copy.entry,
      noun: nounToken(comparison.copy.noun),
      id,
      done: what,
      fields,
      undo: done.historyEntry ?? null,
    }
    await out.result(undone, done.sentence, { view })
    for (const note of done.notes ?? []) await notes.note(note)
    if (undone.undo !== null) await notes.note(`Undo: parley history undo ${undone.undo}`)
    return done.exit
  },
})

/**
 * Undoes a part of a change of many resources. Returns undefined if the change was only previewed. The caller has asked for the
 * whole change: `parley resume` passes no flags, so that fields that were changed since are never overwritten by it.
 */
export async function undoPart(
  context: Context,
  part: HistoryEntry,
  flags: Invocation['flags'],
  secrets?: Secrets,
): Promise<UndoOutcome | undefined> {
  return undoEntry(context, await compareForUndo(context, part, flags.force === true), flags, secrets)
}

/** Secrets of a resource that is created again. */
type Secrets = Pick<Parameters<typeof undoDeletion>[3], 'given' | 'setPrefix'>

/** What precedes the path of a secret in `--set`, if several resources are created again: `tools/22:`. */
const setPrefixOf = (part: HistoryEntry): string => `${nounToken(part.noun)}/${entryResourceId(part)}:`

/**
 * Returns the values of `--set` for each resource that is created again, so that the secret of one never reaches another.
 * @throws ClientFailure `usage` for a value that names none of several resources, or another one
 */
function distributeSecrets(
  flags: Invocation['flags'],
  parts: readonly HistoryEntry[],
): (part: HistoryEntry) => Secrets {
  const deleted = parts.filter((it) => it.action === 'delete')
  const prefixes = deleted.map(setPrefixOf)
  const [only] = prefixes.length === 1 ? prefixes : []
  const given = repeatedFlag(flags, 'set').map((flag): readonly [prefix: string, value: string] => {
    const named = /^[a-z-]+\/[^:=]+:/.exec(flag)?.[0]
    const prefix = named ?? only
    if (prefix === undefined)
      throw usageError(
        `Invalid --set "${flag.split('=', 1)[0]}": several resources are created again. Name the one that it is for.`,
        `For example: --set ${prefixes[0] ?? 'tools/12:'}headers.0.value=<value>.`,
      )
    if (!prefixes.includes(prefix))
      throw usageError(
        `Invalid --set: "${prefix.slice(0, -1)}" is not created again.`,
        `Resources: ${prefixes.map((it) => it.slice(0, -1)).join(', ')}.`,
      )
    return [prefix, flag.slice(named?.length ?? 0)]
  })
  return (part) => {
    const prefix = setPrefixOf(part)
    const own = given.filter(([of]) => of === prefix).map(([, value]) => value)
    return { given: parseSecrets(own), ...(prefixes.length > 1 && { setPrefix: prefix }) }
  }
}

/** Undoes an entry. Returns undefined if the change was only previewed. */
async function undoEntry(
  context: Context,
  comparison: EntryComparison,
  flags: Invocation['flags'],
  secrets: Secrets = { given: parseSecrets(repeatedFlag(flags, 'set')) },
): Promise<UndoOutcome | undefined> {
  const { copy, kind, live } = comparison
  const label = `${kind.singular} ${copy.name === null ? entryResourceId(copy) : `"${copy.name}" (${entryResourceId(copy)})`}`
  const options = { confirmsSideEffects: flags.confirmSideEffects === true, confirmed: flags.confirm }
  if (copy.action === 'create')
    return live
      ? undoCreation(context, comparison, label, flags.confirm)
      : nothingToUndo(`The ${label} was already deleted.`)
  if (copy.action === 'delete') {
    if (live?.ends_at)
      throw cannotUndoError(
        `The release of ${label} cannot be undone: its subscription ends on ${String(live.ends_at)}.`,
        kind.notRestored,
      )
    if (live) return nothingToUndo(`Nothing to undo: the ${label} exists.`)
    const recreated = await findRecreated(context, comparison)
    if (recreated !== undefined)
      return nothingToUndo(`Nothing to undo: the ${label} was recreated with id ${recreated}.`)
    return undoDeletion(context, comparison, label, { ...secrets, ...options })
  }
  if (!live)
    throw new ClientFailure({
      exit: 'not_found',
      code: 'not_found',
      message: `The ${label} no longer exists.`,
      hint: `If you deleted it with this CLI: parley history list --noun ${nounToken(copy.noun)} --id ${entryResourceId(copy)}.`,
    })
  return undoUpdate(context, { ...comparison, live }, label, {
    ...options,
    force: flags.force === true,
  })
}

const cannotUndoError = (message: string, hint: string | undefined): ClientFailure =>
  new ClientFailure({
    exit: 'conflict',
    code: 'cannot_be_undone',
    message: `${message} Nothing was changed.`,
    ...(hint !== undefined && { hint }),
  })

/** Parses values of `--set`. @throws ClientFailure `usage` */
function parseSecrets(given: readonly string[]): CommandInput {
  return Object.fromEntries(
    given.map((flag) => {
      const at = flag.indexOf('=')
      if (at < 1) throw usageError(`Invalid --set "${flag}". Use path=value.`)
      return [flag.slice(0, at), flag.slice(at + 1)]
    }),
  )
}
