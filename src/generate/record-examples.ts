import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPlatform } from '../compose.ts'
import { type FailureName, failures } from '../contract/errors/failures.ts'
import type { PlainResponse } from '../contract/mechanics/http-message.ts'
import type { OpenApiExamples } from '../contract/openapi/examples.ts'
import { endpoints } from '../contract/resources/index.ts'
import { isObject } from '../contract/values/json-object.ts'
import { createRouter } from '../server/http/router.ts'
import { tour } from './endpoint-tour.ts'
import { exampleResponse } from './error-examples.ts'
import type { TourPlatform } from './tour-platform.ts'

/** Wall time of the recording. */
const recordedAt = Date.UTC(2027, 0, 15, 9, 30)
/** Maximum items of a list, and characters of a text, in an example. */
const maxItems = 1
const maxTextLength = 200

/** Values that differ between recordings, by name. */
const varying: Readonly<Record<string, unknown>> = { duration_ms: 12, ms: 12 }

/** Returns a value as an example: short lists and texts, and the same in every recording. */
function shorten(it: unknown, key = ''): unknown {
  if (Array.isArray(it)) return it.slice(0, maxItems).map((item) => shorten(item))
  if (isObject(it)) return Object.fromEntries(Object.entries(it).map(([name, value]) => [name, shorten(value, name)]))
  if (typeof it === 'number' && Object.hasOwn(varying, key)) return varying[key]
  return typeof it === 'string' && it.length > maxTextLength ? `${it.slice(0, maxTextLength - 1)}…` : it
}

/** Records the first successful request of each endpoint on a new platform with sample data. */
async function record(): Promise<Pick<OpenApiExamples, 'requests' | 'responses'>> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-examples-'))
  const platform = await openPlatform({
    dataDir,
    durable: false,
    seed: 1,
    wall: () => recordedAt,
    pid: 1,
    isAlive: () => false,
  })
  const route = createRouter(
    endpoints.map(({ method, path, name }) => {
      const [resource = '', verb = ''] = name.split('.')
      return [method, path, resource, verb]
    }),
  )
  const requests: Record<string, unknown> = {}
  const responses: Record<string, unknown> = {}

  function keep(method: string, url: string, body: unknown, response: PlainResponse): void {
    const match = route(method, url.split('?', 1)[0] ?? '')
    if (!('resource' in match) || response.status >= 300) return
    const name = `${match.resource}.${match.verb}`
    if (Object.hasOwn(responses, name)) return
    responses[name] = shorten(JSON.parse(response.body))
    if (body !== undefined) requests[name] = body
  }

  const ask: TourPlatform['ask'] = async (method, url, { body, key = platform.credentials().key } = {}) => {
    const response = await platform.handle({
      method,
      url,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    keep(method, url, body, response)
    return { status: response.status, body: JSON.parse(response.body), text: response.body }
  }
  try {
    const buy: TourPlatform['buy'] = (number) =>
      ask('POST', '/api/user/phone-numbers/purchase', { body: { phone_number: number } })
    for await (const _ of tour({ ask, buy }));
    return { requests, responses }
  } finally {
    await platform.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Returns examples for every endpoint from a platform with sample data, and for every error. */
export async function recordExamples(): Promise<OpenApiExamples> {
  const names = Object.keys(failures) as FailureName[]
  return {
    ...(await record()),
    failures: Object.fromEntries(names.map((it) => [it, exampleResponse(it).body])),
  }
}

/** Returns the file with the examples of the OpenAPI document, for the server. */
export const examplesFile = (examples: OpenApiExamples): string =>
  `// Recorded from a platform with sample data by "npm run generate".\n\n/** The examples as JSON: see OpenApiExamples. */\nexport const openApiExamplesJson =\n  ${JSON.stringify(JSON.stringify(examples))}\n`
