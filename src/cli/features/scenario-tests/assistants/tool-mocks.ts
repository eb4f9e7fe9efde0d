import type { PlainRequest, PlainResponse } from '../../../../contract/endpoint/http-message.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { parseJson, stringifyJson } from '../../../../node/json.ts'
import { valueMatches } from '../match-value.ts'
import type { TestScenario } from './scenario-schema.ts'

/** Answers the requests of the tools of a scenario. */
interface ToolMocks {
  readonly answer: (request: PlainRequest) => Promise<PlainResponse>
  /** Requests without a mock: the names of tools, and other hosts. */
  readonly missing: Set<string>
  /** How many responses without `when` were used, by tool. */
  readonly used: Map<string, number>
}

/** What a request without a mock gets. */
type DefaultMock = (name: string) => TestScenario['mocks'][string][number]

const noMock: DefaultMock = (name) => ({ status: 501, body: { message: `The scenario has no mock for ${name}.` } })

/** Returns what a request sends: its query, its path segments by position, and its body. */
function sentValues({ url, headers, body = '' }: PlainRequest): Record<string, unknown> {
  const query = Object.fromEntries(new URL(url).searchParams)
  if (/form-urlencoded/.test(headers['content-type'] ?? ''))
    return { ...query, ...Object.fromEntries(new URLSearchParams(body)) }
  try {
    const parsed: unknown = parseJson(body)
    return isObject(parsed) ? { ...query, ...parsed } : query
  } catch {
    return query
  }
}

/**
 * Creates the mocks of a scenario. A tool is recognized by the end of its URL, to which `toMockTool` adds `#` and its name. The
 * first response whose `when` fits is used; of several that fit without `when`, each in turn, and the last one again. `used` is
 * what an earlier conversation has used.
 */
export function createToolMocks(
  { mocks }: Pick<TestScenario, 'mocks'>,
  used = new Map<string, number>(),
  defaultMock = noMock,
): ToolMocks {
  const missing = new Set<string>()
  return {
    missing,
    used,
    async answer(request) {
      const { hash, host, pathname } = new URL(request.url)
      const tool = hash.slice(1)
      const name = tool === '' ? host : decodeURIComponent(tool)
      const sent = sentValues(request)
      const inPath = (value: unknown): boolean =>
        typeof value === 'string' && pathname.split('/').some((it) => valueMatches(decodeURIComponent(it), value))
      const given = Object.hasOwn(mocks, name) ? (mocks[name] ?? []) : []
      const chosen = given.filter(
        ({ when }) =>
          when && Object.entries(when).every(([key, value]) => valueMatches(sent[key], value) || inPath(value)),
      )
      const others = given.filter(({ when }) => !when)
      const count = used.get(name) ?? 0
      const mock = chosen[0] ?? others[Math.min(count, others.length - 1)]
      if (!mock) missing.add(name)
      else if (!chosen[0]) used.set(name, count + 1)
      const { status, body } = mock ?? defaultMock(name)
      return {
        status,
        headers: { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' },
        body: body === undefined ? '' : typeof body === 'string' ? body : stringifyJson(body),
      }
    },
  }
}
