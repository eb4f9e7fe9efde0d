import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ClientFailure } from '../client/failure.ts'
import { coerceDeep } from '../contract/coerce.ts'
import type { Endpoint } from '../contract/endpoint.ts'
import type { Context } from './context.ts'
import { usage } from './usage.ts'

/** The flag of commands that can open a record in an editor. */
export const editFlag = { flags: '--edit', describe: 'Edit the record as YAML in $VISUAL or $EDITOR, and send what changed' } as const

/**
 * Opens what an update may change as YAML in the user's editor and answers the fields that came back different.
 * What flags gave stands in the document already, and is sent whether or not it is edited.
 * Fields the contract does not know stay in the document, so that a deployment's own are not lost.
 * @throws ClientFailure `usage` without a terminal or an editor; exit 10 when nothing was changed
 */
export async function editRecord(
  context: Context,
  endpoint: Endpoint,
  record: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>> = {},
): Promise<Record<string, unknown>> {
  const { env, run } = context.world
  if (!context.interactive) throw usage('--edit needs a terminal.', 'Give the fields as flags, with --set, or with --file.')
  const editor = env.VISUAL || env.EDITOR
  if (!editor) throw usage('--edit needs an editor.', 'Set EDITOR, such as EDITOR=vi.')
  const { parse, stringify } = await import('yaml')
  const known = endpoint.body?.shape ?? {}
  const before = Object.fromEntries(Object.entries({ ...record, ...given }).filter(([name]) => Object.hasOwn(known, name) || !isReadOnly(endpoint, name)))
  const folder = mkdtempSync(join(tmpdir(), 'parley-edit-'))
  const file = join(folder, `${endpoint.name}.yaml`)
  try {
    const { inputSchema } = await import('./json-schema.ts')
    writeFileSync(join(folder, `${endpoint.name}.schema.json`), JSON.stringify(inputSchema(endpoint)), { mode: 0o600 })
    writeFileSync(file, `${heading(endpoint.name)}${stringify(before, { lineWidth: 0 })}`, { mode: 0o600 })
    const { exitCode } = await run('sh', ['-c', `${editor} "$1"`, 'sh', file], { interactive: true })
    if (exitCode !== 0)
      throw new ClientFailure({ exit: 'consent', code: 'editor', message: `The editor ended with exit code ${exitCode}.`, hint: 'Nothing was changed.' })
    const after = readBack(endpoint, parse, readFileSync(file, 'utf8'))
    const changed = Object.fromEntries(Object.entries(after).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name])))
    if (Object.keys(changed).length === 0 && Object.keys(given).length === 0)
      throw new ClientFailure({ exit: 'consent', code: 'unchanged', message: 'Nothing was edited.', hint: 'Nothing was changed.' })
    return { ...given, ...changed }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Editors with a YAML language server complete and check the fields by the schema beside the file. */
const heading = (name: string): string =>
  `# yaml-language-server: $schema=${name}.schema.json\n# Save and close to send what changed; leave as it is to change nothing.\n`

function readBack(endpoint: Endpoint, parse: (text: string, options: { schema: 'failsafe' }) => unknown, text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = parse(text, { schema: 'failsafe' })
  } catch (error) {
    throw usage(`What was edited is not valid YAML: ${(error as Error).message}`, 'Nothing was changed.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw usage('What was edited holds no fields.', 'Nothing was changed.')
  return (endpoint.body ? coerceDeep(endpoint.body, value) : value) as Record<string, unknown>
}

/** Identities and times are the platform's own. */
const isReadOnly = (endpoint: Endpoint, name: string): boolean =>
  name === 'id' || name.endsWith('_at') || (name === 'type' && !Object.hasOwn(endpoint.body?.shape ?? {}, name))
