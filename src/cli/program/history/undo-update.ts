import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { shellQuote } from '../../../client/requests/shell-quote.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { redactedText } from '../../../contract/values/redact.ts'
import { stringifyJson } from '../../../node/json.ts'
import { fieldFlags } from '../commandline/field-flags.ts'
import { previewRequest } from '../connection/send-request.ts'
import type { Context, RecordedReply } from '../context.ts'
import type { SeparateWrite, UndoOptions } from '../resources/resource.ts'
import { describeChanges } from '../updates/field-changes.ts'
import { fullText, lostValueLines } from '../updates/text-difference.ts'
import { redactContent, writableFieldsOf } from './entry-content.ts'
import { type EntryComparison, planUndo } from './undo-plan.ts'
import { nothingToUndo, type UndoOutcome } from './undo-result.ts'

interface UndoUpdateOptions extends UndoOptions {
  readonly force: boolean
}

/** Returns the command lines that set the secrets of fields, with `...` in place of each secret. */
function secretCommands({ copy, kind }: EntryComparison, fields: readonly string[]): string {
  const { fieldCommands = {}, update } = kind
  const flags = fieldFlags({ ...(update && { endpoint: update }) })
  const lines = new Map<string, string[]>()
  for (const field of fields) {
    const own = fieldCommands[field]
    const value = copy.before?.[field] ?? copy.sent?.[field]
    const flag = flags.find((it) => it.field === field)
    const given =
      own?.flagsFor(value) ?? (flag ? [[flag.long, typeof value === 'string' ? value : stringifyJson(value)]] : [])
    const verb = own?.verb ?? 'update'
    const words = given.flatMap(([name, text = '']) => [name, shellQuote(text.replaceAll(redactedText, '...'))])
    lines.set(verb, [...(lines.get(verb) ?? []), ...words])
  }
  const ids = Object.values(copy.ids).join(' ')
  return [...lines].map(([verb, words]) => ['parley', copy.noun, verb, ids, ...words].join(' ')).join(' and ')
}

/**
 * Restores the fields that an update or a restore changed. @throws ClientFailure `conflict` with fields that were
 * changed since
 */
export async function undoUpdate(
  context: Context,
  comparison: EntryComparison & { readonly live: ResourceRecord },
  label: string,
  ways: UndoUpdateOptions,
): Promise<UndoOutcome | undefined> {
  const { copy, kind, live } = comparison
  const { change, conflicts, impossible, secret } = await planUndo(comparison)
  const fields = Object.keys(change)
  const cannot = impossible.length > 0 ? [`Not restored: ${impossible.join(', ')}.`] : []
  if (fields.length === 0 && cannot.length === 0 && secret.length > 0)
    throw new ClientFailure({
      exit: 'conflict',
      code: 'secrets_not_kept',
      message: `This change may have changed secrets, which the history does not save: ${secret.join(', ')}. Nothing was restored.`,
      hint: `Set their previous values: ${secretCommands(comparison, secret)}`,
    })
  if (fields.length === 0 && impossible.length > 0)
    throw new ClientFailure({
      exit: 'conflict',
      code: 'cannot_be_undone',
      message: `The change of ${label} cannot be undone: ${impossible.join(', ')}. Nothing was changed.`,
      hint: `Show the differences: parley history diff ${copy.entry}.`,
    })
  if (fields.length === 0) return nothingToUndo(`Nothing to undo: the ${label} already has the previous values.`)
  if (conflicts.length > 0 && !ways.force)
    throw new ClientFailure({
      exit: 'conflict',
      code: 'changed_since',
      message: `The ${label} was changed since: ${[...new Set(conflicts.map(({ path }) => path.split('.', 1)[0]))].join(', ')}. Nothing was restored.`,
      details: conflicts.map(({ path, base, theirs, mine }) => {
        const steps = kind.document?.describeChange(path, base, theirs)
        return {
          path,
          message: steps
            ? ['changed since:', ...steps].join('\n')
            : `changed to ${fullText(base)}; now ${fullText(theirs)}; before ${fullText(mine)}`,
        }
      }),
      hint: `Show the differences: parley history diff ${copy.entry}. To overwrite them: --force.`,
    })
  if (conflicts.length > 0)
    await context.notes.warn(
      [
        `Changed since, and overwritten with --force:`,
        ...conflicts.flatMap(({ path, theirs, mine }) => {
          const steps = kind.document?.describeChange(path, theirs, mine, true)
          return steps
            ? [`${path}:`, ...steps.map((it) => `  ${it}`)]
            : lostValueLines({ path, lost: theirs, replacement: mine })
        }),
      ].join('\n'),
    )
  const done = kind.document
    ? await kind.document.undoUpdate(context, copy, label, change, ways)
    : await restoreFields(context, comparison, label, change)
  if (!done) return undefined
  const now = await writableFieldsOf(kind, kind.update, await redactContent(kind, live))
  const definition = kind.document?.compare(await redactContent(kind, live), copy.before ?? {})
  const lines = [
    ...fields
      .filter((name) => !definition?.fields.includes(name))
      .flatMap((name) => describeChanges({ [name]: now[name] ?? null }, { [name]: change[name] ?? null })),
    ...(definition?.lines ?? []),
  ]
  // A restored version has its own secrets.
  const secretsNote =
    secret.length > 0 && !kind.document
      ? [
          `Secrets were not changed: ${secret.join(', ')}. Set their previous values: ${secretCommands(comparison, secret)}`,
        ]
      : []
  if (done.exit) return done
  return {
    ...done,
    notes: [...(lines.length > 0 ? [lines.join('\n')] : []), ...(done.notes ?? []), ...cannot, ...secretsNote],
  }
}

async function restoreFields(
  context: Context,
  comparison: EntryComparison,
  label: string,
  change: ResourceRecord,
): Promise<UndoOutcome | undefined> {
  const reply = await sendRestoredFields(context, comparison, change)
  if (!reply) return undefined
  return {
    undone: { done: 'restored', fields: Object.keys(change) },
    sentence: `Restored ${label}.`,
    historyEntry: reply.historyEntry,
  }
}

/** Sends the fields. Returns false if they were only previewed. */
async function sendRestoredFields(
  context: Context,
  { copy, kind, live: assumed, isAssumed }: EntryComparison,
  change: ResourceRecord,
): Promise<RecordedReply<unknown> | undefined> {
  const { separateWrites = {} } = kind
  const live = isAssumed ? undefined : assumed
  const isSeparate = (name: string): boolean => Object.hasOwn(separateWrites, name)
  const fields = Object.fromEntries(Object.entries(change).filter(([name]) => !isSeparate(name)))
  const send = async (endpoint: Endpoint, input: ResourceRecord, previous: ResourceRecord | undefined) =>
    (await previewRequest(context, endpoint, input))
      ? undefined
      : context.call.raw(endpoint, input, { history: { previous } })
  const hasFields = Object.keys(fields).length > 0
  let reply = hasFields ? await send(kind.update as Endpoint, { ...fields, ...copy.ids }, live) : undefined
  if (hasFields && !reply) return undefined
  for (const name of Object.keys(change).filter(isSeparate)) {
    const [endpoint, input] = (separateWrites[name] as SeparateWrite)(change[name], copy.ids.id as number | string)
    // An earlier request has changed the resource, so it is read again.
    reply = await send(endpoint, input, reply ? undefined : live)
  }
  return reply
}
