import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { findItem } from '../../../client/find-item.ts'
import { itemsOf } from '../../../client/paginate.ts'
import { property } from '../../../client/response-body.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { withTimeLimit } from '../../../node/time-limit.ts'
import type { Context } from '../context.ts'
import type { RecordedResource } from '../resources/registry.ts'
import { readForUndo, Unread } from './undo-unavailable.ts'

type Ids = Readonly<Record<string, number | string>>

const idParameter = ({ pathParameters = ['id'] }: RecordedResource): string => pathParameters.at(-1) as string
const parentIds = (kind: RecordedResource, ids: Ids): Ids =>
  Object.fromEntries(Object.entries(ids).filter(([name]) => name !== idParameter(kind)))

function findInResponse(endpoint: Endpoint, answer: unknown, id: unknown): ResourceRecord | undefined {
  const one = endpoint.record === undefined ? answer : property(answer, endpoint.record)
  const all = endpoint.items === undefined ? [one] : itemsOf(endpoint, answer)
  return (
    (all as readonly (ResourceRecord | null)[]).find((it) => it?.id === id || String(it?.id) === String(id)) ??
    undefined
  )
}

/** Timeout in milliseconds of a read after a write, whose result is only shown. */
const afterWriteTimeoutMs = 3000

/**
 * Reads the live resource. `filters` are query fields of its list that the resource matches. @throws ClientFailure
 * `not_found`
 */
export const readResource = (
  context: Context,
  kind: RecordedResource,
  ids: Ids,
  signal?: AbortSignal,
  filters?: ResourceRecord,
): Promise<ResourceRecord> => readWith(context, kind, kind.readers[0], ids, signal, filters)

async function readWith(
  context: Context,
  kind: RecordedResource,
  full: Endpoint,
  ids: Ids,
  signal: AbortSignal = context.system.signal,
  filters: ResourceRecord = {},
): Promise<ResourceRecord> {
  if (full.items === undefined) {
    const found = findInResponse(full, await context.call(full, ids, { signal }), ids[idParameter(kind)])
    if (found) return found
  } else {
    const id = ids[idParameter(kind)] as number | string
    const found = await findItem<ResourceRecord>(context.call, full, { ...parentIds(kind, ids), ...filters }, id, {
      signal,
    })
    if (found) return found
  }
  throw new ClientFailure({
    exit: 'not_found',
    code: 'not_found',
    message: `No ${kind.singular} with id ${ids[idParameter(kind)]}.`,
    hint: `List them: parley ${kind.listCommand ?? `${kind.noun} list`}.`,
  })
}

/**
 * Reads the live resource before a write. The list is read where the platform has no endpoint for a single resource.
 * @throws ClientFailure `undo_unavailable`
 */
export async function readPreviousState(
  context: Context,
  kind: RecordedResource,
  ids: Ids,
): Promise<ResourceRecord | Unread> {
  let found: ResourceRecord | Unread | undefined
  for (const reader of kind.readers) {
    found = await readForUndo(context, kind.singular, () => readWith(context, kind, reader, ids))
    if (!(found instanceof Unread) || found.reason !== 'not_offered') return found
  }
  return found as Unread
}

/** Reads the live resource after a write. Undefined if it cannot be read, because the write is already done. */
export async function readResultingState(
  context: Context,
  kind: RecordedResource,
  ids: Ids,
): Promise<ResourceRecord | undefined> {
  const { signal } = context.system
  try {
    return await withTimeLimit(afterWriteTimeoutMs, [signal], (limited) => readResource(context, kind, ids, limited))
  } catch (error) {
    if (signal.aborted) throw error
    return undefined
  }
}

/** Returns the path parameters of a resource from the input of a write. History entries have them as `ids`: names never change. */
export function idsOf(
  { pathParameters = ['id'] }: Pick<RecordedResource, 'pathParameters'>,
  input: Readonly<Record<string, unknown>>,
): Record<string, number | string> {
  const own = (name: string): unknown => input[name] ?? (name === 'id' ? input.assistant_id : undefined)
  return Object.fromEntries(pathParameters.map((name) => [name, own(name) as number | string]))
}
