import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { isAnyMask } from '../../../client/requests/require-no-masks.ts'
import { coerceDeep } from '../../../contract/endpoint/coerce.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { readOnlyFields } from '../../../contract/endpoint/read-only-fields.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { findMasks } from '../../../contract/values/mask.ts'
import { stringifyJson } from '../../../node/json.ts'
import { editorCommand } from '../../../node/operating-system.ts'
import { loadYaml } from '../../../node/parse-yaml.ts'
import { makeTemporaryFolder } from '../../../node/temporary-folder.ts'
import { confirmPlan, requireConfirmation } from '../consent/require-confirmation.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { inputSchema } from '../input/json-schema.ts'
import { type ParsedYaml, readYaml, yamlErrorMessage } from '../input/read-yaml.ts'
import { mask } from '../secrets/masked-values.ts'
import { type MergeConflict, mergeRecords, type RecordMerge } from './merge-records.ts'
import { fullText, lostValueLines } from './text-difference.ts'

type Fields = Readonly<Record<string, unknown>>

/** The flag of commands that can open a record in an editor. */
export const editFlag = {
  flags: '--edit',
  describe: 'Edit the record as YAML in $VISUAL or $EDITOR and send the changes',
} as const

interface EditOptions {
  readonly endpoint: Endpoint
  readonly id: number
  readonly record: Fields
  /** Fields from flags: included in the document, and sent even if they are not edited. */
  readonly flagFields: Fields
  /** Secret fields from flags that must not be written to the file. */
  readonly secretFields?: Fields
  /** Reads the record again after it was edited. Undefined if it no longer exists. */
  readonly read: () => Promise<Fields | undefined>
  /** Sends the edited fields and those from flags. */
  readonly send: (change: Record<string, unknown>) => Promise<void>
}

/**
 * Opens the writable fields as YAML in the user's editor and sends the changed ones, if any. Fields that the contract
 * does not know are included. If sending fails, the edited file is not deleted.
 *
 * @throws ClientFailure `usage` without a terminal or editor, and for a document without fields; exit 1 if the editor
 * fails
 */
export async function editRecord(
  context: Context,
  { endpoint, id, record, flagFields, secretFields = {}, read, send }: EditOptions,
): Promise<void> {
  const { env, os, run } = context.system
  if (!context.interactive)
    throw usageError('--edit requires a terminal.', 'Pass the fields as flags, with --set or with --file.')
  const editor = env.VISUAL || env.EDITOR
  if (!editor) throw usageError('--edit requires an editor.', 'Set EDITOR, for example EDITOR=vi.')
  const { stringify } = await loadYaml()
  const known = endpoint.body?.shape ?? {}
  const original = Object.fromEntries(
    Object.entries({ ...record, ...flagFields }).filter(
      ([name]) => Object.hasOwn(known, name) || !isReadOnly(endpoint, name),
    ),
  )
  const folder = makeTemporaryFolder('parley-edit-')
  const file = join(folder, `${endpoint.name}.yaml`)
  const written = `${fileHeader(endpoint.name)}${stringify(original, { lineWidth: 0 })}`
  let text = written
  let isDone = false
  try {
    writeFileSync(join(folder, `${endpoint.name}.schema.json`), stringifyJson(inputSchema(endpoint)), { mode: 0o600 })
    writeFileSync(file, written, { mode: 0o600 })
    const { exitCode } = await run(...editorCommand(os, editor, file), { interactive: true })
    if (exitCode === 127)
      throw usageError(`Editor "${editor}" not found. Nothing was changed.`, 'Set EDITOR, for example EDITOR=vi.')
    text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    if (exitCode !== 0)
      throw new ClientFailure({
        exit: 'internal',
        code: 'editor',
        message: `The editor failed with exit code ${exitCode}.`,
        hint: 'Nothing was changed.',
      })
    if (isBlank(text)) throw usageError('Cancelled: the file is empty.', 'Nothing was changed.')
    const after = await parseEdited(endpoint, text)
    await noteOmittedFields(context, original, after)
    const changed = Object.fromEntries(
      Object.entries(after).filter(([name, value]) => stringifyJson(value) !== stringifyJson(original[name])),
    )
    const edits = { ...flagFields, ...changed }
    const isUnchanged = Object.keys({ ...secretFields, ...edits }).length === 0
    await (isUnchanged
      ? context.out.line('No changes.')
      : send({ ...secretFields, ...(await mergeEdits(context, { record, edits, read })) }))
    isDone = isUnchanged || (!context.globals.dryRun && !context.globals.printCurl)
  } finally {
    if (isDone || isBlank(text) || text === written) rmSync(folder, { recursive: true, force: true })
    else
      await context.notes.warn(
        `Your edits are saved in ${file}. To send them: parley ${context.commandName} ${id} --file ${file}`,
      )
  }
}

/**
 * Merges edits with changes that others made while the editor was open. A field that both changed in different ways is
 * shown with its three values, and overwritten only if a person agrees. @throws ClientFailure exit 10
 */
async function mergeEdits(
  context: Context,
  { record, edits, read }: Pick<EditOptions, 'record' | 'read'> & { readonly edits: Fields },
): Promise<Fields> {
  const merge = (current: Fields | undefined): RecordMerge => {
    const merged = mergeRecords(pickNames(record, edits), edits, pickNames(current ?? record, edits))
    return { ...merged, conflicts: [...merged.conflicts, ...secretConflicts(record, current, edits)] }
  }
  const { merged, adopted } = await confirmPlan(context, {
    plan: merge(record),
    // The editor was open since the record was read.
    readAt: -1,
    async ask(_, isAskedAgain) {
      if (!isAskedAgain) return
      await requireConfirmation(
        context,
        {
          question: 'Overwrite these changes with yours?',
          refusalMessage: 'Overwriting changes requires confirmation.',
        },
        { isAskedAgain },
      )
    },
    read: async () => merge(await read()),
    describeChanges: (agreed, current) =>
      isDeepStrictEqual(agreed.conflicts, current.conflicts)
        ? []
        : [
            'Changed by someone else while the editor was open:',
            ...current.conflicts.flatMap(({ path, base, theirs, mine }) => [
              `${path}: was ${fullText(base)}; now ${fullText(theirs)}; yours ${fullText(mine)}`,
              ...lostValueLines({ path, lost: theirs, replacement: mine }),
            ]),
          ],
  })
  if (adopted.length > 0)
    await context.notes.warn(
      [
        'Merged with changes made while the editor was open:',
        ...adopted.flatMap(({ path, base, theirs }) => lostValueLines({ path, lost: base, replacement: theirs })),
      ].join('\n'),
    )
  return merged
}

/**
 * Returns the fields in which an edit replaces a secret, if others changed the record in no value that is shown:
 * then others may have replaced the secret too.
 */
function secretConflicts(record: Fields, current: Fields | undefined, edits: Fields): readonly MergeConflict[] {
  const shown = ({ updated_at: _, ...fields }: Fields): Fields => fields
  if (!current || current.updated_at === record.updated_at || !isDeepStrictEqual(shown(current), shown(record)))
    return []
  const countMasks = (name: string, fields: Fields): number => findMasks({ [name]: fields[name] }, isAnyMask).length
  return Object.keys(edits)
    .filter((name) => countMasks(name, edits) < countMasks(name, record))
    .map((path) => ({ path, base: mask, theirs: mask, mine: mask }))
}

const pickNames = (record: Fields, names: Fields): Fields =>
  Object.fromEntries(Object.entries(record).filter(([name]) => Object.hasOwn(names, name)))

/** Returns whether the text has only comments. */
const isBlank = (text: string): boolean => text.replace(/^\s*#.*$/gm, '').trim() === ''

/** Notes removed lines: removing a line does not clear its field. */
async function noteOmittedFields({ notes }: Context, original: Fields, after: Fields): Promise<void> {
  const names = Object.keys(original).filter((name) => !Object.hasOwn(after, name))
  if (names.length > 0)
    await notes.note(`Removed from the file and not changed: ${names.join(', ')}. To clear a field, set it to null.`)
}

/**
 * Returns the header for editors with a YAML language server, which complete and validate the fields with the schema
 * beside the file.
 */
const fileHeader = (name: string): string =>
  `# yaml-language-server: $schema=${name}.schema.json\n# Save and close to send the changes. Close without changes to cancel.\n`

async function parseEdited(endpoint: Endpoint, text: string): Promise<Record<string, unknown>> {
  let read: ParsedYaml
  try {
    read = await readYaml(text)
  } catch (error) {
    throw usageError(`Invalid YAML: ${yamlErrorMessage(error)}`, 'Nothing was changed.')
  }
  const { value, asText } = read
  if (!isObject(value)) throw usageError('The edited file has no fields.', 'Nothing was changed.')
  return (endpoint.body ? coerceDeep(endpoint.body, value, asText) : value) as Record<string, unknown>
}

/** Returns whether the platform sets the field: ids, times and read-only fields. */
const isReadOnly = (endpoint: Endpoint, name: string): boolean =>
  name === 'id' || name.endsWith('_at') || readOnlyFields(endpoint).has(name)
