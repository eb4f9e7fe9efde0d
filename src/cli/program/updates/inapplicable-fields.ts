import { isDeepStrictEqual } from 'node:util'
import type * as z from 'zod'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { defaultOf } from '../../../contract/endpoint/coerce.ts'
import { type Endpoint, inapplicableFields } from '../../../contract/endpoint/endpoint.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import type { Context } from '../context.ts'

/** A write whose fields may not apply to the resource. */
interface ConditionalWrite {
  readonly endpoint: Endpoint
  readonly given: ResourceRecord
  /** The live record before an update. */
  readonly live?: ResourceRecord | undefined
  /** The endpoint that creates the resource, whose defaults a read shows (default: `endpoint`). */
  readonly create?: Endpoint | undefined
  /** Returns whether a field has the value of an earlier read, such as in a file that was pulled (default: none has). */
  readonly isRead?: ((name: string) => boolean) | undefined
}

/**
 * Returns the fields without those that do not apply to the resource, such as settings of another mode, which the
 * platform would accept and not save. Fields of a document that have their default, or what the platform shows, were not
 * set by the user and are removed.
 *
 * @throws ClientFailure `usage` for fields that the user set
 */
export function applicableFields(
  context: Pick<Context, 'writeSettings'>,
  { endpoint, given, live, create = endpoint, isRead }: ConditionalWrite,
): ResourceRecord {
  const { conditionalFields: table } = endpoint
  if (!table) return given
  const schemas = (create.body?.shape ?? {}) as Readonly<Record<string, z.ZodType>>
  const defaultFor = (name: string): unknown => (schemas[name] ? defaultOf(schemas[name]) : undefined)
  const value = given[table.by] ?? live?.[table.by] ?? (create === endpoint ? defaultFor(table.by) : undefined)
  const outside = inapplicableFields(table, value).filter((name) => (given[name] ?? null) !== null)
  if (outside.length === 0) return given
  const isSet = (name: string): boolean =>
    !isDeepStrictEqual(given[name], live?.[name]) &&
    !isRead?.(name) &&
    (context.writeSettings.explicitFields?.has(name) || !isDeepStrictEqual(given[name], defaultFor(name)))
  const refused = outside.filter(isSet)
  if (refused.length > 0) throw inapplicableError(endpoint, refused, String(value))
  return Object.fromEntries(Object.entries(given).filter(([name]) => !outside.includes(name)))
}

function inapplicableError(endpoint: Endpoint, names: readonly string[], value: string): ClientFailure {
  const { by, fields } = endpoint.conditionalFields as NonNullable<Endpoint['conditionalFields']>
  const canChange = Object.hasOwn(endpoint.body?.shape ?? {}, by)
  const values = [...new Set(names.flatMap((it) => fields[it] ?? []))].filter((value) =>
    names.every((name) => fields[name]?.includes(value)),
  )
  const [verb, pronoun] = names.length === 1 ? ['does', 'it'] : ['do', 'them']
  return new ClientFailure({
    exit: 'usage',
    code: 'inapplicable_field',
    message: `${names.join(', ')} ${verb} not apply with ${by} ${value}, and the platform would not save ${pronoun}. Nothing was sent.`,
    hint:
      canChange && values.length > 0
        ? `Remove ${pronoun}, or set ${by} to ${values.join(' or ')}.`
        : `Remove ${pronoun}. ${names.length === 1 ? 'It applies' : 'They apply'} with ${by} ${[...new Set(names.flatMap((name) => fields[name] ?? []))].join(' or ')}.`,
    details: names.map((path) => ({ path, message: `Does not apply with ${by} ${value}.` })),
  })
}
