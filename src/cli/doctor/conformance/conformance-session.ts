import type * as z from 'zod'
import type { Client } from '../../../client/create-client.ts'
import { itemsOf } from '../../../client/paginate.ts'
import { property } from '../../../client/response-body.ts'
import type { Endpoint } from '../../../contract/mechanics/endpoint.ts'
import { normalizeResponse } from '../../../contract/mechanics/normalize-response.ts'
import type { Difference } from '../../../contract/mechanics/response-differences.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { stringifyJson } from '../../../node/json.ts'
import { type ConformanceReport, drift } from './conformance-report.ts'

export type Fields = Record<string, unknown>

/** A response: JSON in the neutral vocabulary, undefined if the body is not JSON. */
export interface Answer {
  readonly status: number
  readonly output: unknown
  readonly headers: Readonly<Record<string, string>>
}

/** Returns whether a response has a 2xx status. */
export const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300

/** Sends requests with one key and checks all responses for their headers and for leaked secrets. */
export class ConformanceSession {
  readonly report: ConformanceReport
  readonly #call: Client
  #isParley = false
  /** Values that were sent or received as secrets, with the endpoints that may return them. */
  readonly #secrets = new Map<string, readonly string[]>()

  constructor(call: Client, report: ConformanceReport) {
    this.#call = call
    this.report = report
  }

  /** Whether the platform advertises capabilities, as every Parley server does. */
  get isParley(): boolean {
    // Remembered, so that one response without the header does not reset it.
    this.#isParley ||= (this.#call.capabilities()?.size ?? 0) > 0
    return this.#isParley
  }

  /** Returns whether an endpoint is checked; one that requires a capability only if the platform advertises it. */
  isOffered(endpoint: Endpoint): boolean {
    if (endpoint.auth === 'control') return false
    if (endpoint.capability !== undefined) return this.#call.capabilities()?.has(endpoint.capability) === true
    return !endpoint.assumed?.startsWith('only on') || this.isParley
  }

  /** Returns whether a field is checked; another platform may not know one that only a Parley server has. */
  offersField(schema: z.ZodType): boolean {
    return this.isParley || !String(schema.meta()?.['x-assumed'] ?? '').startsWith('only on')
  }

  /** Adds a secret. From now on, only the endpoints in `shownBy` may return it. */
  trackSecret(value: unknown, shownBy: readonly string[] = []): void {
    if (typeof value === 'string' && value.length >= 8) this.#secrets.set(value, shownBy)
  }

  /** Sends one request; any status is a result. */
  async send(endpoint: Endpoint, input: Fields): Promise<Answer> {
    const { status, output, headers } = await this.#call.raw(endpoint, input as never, { acceptsAnyStatus: true })
    const answer = { status, output, headers }
    this.report.add(endpoint.name, 'headers', this.#headerDifferences(endpoint, answer))
    const leaks = this.#leaks(endpoint, input, output)
    if (leaks.length > 0) this.report.add(endpoint.name, 'secrets', leaks)
    return answer
  }

  #headerDifferences({ name, assumed }: Endpoint, answer: Answer): Difference[] {
    const { headers, output, status } = answer
    const found: Difference[] = []
    const type = headers['content-type']
    if ((output !== undefined || status !== 204) && !/^application\/([\w.+-]+\+)?json\b/i.test(type ?? ''))
      found.push(drift('content-type', 'application/json', type ?? 'nothing'))
    if (!this.isParley) return found
    for (const header of ['parley-capabilities', 'x-request-id'])
      if (!headers[header]) found.push(drift(header, 'a value', 'nothing'))
    if (isSuccess(answer) && (headers['parley-assumed'] === name) !== (assumed !== undefined))
      found.push(
        drift('parley-assumed', assumed === undefined ? 'nothing' : name, headers['parley-assumed'] ?? 'nothing'),
      )
    return found
  }

  #leaks({ name }: Endpoint, input: Fields, output: unknown): Difference[] {
    if (this.#secrets.size === 0 || input.include_secrets === true) return []
    const text = stringifyJson(output) ?? ''
    return [...this.#secrets].flatMap(([value, shownBy]) =>
      shownBy.includes(name) || !text.includes(value)
        ? []
        : [drift(pathOf(output, value), 'no secret', 'an unmasked secret')],
    )
  }
}

/** Returns the path of a text in a response. */
function pathOf(it: unknown, value: string, path = ''): string {
  if (typeof it === 'string') return path || '.'
  const entries = Array.isArray(it) ? it.map((one) => ['*', one] as const) : isObject(it) ? Object.entries(it) : []
  for (const [name, below] of entries)
    if ((stringifyJson(below) ?? '').includes(value))
      return pathOf(below, value, path === '' ? name : `${path}.${name}`)
  return path || '.'
}

/** Returns the rows of a list, normalized to the contract. */
export const rowsOf = (endpoint: Endpoint, output: unknown): readonly Fields[] =>
  itemsOf(endpoint, normalizeResponse(endpoint.output, output)).filter(isObject)

/** Returns the record in a response about one resource. */
export const recordOf = (endpoint: Endpoint, output: unknown): Fields | undefined => {
  const whole = normalizeResponse(endpoint.output, output)
  const record = endpoint.record === undefined ? whole : property(whole, endpoint.record)
  return isObject(record) ? record : undefined
}

/** Returns the id of a row. */
export const idOf = (row: unknown): unknown => property(row, 'id')
