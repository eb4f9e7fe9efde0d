import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClientFailure } from '../../client/failures/client-failure.ts'
import { coerceDeep } from '../../contract/mechanics/coerce.ts'
import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import { readOnlyFields } from '../../contract/mechanics/read-only-fields.ts'
import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { type ParsedYaml, readYaml, yamlErrorMessage } from '../input/read-yaml.ts'

type Fields = Readonly<Record<string, unknown>>

/** The flag of commands that can open a record in an editor. */
export const editFlag = {
  flags: '--edit',
  describe: 'Edit the record as YAML in $VISUAL or $EDITOR, and send what changed',
} as const

interface EditOptions {
  readonly endpoint: Endpoint
  readonly id: number
  readonly record: Fields
  /** What flags gave: it stands in the document already, and is sent whether or not it is edited. */
  readonly flagFields: Fields
  /** What flags gave that must not come to stand in a file. */
  readonly secretFields?: Fields
  /** Sends the fields that came back different, and those that flags gave. */
  readonly send: (change: Record<string, unknown>) => Promise<void>
}

/**
 * Opens what an update may change as YAML in the user's editor, and sends what came back different; nothing when nothing did.
 * Fields the contract does not know stay in the document, so that a deployment's own are not lost. What was edited and could not be sent is kept.
 * @throws ClientFailure `usage` without a terminal or an editor that is there, and for a document without fields; exit 1 when the editor fails
 */
export async function editRecord(
  context: Context,
  { endpoint, id, record, flagFields, secretFields = {}, send }: EditOptions,
): Promise<void> {
  const { env, run } = context.world
  if (!context.interactive)
    throw usageError('--edit needs a terminal.', 'Give the fields as flags, with --set, or with --file.')
  const editor = env.VISUAL || env.EDITOR
  if (!editor) throw usageError('--edit needs an editor.', 'Set EDITOR, such as EDITOR=vi.')
  const { stringify } = await import('yaml')
  const { inputSchema } = await import('../command-reference/json-schema.ts')
  const known = endpoint.body?.shape ?? {}
  const original = Object.fromEntries(
    Object.entries({ ...record, ...flagFields }).filter(
      ([name]) => Object.hasOwn(known, name) || !isReadOnly(endpoint, name),
    ),
  )
  const folder = mkdtempSync(join(tmpdir(), 'parley-edit-'))
  const file = join(folder, `${endpoint.name}.yaml`)
  const written = `${fileHeader(endpoint.name)}${stringify(original, { lineWidth: 0 })}`
  let text = written
  let isDone = false
  try {
    writeFileSync(join(folder, `${endpoint.name}.schema.json`), JSON.stringify(inputSchema(endpoint)), { mode: 0o600 })
    writeFileSync(file, written, { mode: 0o600 })
    const { exitCode } = await run('sh', ['-c', `${editor} "$1"`, 'sh', file], { interactive: true })
    if (exitCode === 127)
      throw usageError(`There is no editor "${editor}" here.`, 'Set EDITOR, such as EDITOR=vi. Nothing was changed.')
    text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    if (exitCode !== 0)
      throw new ClientFailure({
        exit: 'internal',
        code: 'editor',
        message: `The editor ended with exit code ${exitCode}.`,
        hint: 'Nothing was changed.',
      })
    if (isBlank(text)) throw usageError('Given up: nothing is left in the file.', 'Nothing was changed.')
    const after = await parseEdited(endpoint, text)
    await noteOmittedFields(context, original, after)
    const changed = Object.fromEntries(
      Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(original[name])),
    )
    const change = { ...secretFields, ...flagFields, ...changed }
    const isUnchanged = Object.keys(change).length === 0
    await (isUnchanged ? context.out.line('Nothing changed.') : send(change))
    isDone = isUnchanged || (!context.globals.dryRun && !context.globals.printCurl)
  } finally {
    if (isDone || isBlank(text) || text === written) rmSync(folder, { recursive: true, force: true })
    else
      await context.notes.warn(
        `What was edited is kept in ${file}. Send it: parley ${context.commandName} ${id} --file ${file}`,
      )
  }
}

/** Nothing but remarks. */
const isBlank = (text: string): boolean => text.replace(/^\s*#.*$/gm, '').trim() === ''

/** A line that is gone clears nothing. */
async function noteOmittedFields({ notes }: Context, original: Fields, after: Fields): Promise<void> {
  const names = Object.keys(original).filter((name) => !Object.hasOwn(after, name))
  if (names.length > 0)
    await notes.note(`Left out of the file, and so not changed: ${names.join(', ')}. To clear a field write null.`)
}

/** Editors with a YAML language server complete and check the fields by the schema beside the file. */
const fileHeader = (name: string): string =>
  `# yaml-language-server: $schema=${name}.schema.json\n# Save and close to send what changed; leave as it is to change nothing.\n`

async function parseEdited(endpoint: Endpoint, text: string): Promise<Record<string, unknown>> {
  let read: ParsedYaml
  try {
    read = await readYaml(text)
  } catch (error) {
    throw usageError(`What was edited is not valid YAML: ${yamlErrorMessage(error)}`, 'Nothing was changed.')
  }
  const { value, asText } = read
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usageError('What was edited holds no fields.', 'Nothing was changed.')
  return (endpoint.body ? coerceDeep(endpoint.body, value, asText) : value) as Record<string, unknown>
}

/** Identities and times are the platform's own. */
const isReadOnly = (endpoint: Endpoint, name: string): boolean =>
  name === 'id' || name.endsWith('_at') || readOnlyFields(endpoint).has(name)
