import fc from 'fast-check'
import type * as z from 'zod'
import { createSteps } from '../../src/cli/features/doctor/conformance/write-steps.ts'
import type { Endpoint } from '../../src/contract/endpoint/endpoint.ts'
import type { PlainRequest, PlainResponse } from '../../src/contract/endpoint/http-message.ts'
import { envelopes, type FailureKind } from '../../src/contract/errors/exit-codes.ts'
import { failures } from '../../src/contract/errors/failures.ts'
import { endpoints } from '../../src/contract/resources/index.ts'
import { hangMs } from '../support/hang-timeout.ts'
import { type Api, openApi, type Place } from '../support/platform/platform-api.ts'
import { arbitraryOf } from '../support/schema-arbitrary.ts'

/** Text in place of secrets in every hostile request. It must not appear in any output. */
export const secret = 'sEkReT-0123456789abcdef'

/** Generated request. Its credentials are added when it is sent. */
interface Hostile {
  readonly endpoint: Endpoint
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signedIn: boolean
}

const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -1,
    1,
    1.5,
    1e21,
    -1e308,
    9_007_199_254_740_991,
    '',
    ' ',
    '0',
    '1',
    'null',
    [],
    {},
    [[]],
    [null],
    { a: 1 },
  ),
  fc.constantFrom<unknown>(
    '\u0000',
    '\ud800',
    'a\u0000b',
    '\u202e',
    '😀'.repeat(300),
    "1' OR '1'='1",
    '"; drop table account; --',
    '${1+1}',
    '{{variable}}',
    '../../etc/passwd',
  ),
  fc.constantFrom<unknown>(
    'x'.repeat(70_000),
    '+15005550006',
    '2026-02-30',
    'http://[',
    'javascript:alert(1)',
    secret,
    'Europe/Nowhere',
    '😀',
    'İ',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.double(),
  fc.jsonValue({ maxDepth: 3 }),
)

/** Returns a body of the right structure with one error: a wrong value, an additional field, or a missing field. */
function spoilt(json: unknown, at: number, by: unknown, how: number): unknown {
  let left = at
  const visit = (value: unknown): unknown => {
    if (left-- === 0) return by
    if (Array.isArray(value)) return value.map(visit)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, visit(inner)]))
  }
  const changed = visit(json)
  if (typeof changed !== 'object' || changed === null || Array.isArray(changed)) return changed
  if (how === 1)
    return {
      ...changed,
      [['__proto__', 'constructor', 'id', 'x'.repeat(300), '', 'toString', 'a.b'][at % 7] as string]: by,
    }
  if (how === 2) return Object.fromEntries(Object.entries(changed).filter((_, n) => n !== at % 5))
  return changed
}

const notJson = fc.constantFrom(
  '',
  '{',
  '[1',
  'nul',
  '{"a":1,}',
  '"text"',
  '[]',
  'null',
  '1',
  '{"a":1}{',
  '\ufeff{}',
  `{"a":${'['.repeat(3000)}`,
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
  '{"name":"a","name":"b"}',
  '{"n":1e999}',
)

/** Valid bodies to change in one place. With other bodies, rules over several fields would never be reached. */
const sound = new Map(
  createSteps.map(({ endpoint, input }) => [
    endpoint,
    Object.fromEntries(Object.entries(input).map(([name, value]) => [name, /^\$/.test(String(value)) ? 1 : value])),
  ]),
)

const mostlySound = ({ name, params }: Endpoint): fc.Arbitrary<string>[] => {
  const body = sound.get(name)
  if (!body) return []
  const own = Object.fromEntries(Object.entries(body).filter(([field]) => !Object.hasOwn(params?.shape ?? {}, field)))
  const named = fc
    .tuple(fc.string({ minLength: 1, maxLength: 12 }), fc.nat(20), odd, fc.nat(4))
    .map(([text, at, by, how]) => {
      const fresh = typeof own.name === 'string' && /^[A-Z]/.test(own.name) ? { ...own, name: text } : own
      return JSON.stringify(how > 2 ? fresh : spoilt(fresh, at, by, how)) ?? ''
    })
  return [named]
}

const bodyOf = (endpoint: Endpoint, schema: z.ZodType): fc.Arbitrary<string> =>
  fc.oneof(
    ...mostlySound(endpoint).map((arbitrary) => ({ weight: 8, arbitrary })),
    {
      weight: 8,
      arbitrary: fc
        .tuple(arbitraryOf(schema), fc.nat(12), odd, fc.nat(3))
        .map(([value, at, by, how]) => JSON.stringify(how === 3 ? value : spoilt(value, at, by, how)) ?? ''),
    },
    { weight: 1, arbitrary: notJson },
    { weight: 1, arbitrary: odd.map((it) => JSON.stringify(it) ?? '') },
  )

const idText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('1', '2', '3', '~own', '~own') },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '0',
      '-1',
      '1.5',
      '1e3',
      '01',
      '9007199254740993',
      '%00',
      '%ff',
      '%',
      '..',
      '.',
      '%2e%2e',
      '%2F',
      'null',
      '１',
      'a'.repeat(600),
      "1'--",
      '%E2%80%AE',
      ' ',
      secret,
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }).map(encodeLoosely) },
)

function encodeLoosely(text: string): string {
  try {
    return encodeURIComponent(text) || '1'
  } catch {
    return '%'
  }
}

const queryOf = (schema: z.ZodObject | undefined): fc.Arbitrary<string> => {
  const names = [...Object.keys(schema?.shape ?? {}), 'page', 'x[]', '', '__proto__', 'include_secrets', '%zz']
  const value = fc.oneof(
    idText,
    odd.map((it) => encodeLoosely(typeof it === 'string' ? it : (JSON.stringify(it) ?? ''))),
    fc.constantFrom('%', '%c3%28', '+', '&&', '=', '2026-01-01', 'all'),
  )
  return fc
    .array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 4 })
    .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'))
}

const strange = fc.constantFrom<(path: string) => string>(
  (path) => path,
  (path) => `${path}/`,
  (path) => path.replace('/api', '/API'),
  (path) => path.replace('/user', '//user'),
  (path) => `${path}/more`,
  (path) => path.slice(0, -1),
  (path) => path.replaceAll('e', '%65'),
  (path) => `${path};a=1`,
  (path) => `${path}#x`,
  (path) => `/..${path}`,
)

const headers: fc.Arbitrary<Record<string, string>> = fc
  .record(
    {
      'content-type': fc.constantFrom(
        'application/json; charset=utf-8',
        'text/plain',
        '',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'application/problem+json',
        'APPLICATION/JSON',
      ),
      'idempotency-key': fc.constantFrom('', 'k', secret, 'x'.repeat(300), 'ключ', '\u0000'),
      'x-request-id': fc.constantFrom('', 'x'.repeat(5000), 'a b', secret),
      'parley-control': fc.constantFrom('', secret),
      'parley-recall': fc.constantFrom('1', ''),
      origin: fc.constantFrom('https://elsewhere.example', 'null'),
      host: fc.constantFrom('', 'elsewhere.example', 'a'.repeat(300), '[', '127.0.0.1:1'),
      'x-forwarded-proto': fc.constantFrom('https', 'javascript'),
      accept: fc.constantFrom('text/html', '*/*'),
    },
    { requiredKeys: [] },
  )
  .map((it) => it as Record<string, string>)

const bearer = fc.constantFrom(
  '',
  'Bearer',
  'Bearer ',
  `Bearer 1|${secret}`,
  `Basic ${secret}`,
  `Bearer ${'9'.repeat(4000)}`,
  'Bearer 1|',
  'Bearer |x',
  `bearer\t${secret}`,
  'Bearer \u0000',
)

const requestOf = (endpoint: Endpoint): fc.Arbitrary<Hostile> =>
  fc
    .record({
      method: fc.oneof(
        { weight: 14, arbitrary: fc.constant<string>(endpoint.method) },
        {
          weight: 1,
          arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'get', 'X'),
        },
      ),
      ids: fc.array(idText, { minLength: 2, maxLength: 2 }),
      change: fc.oneof(
        { weight: 12, arbitrary: fc.constant((path: string) => path) },
        { weight: 1, arbitrary: strange },
      ),
      query: fc.oneof(
        { weight: 2, arbitrary: queryOf(endpoint.query) },
        { weight: endpoint.query ? 0 : 3, arbitrary: fc.constant('') },
      ),
      headers: fc.oneof(
        { weight: 5, arbitrary: fc.constant({} as Record<string, string>) },
        { weight: 1, arbitrary: headers },
      ),
      auth: fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: bearer }),
      body: endpoint.body
        ? bodyOf(endpoint, endpoint.body)
        : fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: notJson }),
    })
    .map(({ method, ids, change, query, headers, auth, body }) => {
      let n = 0
      const path = change(endpoint.path.replace(/\{\w+\}/g, () => ids[n++] ?? '1'))
      return {
        endpoint,
        method,
        url: query === '' ? path : `${path}?${query}`,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
          ...(auth !== undefined && { authorization: auth }),
        },
        ...(body !== undefined && { body: body.replaceAll('"hunter2"', JSON.stringify(secret)) }),
        signedIn: auth === undefined,
      }
    })

/** Returns hostile requests to every endpoint of the contract, the same ones for the same seed. */
export const hostileRequests = (count: number, seed: number): readonly Hostile[] => {
  const each = Math.ceil(count / endpoints.length)
  const lists = endpoints.map((endpoint, n) => fc.sample(requestOf(endpoint), { numRuns: each, seed: seed + n }))
  // One request per endpoint in turn, so that resources created by one are available to the next.
  return Array.from({ length: each }, (_, n) => lists.map((list) => list[n] as Hostile))
    .flat()
    .slice(0, count)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const general = [
  'unauthenticated',
  'no_route',
  'wrong_method',
  'wrong_host',
  'malformed',
  'not_json',
  'too_large',
  'invalid',
  'throttled',
  'idempotency_conflict',
  'idempotency_busy',
  'idempotency_unknown',
] as const

/** Checks a response to HEAD, which is that to GET without the body. */
const wrongHead = ({ status, body }: PlainResponse): string | undefined =>
  body !== ''
    ? 'has a body'
    : [200, 400, 401, 404, 405, 413, 422, 429].includes(status)
      ? undefined
      : `has the status ${status}`

/** Returns what is wrong with a response; undefined for a documented success, or an error in a documented envelope. */
export function wrongWith({ status, body, headers }: PlainResponse): string | undefined {
  if (headers['content-type'] !== 'application/json') return `has the content type ${headers['content-type']}`
  let said: unknown
  try {
    said = JSON.parse(body)
  } catch {
    return 'is not JSON'
  }
  // Any other endpoint may have been reached, because a changed path can be that of another endpoint.
  if (status < 400) return status === 200 || status === 201 ? undefined : `has the status ${status}`
  if (!isObject(said)) return 'is a refusal without an object'
  const names = [...general, ...endpoints.flatMap((it) => it.errors)]
  const kinds = [...new Set(names)].map((name): FailureKind => failures[name]).filter((it) => it.status === status)
  if (kinds.length === 0) return `has the status ${status}, which nothing has`
  const fits = kinds.some((kind) => {
    const shape = envelopes[kind.envelope]({ text: 'text', code: 'code', errors: {} }) as Record<string, unknown>
    return Object.entries(shape).every(
      ([key, value]) =>
        typeof said[key] === typeof value && said[key] !== '' && (typeof value !== 'boolean' || said[key] === value),
    )
  })
  // A 5xx must have a text of the specification; an internal error has another text.
  const ours = new Set<string>(names.map((name) => failures[name].text))
  if (status >= 500 && !ours.has(String(said.message ?? said.error))) return `is a ${status}: ${body.slice(0, 200)}`
  if (!fits) return `has the status ${status} in an envelope of its own: ${body.slice(0, 200)}`
  if (status === 422 && isObject(said.errors)) {
    const texts = Object.values(said.errors)
    if (
      texts.length > 0 &&
      !texts.every(
        (it) => Array.isArray(it) && it.length > 0 && it.every((text) => typeof text === 'string' && text !== ''),
      )
    )
      return 'has errors that are no texts'
  }
  return undefined
}

/** Result of an attack. */
export interface Attacked {
  /** Descriptions of unexpected responses. */
  readonly wrong: readonly string[]
  /** Number of requests that were valid and executed. */
  readonly taken: number
}

/** Milliseconds after which a request counts as hanging. */
const timeoutMs = Math.max(10_000, hangMs / 2)

/** Sends hostile requests to a new platform and returns the result. */
export async function attack(
  place: Place,
  count: number,
  seed: number,
  settings: Parameters<typeof openApi>[1] = {},
): Promise<Attacked> {
  const wrong: string[] = []
  const tally = { taken: 0 }
  const logged: string[] = []
  const api: Api = await openApi(place, { ...settings, log: (text) => void logged.push(text) })
  try {
    let key = ''
    const secrets = new Set<string>([
      secret,
      api.platform.credentials().control,
      (api.platform.credentials().key ?? '|').split('|')[1] as string,
    ])
    // The account of the sample data has resources of each kind.
    const signIn = async (): Promise<void> => {
      key = (await api.control('POST', '/control/accounts/1/keys', { name: 'hostile' })).body.token
      secrets.add(key.split('|')[1] as string)
    }
    await signIn()
    await api.control('PUT', '/control/accounts/1', { top_up: 100_000 })
    /** Ids of created resources, by resource. Later ones replace deleted ones. */
    const made = new Map<string, string>()
    const resourceOf = ({ endpoint }: Hostile): string => endpoint.name.slice(0, endpoint.name.indexOf('.'))
    for (const [n, hostile] of hostileRequests(count, seed).entries()) {
      const { method, headers, body, signedIn } = hostile
      const url = hostile.url.replaceAll('~own', made.get(resourceOf(hostile)) ?? '1')
      const request: PlainRequest = {
        method,
        url,
        headers: { ...(signedIn && { authorization: `Bearer ${key}` }), ...headers },
        ...(body !== undefined && { body }),
      }
      const tell = (what: string): void =>
        void wrong.push(
          `${n}: ${method} ${url.slice(0, 200)} (${hostile.endpoint.name}) ${what}\n  ${body?.slice(0, 300) ?? ''}`,
        )
      const before = logged.length
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<undefined>((resolve) => {
        timer = setTimeout(resolve, timeoutMs, undefined)
      })
      const answer = await Promise.race([api.platform.handle(request), late])
      clearTimeout(timer)
      if (!answer) {
        tell('hangs')
        continue
      }
      if (answer.status < 300) tally.taken++
      if (answer.status === 201) {
        const { data } = JSON.parse(answer.body)
        if (data?.id !== undefined) made.set(resourceOf(hostile), String(data.id))
      }
      const what = method === 'HEAD' ? wrongHead(answer) : wrongWith(answer)
      if (what !== undefined)
        tell(`${what}${logged.length > before ? `\n  ${logged.slice(before).join('\n  ').slice(0, 1500)}` : ''}`)
      else if (logged.length > before) tell(`logs: ${logged.slice(before).join(' ').slice(0, 500)}`)
      for (const line of logged.slice(before))
        for (const secret of secrets)
          if (secret !== '' && line.includes(secret)) tell(`tells a secret in its log: ${line.slice(0, 300)}`)
      // The request may have deleted its own key.
      if (signedIn && answer.status === 401 && hostile.endpoint.auth !== 'none') await signIn()
    }
    const sound = await api.control('GET', '/control/check')
    if (sound.status !== 200 || sound.body.problems.length > 0) wrong.push(`the database is damaged: ${sound.text}`)
  } finally {
    await api.platform.close()
  }
  return { wrong, taken: tally.taken }
}
