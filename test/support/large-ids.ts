import type { PlainRequest, PlainResponse } from '../../src/contract/endpoint/http-message.ts'
import { parseJson, stringifyJson } from '../../src/node/json.ts'

/** Added to every id: 1 becomes 9007199254740993, which a JavaScript number cannot hold. */
const offset = 9007199254740992n

const isIdName = (name: string): boolean => /(?:^|_)ids?$|^docId$|^(?:sender|assistant|flow|campaign|from)$/.test(name)

/** Returns a copy of a value in which numeric ids are replaced. */
function mapIds(value: unknown, change: (id: bigint) => unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((it) => mapIds(it, change, name))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, mapIds(child, change, key)]))
  if (!isIdName(name)) return value
  if (typeof value === 'number' || typeof value === 'bigint') return change(BigInt(value))
  if (typeof value !== 'string' || !/^\d+$/.test(value)) return value
  const id = change(BigInt(value))
  return typeof id === 'bigint' ? String(id) : id
}

const toLarge = (id: bigint): bigint => (id > 0n ? id + offset : id)
/** A rounded or shortened id is that of no resource. */
const fromLarge = (id: bigint): number => (id > offset ? Number(id - offset) : 777_777)

type Through = (
  handle: (request: PlainRequest) => Promise<PlainResponse>,
  request: PlainRequest,
) => Promise<PlainResponse>

/** Makes a platform one whose numeric ids are above 2^53, in paths, queries, requests and responses. */
export const withLargeIds: Through = (handle, request) => withIds(handle, request, toLarge)

/** The same, with ids that are texts in responses. */
export const withLargeTextIds: Through = (handle, request) => withIds(handle, request, (id) => String(toLarge(id)))

async function withIds(
  handle: Parameters<Through>[0],
  request: PlainRequest,
  shown: (id: bigint) => unknown,
): Promise<PlainResponse> {
  if (!request.url.startsWith('/api/')) return handle(request)
  const [path = '', query] = request.url.split('?')
  const inner = {
    ...request,
    url: `${path.replaceAll(/(?<=\/)\d+(?=\/|$)/g, (it) => String(fromLarge(BigInt(it))))}${
      query === undefined
        ? ''
        : `?${query.replaceAll(/(?<=(?:^|&)(?:\w+_)?id=)\d+/g, (it) => String(fromLarge(BigInt(it))))}`
    }`,
    ...(request.body && { body: stringifyJson(mapIds(parseJson(request.body), fromLarge)) }),
  }
  const response = await handle(inner)
  if (!/json/.test(response.headers['content-type'] ?? '') || response.body === '') return response
  return { ...response, body: stringifyJson(mapIds(parseJson(response.body), shown)) }
}
