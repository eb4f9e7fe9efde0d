import type * as z from 'zod'
import { isObject, property } from '../../client/answer.ts'
import type { Client } from '../../client/call.ts'
import { itemsOf } from '../../client/pages.ts'
import { isRequired } from '../../contract/coerce.ts'
import { type Difference, differencesFrom, seenAs } from '../../contract/conformity.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { envelopes, type FailureKind, type FailureName, failures, wireCode } from '../../contract/errors.ts'
import { endpoints } from '../../contract/index.ts'
import { queries, references, type Step, sources } from './conformance-steps.ts'

/** What looking at one documented answer found. */
export interface Conformity {
  readonly endpoint: string
  /** What was asked: the answer itself, or a refusal. */
  readonly case: 'answer' | 'not found' | 'rejected' | 'without a key'
  readonly status: 'same' | 'tolerated' | 'drift' | 'skipped'
  readonly differences: readonly Difference[]
  readonly note: string | null
}

type Fields = Record<string, unknown>

/** An id nobody has. */
const nobodys = { integer: 2_147_483_000, text: '00000000-0000-4000-8000-000000000000' }

export const endpointOf = (name: string): Endpoint => endpoints.find((it) => it.name === name) as Endpoint

/** Asks a platform and compares what it answers. */
export class Looker {
  readonly found: Conformity[] = []
  readonly #call: Client
  readonly #ids = new Map<string, unknown>()
  readonly #kept = new Map<string, unknown>()
  /** What each write was told that succeeded. */
  readonly #told = new Map<string, Fields>()

  constructor(call: Client) {
    this.#call = call
  }

  /** Every endpoint that reads, those first whose answers name what the others ask for. */
  async readAll(): Promise<void> {
    const count = (it: Endpoint): number => Object.keys(it.params?.shape ?? {}).length + (Object.hasOwn(sources, it.name) ? 1 : 0)
    const reads = endpoints.filter((it) => it.method === 'GET' && it.auth !== 'control').sort((a, b) => count(a) - count(b))
    for (const endpoint of reads) {
      if (this.#isMissing(endpoint)) {
        this.#skip(endpoint, 'The platform does not offer it.')
        continue
      }
      const input = this.#inputOf(endpoint)
      if (input === undefined) this.#skip(endpoint, 'The platform has none of these to look at.')
      else await this.#look(endpoint, input)
      if (endpoint.params) await this.#lookForNobody(endpoint, input ?? {})
    }
  }

  /** Requests that write, as long as what they name was made. */
  async write(steps: readonly Step[]): Promise<void> {
    for (const { endpoint: name, input, keep, part } of steps) {
      const endpoint = endpointOf(name)
      if (this.#isMissing(endpoint)) {
        this.#skip(endpoint, 'The platform does not offer it.')
        continue
      }
      const entries = Object.entries(input).map(([field, value]) => [field, this.#filled(value)])
      if (entries.some(([, value]) => value === undefined)) {
        this.#skip(endpoint, 'What it is about could not be made.')
        continue
      }
      const fields: Fields = Object.fromEntries(entries)
      const output = await this.#look(endpoint, fields)
      if (output !== undefined) this.#told.set(name, fields)
      if (keep !== undefined) this.#kept.set(keep, part(output))
    }
  }

  /** Writes about what nobody has, and with bodies that are none. Those that are limited stay within the limit. */
  async refuseAll(): Promise<void> {
    const limited = new Set<string>()
    for (const endpoint of endpoints.filter((it) => it.method !== 'GET' && it.auth !== 'control')) {
      const told = this.#told.get(endpoint.name)
      if (!told && endpoint.method !== 'DELETE') continue
      await this.#lookForNobody(endpoint, told ?? {})
      const { limit } = endpoint
      if (told && endpoint.body && !(limit && limited.has(limit.name))) await this.#lookForRejection(endpoint, endpoint.body, told)
      if (limit) limited.add(limit.name)
    }
  }

  /** Whether it belongs to a capability that the platform does not advertise. */
  #isMissing({ capability }: Endpoint): boolean {
    return capability !== undefined && this.#call.capabilities()?.has(capability) !== true
  }

  /** `$name` stands for what was kept under it. */
  #filled(value: unknown): unknown {
    if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, it]) => [name, this.#filled(it)]))
    if (!Array.isArray(value)) return typeof value === 'string' && value.startsWith('$') ? this.#kept.get(value.slice(1)) : value
    const items = value.map((it) => this.#filled(it))
    return items.includes(undefined) ? undefined : items
  }

  async lookWithoutKey(): Promise<void> {
    const endpoint = endpointOf('user.me')
    const { status, output } = await this.#call.raw({ ...endpoint, auth: 'none' } as Endpoint, {}, { asIs: true })
    this.#refusal(endpoint, 'without a key', 'unauthenticated', status, output)
  }

  #inputOf(endpoint: Endpoint): Fields | undefined {
    const [resource] = endpoint.name.split('.')
    const input: Fields = { ...queries[endpoint.name] }
    const needed = [
      ...Object.keys(endpoint.params?.shape ?? {}),
      ...Object.entries(endpoint.query?.shape ?? {}).flatMap(([name, it]) => (isRequired(it as never) ? [name] : [])),
    ]
    for (const name of needed) input[name] ??= this.#ids.get(sources[endpoint.name]?.[name] ?? `${resource}.list`)
    return needed.every((name) => input[name] !== undefined) ? input : undefined
  }

  async #look(endpoint: Endpoint, input: Fields): Promise<unknown> {
    const { status, output } = await this.#call.raw(endpoint, input as never, { asIs: true })
    if (status === 501) return this.#skip(endpoint, 'The platform declares it and has not built it yet.')
    const expected = `status ${[endpoint.status, ...Object.keys(endpoint.alsoStatus ?? {})].join(' or ')}`
    const isSuccess = status >= 200 && status < 300
    const isDocumented = status === endpoint.status || Object.hasOwn(endpoint.alsoStatus ?? {}, status)
    const differences: Difference[] = isDocumented ? [] : [{ path: '.', expected, seen: `status ${status}`, tolerated: isSuccess }]
    if (isSuccess && output === undefined) differences.push({ path: '.', expected: 'JSON', seen: 'no JSON', tolerated: false })
    else if (isSuccess) differences.push(...differencesFrom(endpoint, output))
    this.#add(endpoint, 'answer', differences)
    if (isSuccess) this.#remember(endpoint, output)
    return isSuccess ? output : undefined
  }

  #remember(endpoint: Endpoint, output: unknown): void {
    const [first] = endpoint.items === undefined ? [] : itemsOf(endpoint, output)
    const id = property(first, 'id')
    if (typeof id === 'number' || (typeof id === 'string' && /^[\w-]{1,64}$/.test(id))) this.#ids.set(endpoint.name, id)
  }

  async #lookForNobody(endpoint: Endpoint, input: Fields): Promise<void> {
    const names = Object.keys(endpoint.params?.shape ?? {})
    const last = names.at(-1) ?? references[endpoint.name]
    const errors = endpoint.errors.filter((it) => /(not_found|not_yours|[._]missing)$/.test(it))
    const expected = names.length > 1 ? errors.at(-1) : errors[0]
    if (last === undefined || expected === undefined || names.some((name) => name !== last && input[name] === undefined)) return
    const schema = (endpoint.params?.shape ?? endpoint.body?.shape)?.[last]
    const { status, output } = await this.#ask(endpoint, { ...input, [last]: schema?.safeParse(1).success ? nobodys.integer : nobodys.text })
    if (status === 501) return
    this.#refusal(endpoint, 'not found', expected, status, output)
  }

  async #lookForRejection(endpoint: Endpoint, body: z.ZodObject, told: Fields): Promise<void> {
    const params = Object.fromEntries(Object.keys(endpoint.params?.shape ?? {}).map((name) => [name, told[name]]))
    const wrong = { nothing: 'of the kind' }
    const field = Object.keys(body.shape).find((name) => !body.shape[name]?.safeParse(wrong).success)
    if (body.safeParse({}).success && field === undefined) return
    const { status, output } = await this.#ask(endpoint, { ...params, ...(body.safeParse({}).success && { [field as string]: wrong }) })
    const { rejects } = endpoint
    this.#refusal(endpoint, 'rejected', 'invalid', status, output, rejects === 'first' ? null : rejects)
  }

  #ask(endpoint: Endpoint, input: Fields): Promise<{ status: number; output: unknown }> {
    return this.#call.raw(endpoint, input as never, { asIs: true })
  }

  #refusal(endpoint: Endpoint, what: Conformity['case'], name: FailureName, status: number, body: unknown, text: string | null = failures[name].text): void {
    const kind: FailureKind = failures[name]
    const differences: Difference[] =
      status === kind.status ? [] : [{ path: '.', expected: `status ${kind.status}`, seen: `status ${status}`, tolerated: false }]
    const documented = envelopes[kind.envelope]({ text: text ?? '', code: wireCode(name), ...(kind.extra && { extra: kind.extra }) }) as Fields
    if (!isObject(body)) differences.push({ path: '.', expected: 'an object', seen: seenAs(body), tolerated: false })
    else if (status >= 400) {
      for (const [field, value] of Object.entries(documented)) {
        const seen = property(body, field)
        if (seenAs(seen) !== seenAs(value)) differences.push({ path: field, expected: seenAs(value), seen: seenAs(seen), tolerated: false })
        else if (seen !== value && !isObject(value) && !(field === 'message' && text === null))
          differences.push({ path: field, expected: JSON.stringify(value), seen: JSON.stringify(seen), tolerated: true })
      }
      for (const field of Object.keys(body))
        if (!Object.hasOwn(documented, field)) differences.push({ path: field, expected: 'nothing', seen: seenAs(body[field]), tolerated: true })
    }
    this.#add(endpoint, what, differences)
  }

  #add(endpoint: Endpoint, what: Conformity['case'], differences: readonly Difference[]): void {
    const status = differences.some((it) => !it.tolerated) ? 'drift' : differences.length > 0 ? 'tolerated' : 'same'
    this.found.push({ endpoint: endpoint.name, case: what, status, differences, note: null })
  }

  #skip(endpoint: Endpoint, note: string): undefined {
    this.found.push({ endpoint: endpoint.name, case: 'answer', status: 'skipped', differences: [], note })
  }
}
