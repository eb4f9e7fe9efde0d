import type { CreatedSearch } from '../../../client/client.ts'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { paginate } from '../../../client/paginate.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { isNumericId } from '../../../contract/values/numeric-id.ts'
import { stringifyJson } from '../../../node/json.ts'
import { realTime } from '../../../node/real-time.ts'
import type { Context } from '../context.ts'
import type { Resource } from '../resources/resource.ts'
import { compareSent, compareSentFields, shownValue, timeOf } from './compare-sent.ts'

/** A creation whose result has to be found. */
interface CreatedQuery {
  readonly descriptor: Resource
  readonly endpoint: Endpoint
  /** Path parameters and fields of the request. */
  readonly input: ResourceRecord
  /** Whether the creation is one of many rows: then one read serves all rows that wait. */
  readonly isRow: boolean
  /** Whether the platform accepted the request. Then the newest resource counts, where resources have no time. */
  readonly isAccepted?: true
}

type Found = Awaited<ReturnType<CreatedSearch>>

/** Returns the fields of a request that are not path parameters. */
const bodyFields = (endpoint: Endpoint, input: ResourceRecord): ResourceRecord =>
  Object.fromEntries(Object.entries(input).filter(([name]) => !Object.hasOwn(endpoint.params?.shape ?? {}, name)))

/** Returns the fields that a write sets in the record of its resource. */
export const writtenFieldsOf = (
  { writtenFields }: Pick<Resource, 'writtenFields'>,
  endpoint: Endpoint,
  input: ResourceRecord,
): ResourceRecord => {
  const written = (writtenFields as Readonly<Record<string, (record: ResourceRecord) => ResourceRecord>> | undefined)?.[
    endpoint.name
  ]
  return written ? written(input) : bodyFields(endpoint, input)
}

/**
 * Returns a search for the resource of a creation without a clear response, by its natural key. It counts as found only
 * if it was created after the request was sent and has the same content.
 */
export function createdSearch(context: Context, query: CreatedQuery): CreatedSearch {
  const { descriptor, input } = query
  const key = descriptor.naturalKey?.every((name) => !isMissing(input[name])) ? descriptor.naturalKey : undefined
  let knownIds = highestId(lastListed(context, descriptor))
  return async ({ sentAt, rejectedAt }) => {
    const next = [`parley ${listCommandOf(descriptor)}`]
    if (!key)
      return {
        unclear: `Nothing identifies the ${descriptor.singular}, so Parley cannot check whether it exists.`,
        next,
      }
    let listed: readonly ResourceRecord[]
    try {
      listed = await readRows(context, query, key, rejectedAt)
    } catch (error) {
      if (context.system.signal.aborted || !(error instanceof ClientFailure)) throw error
      return { unclear: `It could not be checked: ${error.message}`, next }
    }
    const found = choose(context, query, key, listed, sentAt, knownIds)
    const highest = highestId(listed)
    if (highest !== undefined && (knownIds === undefined || highest > knownIds)) knownIds = highest
    return 'unclear' in found ? { ...found, next } : found
  }
}

const isMissing = (it: unknown): boolean => it === undefined || it === null || it === ''

const listCommandOf = ({ noun, list }: Resource): string =>
  list.endsWith('.list') || noun.includes(' ') ? `${noun} list` : noun

/** Returns the rows that the command has read of the list before the request was sent. */
function lastListed({ responses }: Context, { list }: Resource): readonly ResourceRecord[] | undefined {
  for (const [{ name, items }, output] of responses)
    if (name === list && items !== undefined) {
      const rows = items === '' ? output : (output as ResourceRecord | undefined)?.[items]
      return Array.isArray(rows) ? rows : undefined
    }
  return undefined
}

/** Returns a numeric id with all its digits; undefined for another one. */
const exactId = ({ id }: ResourceRecord): bigint | undefined => (isNumericId(id) ? BigInt(String(id)) : undefined)

function highestId(rows: readonly ResourceRecord[] | undefined): bigint | undefined {
  if (!rows) return undefined
  const ids = rows.map(exactId).filter((it) => it !== undefined)
  return ids.length === 0 && rows.length > 0
    ? undefined
    : ids.reduce((highest, it) => (it > highest ? it : highest), 0n)
}

function choose(
  context: Context,
  { descriptor, endpoint, input, isAccepted }: CreatedQuery,
  key: readonly string[],
  rows: readonly ResourceRecord[],
  sentAt: number,
  knownIds: bigint | undefined,
): Found {
  const { claimed } = context.writes.created
  const alike = rows.filter(
    (row) =>
      !claimed.has(`${endpoint.name} ${row.id}`) &&
      key.every((name) => compareSent(input[name], shownValue(row, name)) === 'shown'),
  )
  if (alike.length === 0) return { absent: true }
  const differenceMs = context.clockDifferenceMs()
  // Times of the platform have a resolution of one second.
  const sentSecond = differenceMs === undefined ? undefined : Math.floor((sentAt + differenceMs) / 1000) * 1000
  const isNew = (row: ResourceRecord): boolean => {
    const createdAt = timeOf(row.created_at)
    if (createdAt !== undefined && sentSecond !== undefined) return createdAt >= sentSecond
    const id = exactId(row)
    if (isAccepted) return alike.length === 1 || (id !== undefined && id === highestId(alike))
    return knownIds !== undefined && id !== undefined && id > knownIds
  }
  const sent = writtenFieldsOf(descriptor, endpoint, input)
  const own = alike.filter((row) => isNew(row) && !Object.values(compareSentFields(sent, row)).includes('different'))
  const [one] = own
  if (one && own.length === 1) {
    claimed.add(`${endpoint.name} ${one.id}`)
    return { found: one }
  }
  const called = key.map((name) => `${name} ${stringifyJson(input[name])}`).join(' and ')
  return {
    unclear: `The ${descriptor.singular} ${alike[0]?.id} has the same ${called}, and it is not certain that this command created it.`,
  }
}

/** Reads the rows that may be the created one. A read that started after the rejection serves every row that waits. */
async function readRows(
  context: Context,
  { descriptor, input, isRow }: CreatedQuery,
  key: readonly string[],
  rejectedAt: number,
): Promise<readonly ResourceRecord[]> {
  const list = await listEndpoint(descriptor)
  const filters = Object.keys(list.query?.shape ?? {}).filter((name) => key.includes(name))
  const common = isRow && filters.length > 1 ? filters.slice(0, -1) : filters
  const names = [...Object.keys(list.params?.shape ?? {}), ...common]
  const within = Object.fromEntries(names.map((name) => [name, input[name]]))
  const at = `${list.name} ${stringifyJson(within)}`
  const { reads } = context.writes.created
  const last = reads.get(at)
  if (last && last.startedAt >= rejectedAt) return last.items
  const items = readAll(context, list, within)
  reads.set(at, { startedAt: realTime.monotonicMs(), items })
  return items
}

async function readAll(context: Context, list: Endpoint, within: ResourceRecord): Promise<ResourceRecord[]> {
  const rows: ResourceRecord[] = []
  for await (const row of paginate<Endpoint, ResourceRecord>(context.call, list, within, { all: true })) rows.push(row)
  return rows
}

async function listEndpoint({ loadTarget, loadHistory }: Resource): Promise<Endpoint> {
  const own = (await loadHistory?.())?.readers.find((it) => it.items !== undefined)
  return own ?? ((await loadTarget?.())?.list as Endpoint)
}
