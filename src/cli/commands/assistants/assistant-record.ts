import type * as z from 'zod'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { paginate } from '../../../client/paginate.ts'
import { isNullable, unwrap } from '../../../contract/mechanics/coerce.ts'
import { type Assistant, assistants } from '../../../contract/resources/assistants.ts'
import type { Invocation } from '../../commandline/command.ts'
import type { Context } from '../../context.ts'
import { resolveId } from '../../input/resolve-target.ts'
import { target } from './view.ts'

type Fields = Readonly<Record<string, unknown>>

/** All assistants, in the order of the list. */
export async function* allAssistants(context: Context): AsyncGenerator<Assistant> {
  const found = paginate(context.call, assistants.list, {}, { all: true, signal: context.world.signal })
  for await (const it of found) yield it as Assistant
}

/** An assistant by id, UUID or unique name; picked on a terminal when none is given. No deployment gives one alone, so its list is walked. @throws ClientFailure `not_found`, `usage` */
export async function findAssistant(context: Context, given: string | undefined): Promise<Assistant> {
  const id = await resolveId(context, given, target)
  for await (const it of allAssistants(context)) if (it.id === id) return it
  throw assistantNotFound(id)
}

export const assistantNotFound = (id: number): ClientFailure =>
  new ClientFailure({
    exit: 'not_found',
    code: 'not_found',
    message: `There is no assistant ${id}.`,
    hint: 'List them: parley assistants list.',
  })

const readOnly = new Set(['id', 'status', ...assistants.update.ignoredFields])

type Body = typeof assistants.create | typeof assistants.update

/** Whether a field says that something is merely not set, where null cannot say so. YAML writes null as a word, which only a text could mean. */
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

/** What of a record can be sent again: not what the platform decides, and no null where null clears nothing. */
export const editableFields = (record: Fields, endpoint: Body = assistants.update): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(record).filter(([name, value]) => !readOnly.has(name) && !isUnsetValue(name, value, endpoint)),
  )

/** The input of a command whose file may be what `get` printed. What was named on the command line is sent as it is. */
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
