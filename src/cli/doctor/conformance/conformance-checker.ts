import type * as z from 'zod'
import type { Client } from '../../../client/create-client.ts'
import { property } from '../../../client/response-body.ts'
import type { FailureName } from '../../../contract/errors/failures.ts'
import { isRequired } from '../../../contract/mechanics/coerce.ts'
import type { Endpoint } from '../../../contract/mechanics/endpoint.ts'
import { compareWithContract, type Difference } from '../../../contract/mechanics/response-differences.ts'
import { endpoints } from '../../../contract/resources/index.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { stringifyJson } from '../../../node/json.ts'
import { type ConformanceCase, type ConformanceReport, drift } from './conformance-report.ts'
import {
  type Answer,
  ConformanceSession,
  type Fields,
  idOf,
  isSuccess,
  recordOf,
  rowsOf,
} from './conformance-session.ts'
import { ownedReferences, parameterSources, readQueries, unknownIds } from './endpoint-tables.ts'
import { checkLimits } from './limit-checks.ts'
import { checkList } from './list-checks.ts'
import { differingFields, readAgain, readEndpointsOf } from './read-back.ts'
import { refusalDifferences } from './refusal-differences.ts'
import { readWritten, writeDifferences } from './write-differences.ts'
import type { Expectation, WriteStep } from './write-step.ts'

/** Returns an endpoint of the contract by its name. */
export const endpointOf = (name: string): Endpoint => endpoints.find((it) => it.name === name) as Endpoint

const notOfferedNote = 'The platform does not advertise it.'

/** Sends requests to a platform and compares the responses with the contract. */
export class ConformanceChecker {
  readonly #session: ConformanceSession
  readonly #report: ConformanceReport
  /** First id that each list returned, used to read one resource. */
  readonly #ids = new Map<string, unknown>()
  readonly #stored = new Map<string, unknown>()
  /** Lists whose pages and filters were checked while they had rows. */
  readonly #deep: Set<string>
  /** Input of each successful write, by endpoint. */
  readonly #accepted = new Map<string, Fields>()

  /** `deep`: lists that were already checked in depth. */
  constructor(call: Client, report: ConformanceReport, deep: Set<string> = new Set()) {
    this.#deep = deep
    this.#session = new ConformanceSession(call, report)
    this.#report = report
  }

  trackSecret(value: unknown, shownBy?: readonly string[]): void {
    this.#session.trackSecret(value, shownBy)
  }

  /** Checks every read, in an order in which ids are known when needed. `isEmpty`: a new account without resources. */
  async checkReads(isEmpty = false): Promise<void> {
    const count = (it: Endpoint): number =>
      Object.keys(it.params?.shape ?? {}).length + (Object.hasOwn(parameterSources, it.name) ? 1 : 0)
    const reads = endpoints
      .filter((it) => it.method === 'GET' && it.auth !== 'control')
      .sort((a, b) => count(a) - count(b))
    for (const endpoint of reads) {
      const input = this.#inputOf(endpoint)
      if (!this.#session.isOffered(endpoint)) this.#report.skip(endpoint.name, notOfferedNote)
      else if (input === undefined) this.#report.skip(endpoint.name, 'The platform has no resource of this kind.')
      else {
        const answer = await this.#checkAnswer(endpoint, input)
        if (answer && endpoint.items !== undefined) {
          const isDeep = !isEmpty && !this.#deep.has(endpoint.name)
          if (isDeep && rowsOf(endpoint, answer.output).length > 0) this.#deep.add(endpoint.name)
          await checkList(this.#session, endpoint, input, answer, { isEmpty, isDeep })
        }
        if (answer && endpoint.items === undefined) await this.#compareWithList(endpoint, input, answer)
        if (answer && endpoint.name === 'automate.get') await this.#checkSecrets(endpoint, answer)
      }
      if (endpoint.params && this.#session.isOffered(endpoint)) await this.#checkNotFound(endpoint, input ?? {})
    }
  }

  /** Runs writes whose references were created, and reads the written values back. */
  async runSteps(steps: readonly WriteStep[]): Promise<void> {
    for (const step of steps) {
      const endpoint = endpointOf(step.endpoint)
      const input = this.#filled(step.input) as Fields | undefined
      if (!this.#session.isOffered(endpoint)) {
        this.#report.skip(endpoint.name, notOfferedNote)
        continue
      }
      if (input === undefined) {
        this.#report.skip(endpoint.name, 'A resource that it needs could not be created.')
        continue
      }
      const before = endpoint.method === 'PUT' ? await readWritten(this.#session, endpoint, input) : undefined
      const answer = await this.#checkAnswer(endpoint, input)
      if (!answer) continue
      this.#accepted.set(endpoint.name, input)
      if (step.secretPath !== undefined)
        this.trackSecret(step.secretPath.split('.').reduce(property, answer.output), [endpoint.name])
      if (step.storeAs !== undefined) {
        const value = step.select(answer.output)
        this.#stored.set(step.storeAs, value)
        if (value === undefined && endpoint.risk === 'read')
          this.#report.add(endpoint.name, 'read_back', [drift('.', `the value of ${step.storeAs}`, 'nothing')])
      }
      this.#report.add(endpoint.name, 'read_back', [
        ...(await writeDifferences(this.#session, endpoint, input, answer, before)),
        ...(await this.#checkExpectations(step.expectations, answer)),
      ])
    }
  }

  /**
   * Checks writes with unknown ids, invalid bodies and values beyond the limits. Rate-limited writes stay within the
   * limit.
   */
  async checkRejections(): Promise<void> {
    const limited = new Set<string>()
    for (const endpoint of endpoints.filter((it) => it.method !== 'GET' && it.auth !== 'control')) {
      const acceptedInput = this.#accepted.get(endpoint.name)
      if ((!acceptedInput && endpoint.method !== 'DELETE') || !this.#session.isOffered(endpoint)) continue
      await this.#checkNotFound(endpoint, acceptedInput ?? {})
      const { limit } = endpoint
      if (acceptedInput && endpoint.body && !(limit && limited.has(limit.name)))
        await this.#checkRejection(endpoint, endpoint.body, acceptedInput)
      if (limit) limited.add(limit.name)
      else if (acceptedInput && endpoint.body) await checkLimits(this.#session, endpoint, acceptedInput)
    }
  }

  /** Checks requests that must be refused with a specific failure. */
  async checkRefusals(
    wanted: readonly (readonly [endpoint: string, input: Readonly<Record<string, unknown>>, failure: FailureName])[],
  ): Promise<void> {
    for (const [name, given, failure] of wanted) {
      const input = this.#filled(given) as Fields | undefined
      if (input === undefined) continue
      const endpoint = endpointOf(name)
      this.#refusal(endpoint, 'refusals', failure, await this.#session.send(endpoint, input))
    }
  }

  /** Checks every read without a key: all must be refused. */
  async checkWithoutKey(): Promise<void> {
    for (const endpoint of endpoints.filter((it) => it.method === 'GET' && (it.auth ?? 'key') === 'key')) {
      if (!this.#session.isOffered(endpoint)) continue
      const params = Object.fromEntries(Object.keys(endpoint.params?.shape ?? {}).map((it) => [it, unknownIds.integer]))
      const answer = await this.#session.send({ ...endpoint, auth: 'none' } as Endpoint, {
        ...readQueries[endpoint.name],
        ...params,
      })
      this.#refusal(endpoint, 'no_key', 'unauthenticated', answer)
    }
  }

  /** Replaces each `$name` by the value stored under it; returns undefined if it was not stored. */
  #filled(value: unknown): unknown {
    if (typeof value === 'string' && value.startsWith('$')) return this.#stored.get(value.slice(1))
    if (Array.isArray(value)) {
      const items = value.map((it) => this.#filled(it))
      return items.includes(undefined) ? undefined : items
    }
    if (!isObject(value)) return value
    const entries = Object.entries(value).map(([name, it]) => [name, this.#filled(it)] as const)
    return entries.some(([, it]) => it === undefined) ? undefined : Object.fromEntries(entries)
  }

  #inputOf(endpoint: Endpoint): Fields | undefined {
    const [resource] = endpoint.name.split('.')
    const input: Fields = { ...readQueries[endpoint.name] }
    const needed = [
      ...Object.keys(endpoint.params?.shape ?? {}),
      ...Object.entries(endpoint.query?.shape ?? {}).flatMap(([name, it]) => (isRequired(it as never) ? [name] : [])),
    ]
    for (const name of needed)
      input[name] ??= this.#ids.get(parameterSources[endpoint.name]?.[name] ?? `${resource}.list`)
    return needed.every((name) => input[name] !== undefined) ? input : undefined
  }

  async #checkAnswer(endpoint: Endpoint, input: Fields): Promise<Answer | undefined> {
    const answer = await this.#session.send(endpoint, input)
    const { status, output } = answer
    const expected = `status ${[endpoint.status, ...Object.keys(endpoint.alsoStatus ?? {})].join(' or ')}`
    const isDocumented = status === endpoint.status || Object.hasOwn(endpoint.alsoStatus ?? {}, status)
    const differences: Difference[] = isDocumented
      ? []
      : [{ path: '.', expected, seen: `status ${status}`, tolerated: isSuccess(answer) }]
    // A built automation is 201; one that was built and failed its test is 200 (section 4.17).
    const isFailed = property(output, 'status') === 'test_failed'
    if (endpoint.alsoStatus && isSuccess(answer) && isFailed !== (status !== endpoint.status))
      differences.push(
        drift(
          '.',
          `status ${isFailed ? 200 : 201}, because its status is ${property(output, 'status')}`,
          `status ${status}`,
        ),
      )
    if (isSuccess(answer) && output === undefined) differences.push(drift('.', 'JSON', 'no JSON'))
    else if (isSuccess(answer)) differences.push(...compareWithContract(endpoint, output))
    this.#report.add(endpoint.name, 'answer', differences)
    if (!isSuccess(answer)) return undefined
    this.#rememberId(endpoint, output)
    return output === undefined ? undefined : answer
  }

  #rememberId(endpoint: Endpoint, output: unknown): void {
    const id = endpoint.items === undefined ? undefined : idOf(rowsOf(endpoint, output)[0])
    if (typeof id === 'number' || (typeof id === 'string' && /^[\w-]{1,64}$/.test(id))) this.#ids.set(endpoint.name, id)
  }

  /** Checks that a definition requested without its secrets has them masked (section 2.10). */
  async #checkSecrets(endpoint: Endpoint, { output }: Answer): Promise<void> {
    const definition = property(property(output, 'data'), 'definition')
    if (!isObject(definition)) return
    const { maskDefinition } = await import('../../../flow/definition/mask.ts')
    const isMasked = stringifyJson(maskDefinition(definition as never)) === stringifyJson(definition)
    this.#report.add(
      endpoint.name,
      'secrets',
      isMasked ? [] : [drift('data.definition', 'masked credentials', 'an unmasked credential')],
    )
  }

  /** Compares a single resource with its row in the list. */
  async #compareWithList(endpoint: Endpoint, input: Fields, answer: Answer): Promise<void> {
    const reading = readEndpointsOf(endpoint)
    const [resource, verb = ''] = endpoint.name.split('.')
    const list = endpoints.find(
      (it) => it.name === `${resource}.${verb.replace(/^get/, 'list')}${verb === 'get' ? '' : 's'}`,
    )
    const id = input[Object.keys(endpoint.params?.shape ?? {}).at(-1) ?? '']
    const record = recordOf(endpoint, answer.output)
    if (!list || id === undefined || !record || !verb.startsWith('get') || record.id === undefined) return
    const { listed } = await readAgain(this.#session, { ...reading, get: undefined, list }, id, input)
    if (listed)
      this.#report.add(endpoint.name, 'read_back', differingFields('', record, listed, `the value in ${list.name}`))
  }

  async #checkExpectations(expected: readonly Expectation[], answer: Answer): Promise<Difference[]> {
    const found: Difference[] = []
    for (const { endpoint, input, description, isMet } of expected) {
      const filled = this.#filled(input) as Fields | undefined
      if (filled === undefined) continue
      const { output } = await this.#session.send(endpointOf(endpoint), filled)
      if (!isMet(output, answer.output, (name) => this.#stored.get(name)))
        found.push(drift(endpoint, description, 'another value'))
    }
    return found
  }

  async #checkNotFound(endpoint: Endpoint, input: Fields): Promise<void> {
    const names = Object.keys(endpoint.params?.shape ?? {})
    const last = names.at(-1) ?? ownedReferences[endpoint.name]
    const errors = endpoint.errors.filter((it) => /(not_found|not_yours|[._]missing)$/.test(it))
    const expected = names.length > 1 ? errors.at(-1) : errors[0]
    if (
      last === undefined ||
      expected === undefined ||
      names.some((name) => name !== last && input[name] === undefined)
    )
      return
    const schema = (endpoint.params?.shape ?? endpoint.body?.shape)?.[last]
    const answer = await this.#session.send(endpoint, {
      ...readQueries[endpoint.name],
      ...input,
      [last]: schema?.safeParse(1).success ? unknownIds.integer : unknownIds.text,
    })
    this.#refusal(endpoint, 'not_found', expected, answer)
  }

  async #checkRejection(endpoint: Endpoint, body: z.ZodObject, acceptedInput: Fields): Promise<void> {
    const params = Object.fromEntries(
      Object.keys(endpoint.params?.shape ?? {}).map((name) => [name, acceptedInput[name]]),
    )
    const wrong = { nothing: 'of the kind' }
    const field = Object.keys(body.shape).find((name) => !body.shape[name]?.safeParse(wrong).success)
    if (body.safeParse({}).success && field === undefined) return
    const answer = await this.#session.send(endpoint, {
      ...params,
      ...(body.safeParse({}).success && { [field as string]: wrong }),
    })
    const { validationMessage } = endpoint
    this.#refusal(endpoint, 'rejected', 'invalid', answer, validationMessage === 'first' ? null : validationMessage)
  }

  #refusal(endpoint: Endpoint, about: ConformanceCase, name: FailureName, answer: Answer, text?: string | null): void {
    this.#report.add(endpoint.name, about, refusalDifferences(endpoint, name, answer, text))
  }
}
