import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { controlEndpoints } from '../contract/control/index.ts'
import { controlHeader } from '../contract/endpoint/headers.ts'
import type { PlainResponse } from '../contract/endpoint/http-message.ts'
import { type FailureName, failures } from '../contract/errors/failures.ts'
import type { OpenApiExamples } from '../contract/openapi/examples.ts'
import { endpoints } from '../contract/resources/index.ts'
import { isObject } from '../contract/values/json-object.ts'
import { realTime } from '../node/real-time.ts'
import { openPlatform } from '../platform/compose.ts'
import { createRouter } from '../platform/server/http/router.ts'
import { controlTour } from './control-tour.ts'
import { tour } from './endpoint-tour.ts'
import { exampleResponse } from './error-examples.ts'
import type { Answered, TourPlatform } from './tour-platform.ts'

/** Wall time of the recording. */
const recordedAt = Date.UTC(2027, 0, 15, 9, 30)
/** Maximum items of a list, and characters of a text, in an example. */
const maxItems = 1
const maxTextLength = 200

/**
 * Values that differ between recordings, by name. One that is missing here makes the generated file differ each time, and its
 * test fails.
 */
const varying: Readonly<Record<string, unknown>> = {
  duration_ms: 12,
  ms: 12,
  bytes: 1048576,
  saved_at: '2027-01-15T09:30:00.000Z',
}

/** Returns a value as an example: short lists and texts, and the same in every recording. */
function shorten(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.slice(0, maxItems).map((item) => shorten(item))
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, value]) => [name, shorten(value, name)]))
  if (value !== null && Object.hasOwn(varying, key)) return varying[key]
  return typeof value === 'string' && value.length > maxTextLength ? `${value.slice(0, maxTextLength - 1)}…` : value
}

interface Recording {
  readonly platform: OpenApiExamples
  readonly control: OpenApiExamples
}

/** Records what only an empty platform and a listening server can answer. */
async function recordEmptyPlatform(
  keep: (method: string, url: string, body: unknown, response: PlainResponse) => void,
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-examples-'))
  const platform = await openPlatform({
    dataDir,
    durable: false,
    empty: true,
    pid: 1,
    isAlive: () => false,
    createInspectorLogin: async () => 'k3v9x2abq7w5n8d4',
  })
  const send = async (method: string, url: string, body?: object): Promise<PlainResponse> =>
    platform.handle({
      method,
      url,
      headers: { [controlHeader]: platform.credentials().control, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
  try {
    await platform.announce('http://127.0.0.1:4010')
    const [own] = JSON.parse((await send('GET', '/control/nodes')).body).data
    const path = `/control/nodes/${encodeURIComponent(own.id)}/drain`
    const drained = await send('POST', path)
    // The id of a server is random.
    keep('POST', path, undefined, { ...drained, body: drained.body.replaceAll(own.id, 'host:4711:k3v9x2ab') })
    keep('POST', '/control/inspector/logins', undefined, await send('POST', '/control/inspector/logins'))
    keep('POST', '/control/seed', { seed: 1 }, await send('POST', '/control/seed', { seed: 1 }))
  } finally {
    await platform.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Records the first successful request of each endpoint on a new platform with sample data. */
async function record(): Promise<Record<keyof Recording, Required<Omit<OpenApiExamples, 'failures'>>>> {
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
    [...endpoints, ...controlEndpoints].map(({ method, path, name }) => {
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
    // The folder has another name in every recording.
    responses[name] = shorten(JSON.parse(response.body.replaceAll(dataDir, '/var/lib/parley')))
    if (body !== undefined) requests[name] = body
  }

  async function send(method: string, url: string, body: unknown, headers: Record<string, string>): Promise<Answered> {
    const response = await platform.handle({
      method,
      url,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    keep(method, url, body, response)
    const answer = response.body === '' ? {} : JSON.parse(response.body)
    return { status: response.status, body: answer, text: response.body }
  }
  const ask: TourPlatform['ask'] = (method, url, { body, key = platform.credentials().key } = {}) =>
    send(method, url, body, key === null ? {} : { authorization: `Bearer ${key}` })
  const control: TourPlatform['control'] = (method, url, body) =>
    send(method, url, body, { [controlHeader]: platform.credentials().control })
  const buy: TourPlatform['buy'] = (number) =>
    ask('POST', '/api/user/phone-numbers/purchase', { body: { phone_number: number } })
  const taken = (): { requests: Record<string, unknown>; responses: Record<string, unknown> } => {
    const recorded = { requests: { ...requests }, responses: { ...responses } }
    for (const table of [requests, responses]) for (const name of Object.keys(table)) delete table[name]
    return recorded
  }
  // The platform does not keep the process running while a call waits.
  const running = realTime.setInterval(() => {}, 1000)
  try {
    for await (const _ of tour({ ask, buy, control }));
    const own = taken()
    await control('POST', '/control/reset', { seed: 1 })
    taken()
    const { failed, events } = await controlTour(ask, control)
    await recordEmptyPlatform(keep)
    if (failed.length > 0) throw new Error(`No examples of control calls: ${failed.join(', ')}`)
    const payloads = Object.fromEntries(Object.entries(events).map(([kind, payload]) => [kind, shorten(payload)]))
    return { platform: { ...own, events: payloads }, control: { ...taken(), events: {} } }
  } finally {
    realTime.clearInterval(running)
    await platform.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Returns examples for the endpoints of the platform and of its control API, and for every error. */
export async function recordExamples(): Promise<Recording> {
  const names = Object.keys(failures) as FailureName[]
  const texts = Object.fromEntries(names.map((it) => [it, exampleResponse(it).body]))
  const { platform, control } = await record()
  return { platform: { ...platform, failures: texts }, control: { ...control, failures: texts } }
}

/** Returns the file with the examples of the OpenAPI documents, for the server. */
export const examplesFile = (examples: Recording): string =>
  `// Recorded from a platform with sample data by "npm run generate".\n\n/** The examples of the API and of the control API as JSON: see OpenApiExamples. */\nexport const openApiExamplesJson =\n  ${JSON.stringify(JSON.stringify(examples))}\n`
