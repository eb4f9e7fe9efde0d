import type * as z from 'zod'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { findItem } from '../../../client/find-item.ts'
import { paginate } from '../../../client/paginate.ts'
import { isNullable, unwrap } from '../../../contract/endpoint/coerce.ts'
import { type Assistant, assistants } from '../../../contract/resources/assistants.ts'
import type { Invocation } from '../../program/commandline/command.ts'
import type { Context } from '../../program/context.ts'
import { requestById } from '../../program/input/request-by-id.ts'
import { isListed } from '../../program/input/resolve-target.ts'
import { target } from './view.ts'

type Fields = Readonly<Record<string, unknown>>

/** Returns all assistants in the order of the list. */
export async function allAssistants(context: Context): Promise<Assistant[]> {
  const all: Assistant[] = []
  const found = paginate(context.call, assistants.list, {}, { all: true, signal: context.system.signal })
  for await (const assistant of found) all.push(assistant as Assistant)
  return all
}

/**
 * Finds an assistant by id, UUID or unique name; prompts if none is given. No endpoint returns a single assistant, so
 * the list is searched. @throws ClientFailure `not_found`, `usage`
 */
export async function findAssistant(context: Context, given: string | undefined): Promise<Assistant> {
  return requestById(context, given, target, async (id, item) => {
    // By its name, it was found in the list, which has everything.
    const found = isListed(item) ? (item as unknown as Assistant) : await readAssistant(context, id)
    if (!found) throw assistantNotFound(id)
    return found
  })
}

/** The assistant with an id; undefined when there is none. */
export async function readAssistant(context: Context, id: number): Promise<Assistant | undefined> {
  return findItem<Assistant>(context.call, assistants.list, {}, id, { signal: context.system.signal })
}

/** Creates the error for an assistant that does not exist. */
export const assistantNotFound = (id: number): ClientFailure =>
  new ClientFailure({
    exit: 'not_found',
    code: 'not_found',
    message: `Assistant ${id} not found.`,
    hint: 'List assistants: parley assistants list.',
  })

const readOnly = new Set(['id', 'status', ...assistants.update.ignoredFields])

type Body = typeof assistants.create | typeof assistants.update

/**
 * Returns whether a value means "not set" for a field that null cannot clear. In YAML null arrives as the word `null`,
 * which only a text field can mean literally.
 */
function isUnsetValue(name: string, value: unknown, endpoint: Body): boolean {
  const schemaOf = ({ body }: Body): z.ZodType | undefined =>
    Object.hasOwn(body.shape, name) ? (body.shape as Record<string, z.ZodType>)[name] : undefined
  const [schema, changes] = [schemaOf(endpoint), schemaOf(assistants.update)]
  if (!schema || isNullable(schema)) return false
  return (
    value === null ||
    (value === 'null' && (unwrap(schema).kind !== 'string' || (changes !== undefined && isNullable(changes))))
  )
}

/**
 * Returns the fields of a record that can be sent back: without read-only fields, and without null where null clears nothing.
 * `update --edit` shows these, and `get` prints all: both can be passed to `update --file`.
 */
export const editableFields = (record: Fields, endpoint: Body = assistants.update): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(record).filter(([name, value]) => !readOnly.has(name) && !isUnsetValue(name, value, endpoint)),
  )

/**
 * Removes read-only fields from input whose file may be the output of `get`. Fields named on the command line are sent
 * unchanged.
 */
export function withoutReadOnly(
  input: Record<string, unknown>,
  flags: Invocation['flags'],
  endpoint: Body,
): Record<string, unknown> {
  if (flags.file === undefined && flags.data === undefined) return input
  const named = [flags.unset, flags.setJson].flat().map((it) => String(it ?? '').split(/[.=]/, 1)[0])
  return {
    ...editableFields(input, endpoint),
    ...Object.fromEntries(Object.entries(input).filter(([name]) => named.includes(name))),
  }
}
