import { ClientFailure } from '../../client/failures/client-failure.ts'
import { itemsOf, paginate } from '../../client/paginate.ts'
import { property } from '../../client/response-body.ts'
import type { Endpoint } from '../../contract/mechanics/endpoint.ts'
import type { Context, Exchange } from '../context.ts'
import { type ResourceRecord, readTimeoutMs } from '../updates/previous-record.ts'
import type { HistoryKind } from './history-kinds.ts'

type Ids = Readonly<Record<string, number | string>>

const idParameter = ({ pathParameters = ['id'] }: HistoryKind): string => pathParameters.at(-1) as string
const parentIds = (kind: HistoryKind, ids: Ids): Ids =>
  Object.fromEntries(Object.entries(ids).filter(([name]) => name !== idParameter(kind)))

/** Returns whether a request read the live resource. Drafts and unmasked secrets differ from it. */
const isWholeRead = ({ input }: Exchange): boolean => {
  const { include_secrets, draft } = (input ?? {}) as ResourceRecord
  return include_secrets !== true && draft !== true
}

/** Returns the resource as this command read it since its last write; `failed` if it could not be read. */
export function readEarlier(
  { exchanges }: Context,
  kind: HistoryKind,
  ids: Ids,
): ResourceRecord | 'failed' | undefined {
  for (let n = exchanges.length - 1; n >= 0; n--) {
    const it = exchanges[n] as Exchange
    const input = (it.input ?? {}) as ResourceRecord
    if (
      it.written &&
      Object.entries(ids).every(([name, id]) => (input[name] ?? input.assistant_id) === id) &&
      it.endpoint.name.startsWith(endpointPrefix(kind))
    )
      return undefined
    if (it.written || !kind.readers.some(({ name }) => name === it.endpoint.name) || !isWholeRead(it)) continue
    if (Object.entries(parentIds(kind, ids)).some(([name, id]) => input[name] !== id)) continue
    if (it.failed) {
      // A failed list applies to all of its items; a failed read of one resource to that one.
      if (it.endpoint.items === undefined && input[idParameter(kind)] !== ids[idParameter(kind)]) continue
      return 'failed'
    }
    const found = findInResponse(it.endpoint, it.output, ids[idParameter(kind)])
    if (found) return found
  }
  return undefined
}

const endpointPrefix = ({ readers: [{ name }] }: HistoryKind): string => name.slice(0, name.indexOf('.') + 1)

function findInResponse(endpoint: Endpoint, answer: unknown, id: unknown): ResourceRecord | undefined {
  const one = endpoint.record === undefined ? answer : property(answer, endpoint.record)
  const all = endpoint.items === undefined ? [one] : itemsOf(endpoint, answer)
  return (
    (all as readonly (ResourceRecord | null)[]).find((it) => it?.id === id || String(it?.id) === String(id)) ??
    undefined
  )
}

/** Reads the live resource. @throws ClientFailure `not_found` */
export async function readResource(
  context: Context,
  kind: HistoryKind,
  ids: Ids,
  signal: AbortSignal = context.world.signal,
): Promise<ResourceRecord> {
  const [full] = kind.readers
  if (full.items === undefined) {
    const found = findInResponse(full, await context.call(full, ids as never, { signal }), ids[idParameter(kind)])
    if (found) return found
  } else {
    for await (const it of paginate<Endpoint, ResourceRecord>(context.call, full, parentIds(kind, ids) as never, {
      all: true,
      signal,
    }))
      if (String(it.id) === String(ids[idParameter(kind)])) return it
  }
  throw new ClientFailure({
    exit: 'not_found',
    code: 'not_found',
    message: `No ${kind.singular} with id ${ids[idParameter(kind)]}.`,
    hint: `List them: parley ${kind.noun} list.`,
  })
}

/** Reads the live resource with a short timeout. Returns `failed` if it cannot be read, `gone` if it does not exist. */
export async function tryReadResource(
  context: Context,
  kind: HistoryKind,
  ids: Ids,
): Promise<ResourceRecord | 'failed' | 'gone'> {
  const { signal } = context.world
  try {
    return await readResource(context, kind, ids, AbortSignal.any([signal, AbortSignal.timeout(readTimeoutMs)]))
  } catch (error) {
    if (signal.aborted) throw error
    return (error as ClientFailure).exit === 'not_found' ? 'gone' : 'failed'
  }
}
