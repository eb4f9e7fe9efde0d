// Sends the requests of the conformance check, and adds a row to the report for each. Whatever a check creates is recorded
// here, so that it is deleted at the end.

import type * as z from 'zod'
import type { Client } from '../../../../client/create-client.ts'
import { property } from '../../../../client/response-body.ts'
import { isRequired } from '../../../../contract/endpoint/coerce.ts'
import type { Endpoint } from '../../../../contract/endpoint/endpoint.ts'
import { compareWithContract, type Difference } from '../../../../contract/endpoint/response-differences.ts'
import { type FailureName, failures } from '../../../../contract/errors/failures.ts'
import { endpoints } from '../../../../contract/resources/index.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { maxPerPage } from '../../../../contract/values/page-size.ts'
import { maskDefinition } from '../../../../engine/definition/mask.ts'
import { stringifyJson } from '../../../../node/json.ts'
import { checkAccepted, plainMarker, startsWithMarker } from './accepted-values.ts'
import { type ConformanceCase, type ConformanceReport, drift } from './conformance-report.ts'
import {
  type Answer,
  type CheckBudget,
  ConformanceSession,
  type Fields,
  idOf,
  isAnswered,
  isSuccess,
  recordOf,
  rowsOf,
  type SessionOptions,
} from './conformance-session.ts'
import {
  fieldNames,
  namesElsewhere,
  ownedReferences,
  parameterSources,
  readQueries,
  sharedLists,
  unknownIds,
} from './endpoint-tables.ts'
import { checkLimits } from './limit-checks.ts'
import { checkList } from './list-checks.ts'
import { differingFields, readAgain, readAllRows, readEndpointsOf, readWritten, writeDifferences } from './read-back.ts'
import { refusalDifferences } from './refusal-differences.ts'
import type { Expectation, WriteStep } from './write-step.ts'

/** Returns an endpoint of the contract by its name. */
export const endpointOf = (name: string): Endpoint => endpoints.find((it) => it.name === name) as Endpoint

interface Deletion {
  readonly endpoint: Endpoint
  readonly input: Fields
  /** What is deleted, for messages. */
  readonly text: string
}

/** Writes that can be repeated without a cost and without records to delete: messages in a test conversation. */
const repeatableForFree: ReadonlySet<string> = new Set(['conversations.send'])

const returnsId = ({ output }: Endpoint): boolean => {
  const names = fieldNames(output)
  return names.has('id') || names.has('automation_id')
}

const withoutRetryAfter = (output: unknown): unknown => {
  if (!isObject(output)) return output
  const { retry_after: _, ...rest } = output
  return rest
}

/**
 * Returns the endpoint that deletes what an endpoint creates, by their names: `createDocument` and `deleteDocument`. One that creates
 * and has another name must be added here or to `permanentResources`, or what it created is neither deleted nor named.
 */
function deletionOf({ name, method }: Endpoint): Endpoint | undefined {
  if (method !== 'POST') return undefined
  const [resource = '', verb = ''] = name.split('.')
  if (name === 'numbers.buy' || name === 'sipTrunks.create') return endpointOf('numbers.release')
  if (name === 'automate.apply') return endpointOf('automate.delete')
  const [, part] = /^create([A-Z]\w*)?$/.exec(verb) ?? []
  return /^create/.test(verb) ? endpoints.find((it) => it.name === `${resource}.delete${part ?? ''}`) : undefined
}

/** What a platform keeps of a request, because it has no endpoint that deletes it. */
const permanentResources: Readonly<Record<string, string>> = {
  'conversations.create': 'conversations without a way to delete them',
  'replies.generate': 'conversations without a way to delete them',
  'messaging.send': 'sent messages',
  'messaging.sendFreeform': 'sent messages',
  'sms.send': 'sent messages',
}

/** Maximum number of further resources that are read one by one. */
const maxOthers = 9

const notOfferedNote = 'The platform does not advertise it.'

/** Sends requests to a platform and compares the responses with the contract. */
export class ConformanceChecker {
  readonly #session: ConformanceSession
  readonly #report: ConformanceReport
  /** First id that each list returned, used to read one resource. */
  readonly #ids = new Map<string, unknown>()
  /** Further ids of each list. */
  readonly #otherIds = new Map<string, readonly unknown[]>()
  readonly #stored = new Map<string, unknown>()
  /** Lists whose pages and filters were checked while they had rows. */
  readonly #deep: Set<string>
  /** Input of each successful write, by endpoint. */
  readonly #accepted = new Map<string, Fields>()

  readonly #budget: CheckBudget | undefined
  /** Deletions that are still due, the newest first. */
  readonly #due: Deletion[] = []
  /** Deletions that succeeded. A released number is listed until the end of its month. */
  readonly #deleted = new Set<string>()
  /** What the check has created and no request can delete. */
  readonly #permanent = new Set<string>()

  /** `deep`: lists that were already checked in depth. */
  constructor(call: Client, report: ConformanceReport, deep: Set<string> = new Set(), options: SessionOptions = {}) {
    this.#deep = deep
    this.#budget = options.budget
    this.#session = new ConformanceSession(call, report, {
      ...options,
      onSuccess: (endpoint, input, output) => this.#noteCreated(endpoint, input, output),
    })
    this.#report = report
    const { marker = '' } = options
    this.store('name', marker)
    this.store('plainName', plainMarker(marker))
  }

  /** Sends requests with the key of this checker. */
  get session(): ConformanceSession {
    return this.#session
  }

  /** Returns a value that a step has stored. */
  stored(name: string): unknown {
    return this.#stored.get(name)
  }

  /** Returns whether a write of this endpoint succeeded. */
  hasAccepted(endpoint: string): boolean {
    return this.#accepted.has(endpoint)
  }

  /** Stores a value under the name that the inputs of steps reference. */
  store(name: string, value: unknown): void {
    this.#stored.set(name, value)
  }

  trackSecret(value: unknown, shownBy?: readonly string[]): void {
    this.#session.trackSecret(value, shownBy)
  }

  /** Checks every read, in an order in which ids are known when needed. `isEmpty`: a new account without resources. */
  async checkReads(isEmpty = false): Promise<void> {
    const count = (counted: Endpoint): number =>
      Object.keys(counted.params?.shape ?? {}).length + (Object.hasOwn(parameterSources, counted.name) ? 1 : 0)
    const reads = endpoints
      .filter((it) => it.method === 'GET' && it.auth !== 'control')
      .sort((a, b) => count(a) - count(b))
    for (const endpoint of reads) {
      const input = this.#inputOf(endpoint)
      if (!this.#session.isOffered(endpoint)) this.#report.skip(endpoint.name, notOfferedNote)
      else if (input === undefined) this.#report.skip(endpoint.name, 'The platform has no resource of this kind.')
      else {
        const answer = await this.#checkAnswer(endpoint, input)
        if (answer && endpoint.name === 'numbers.search')
          for (const row of rowsOf(endpoint, answer.output))
            if (typeof row.price === 'number' && row.price > 0)
              this.#budget?.numberPrices.set(row.phone_number, row.price)
        if (answer && endpoint.items !== undefined) {
          const isDeep = !isEmpty && !this.#deep.has(endpoint.name)
          if (isDeep && rowsOf(endpoint, answer.output).length > 0) this.#deep.add(endpoint.name)
          await checkList(this.#session, endpoint, input, answer, { isEmpty, isDeep })
        }
        if (answer && endpoint.items === undefined) await this.#compareWithList(endpoint, input, answer)
        if (answer && endpoint.name === 'automate.get') await this.#checkSecrets(endpoint, answer)
        if (answer) await this.#checkOthers(endpoint, input)
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
      if (step.after !== undefined && !this.hasAccepted(step.after)) continue
      if (input === undefined) {
        this.#report.skip(endpoint.name, 'A resource that it needs could not be found or created.')
        continue
      }
      const before = endpoint.method === 'PUT' ? await readWritten(this.#session, endpoint, input) : undefined
      const answer = await this.#checkAnswer(endpoint, input)
      if (!answer) {
        for (const [name, value] of Object.entries(step.otherwise ?? {})) this.#stored.set(name, value)
        continue
      }
      this.#accepted.set(endpoint.name, input)
      if (step.secretPath !== undefined)
        this.trackSecret(step.secretPath.split('.').reduce(property, answer.output), [endpoint.name])
      if (step.storeAs !== undefined) {
        const value = step.select(answer.output, (name) => this.#stored.get(name))
        this.#stored.set(step.storeAs, value)
        if (step.storeAs === 'free') this.#budget?.freeConversations.add(value)
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
      const before = this.#due.length
      // A response without an id names nothing to delete: cleanup finds the record by its name.
      const deleteNewest = async (): Promise<void> => {
        while (this.#due.length > before) await this.#delete()
      }
      if (acceptedInput && endpoint.body && !(limit && limited.has(limit.name)))
        await this.#checkRejection(endpoint, endpoint.body, acceptedInput)
      if (limit) limited.add(limit.name)
      else if (acceptedInput && endpoint.body) {
        await checkLimits(this.#session, endpoint, acceptedInput)
        await deleteNewest()
        if (endpoint.method === 'PUT') await checkAccepted(this.#session, endpoint, acceptedInput)
        else if (repeatableForFree.has(endpoint.name)) await checkAccepted(this.#session, endpoint, acceptedInput)
        else if (deletionOf(endpoint) && returnsId(endpoint))
          await checkAccepted(this.#session, endpoint, acceptedInput, deleteNewest, 1)
      }
    }
  }

  /** Remembers how to delete what a request has created. */
  #noteCreated(endpoint: Endpoint, input: Fields, output: unknown): void {
    if (endpoint.method === 'DELETE') {
      this.#deleted.add(`${endpoint.name} ${stringifyJson(input)}`)
      const at = this.#due.findIndex(
        (it) => it.endpoint.name === endpoint.name && stringifyJson(it.input) === stringifyJson(input),
      )
      if (at >= 0) this.#due.splice(at, 1)
      return
    }
    if (endpoint.name === 'campaigns.updateStatus') this.#budget?.noteStarted()
    const permanent = permanentResources[endpoint.name]
    if (permanent !== undefined) this.#permanent.add(permanent)
    const deletion = deletionOf(endpoint)
    const id = property(recordOf(endpoint, output), 'id') ?? property(output, 'automation_id')
    if (!deletion || id === undefined) return
    const names = Object.keys(deletion.params?.shape ?? {})
    const last = names.at(-1) ?? 'id'
    const above = Object.fromEntries(names.filter((it) => it !== last).map((it) => [it, input[it]]))
    this.#due.unshift({
      endpoint: deletion,
      input: { ...above, [last]: id },
      text: `${endpoint.name.split('.')[0]} ${String(id)}`,
    })
  }

  /** Deletes the newest resource that is due, without comparing the response. Returns whether it is gone. */
  async #delete(): Promise<{ readonly text: string; readonly isGone: boolean }> {
    const { endpoint, input, text } = this.#due.shift() as Deletion
    const answer = await this.#session.send(endpoint, input)
    return { text, isGone: isSuccess(answer) || answer.status === 404 || answer.status === 410 }
  }

  /**
   * Deletes what the check has created and not deleted, also after an interrupt. Finds records without a known id by
   * the marker in their texts. Returns what remains.
   */
  async cleanUp(): Promise<readonly string[]> {
    this.#session.end()
    const remaining = new Set<string>()
    while (this.#due.length > 0) {
      const { text, isGone } = await this.#delete()
      if (!isGone) remaining.add(text)
    }
    for (const [list, deletion] of this.#listsToSearch()) {
      const [param = 'id'] = Object.keys(deletion.params?.shape ?? {})
      for (const row of (await readAllRows(this.#session, list, {})).filter((it) => this.#isOwn(it))) {
        if (this.#deleted.has(`${deletion.name} ${stringifyJson({ [param]: row.id })}`)) continue
        const gone = await this.#session.send(deletion, { [param]: row.id })
        if (!isSuccess(gone)) remaining.add(`${list.name.split('.')[0]} ${String(row.id)}`)
      }
    }
    return [...remaining, ...this.#permanent]
  }

  /** Returns each list of a resource that the check creates, with the endpoint that deletes its rows. */
  #listsToSearch(): readonly (readonly [list: Endpoint, deletion: Endpoint])[] {
    const creates = endpoints.filter((it) => it.method === 'POST' && this.#session.isOffered(it))
    const pairs = creates.flatMap((creation) => {
      const deletion = deletionOf(creation)
      const list = endpoints.find((one) => one.name === `${deletion?.name.split('.')[0]}.list`)
      if (!deletion || !list || list.params || Object.keys(deletion.params?.shape ?? {}).length !== 1) return []
      return [[list.name, [list, deletion] as const] as const]
    })
    return [...new Map(pairs).values()]
  }

  /** Returns whether a row was created by this check: a text of it starts with the marker, or it was bought. */
  #isOwn(row: Fields): boolean {
    const { marker } = this.#session
    const isBought =
      this.#session.isClosed(endpointOf('numbers.buy')) && row.phone_number === (this.#stored.get('offer') ?? null)
    return isBought || (marker !== '' && Object.values(row).some((it) => startsWithMarker(it, marker)))
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

  /** Checks every read without a key, or with the wrong key of this client: all must be refused. */
  async checkWithoutKey(auth: 'none' | 'key' = 'none', only?: string): Promise<void> {
    for (const endpoint of endpoints.filter(
      (it) => it.method === 'GET' && (it.auth ?? 'key') === 'key' && (only ?? it.name) === it.name,
    )) {
      if (!this.#session.isOffered(endpoint)) continue
      const params = Object.fromEntries(Object.keys(endpoint.params?.shape ?? {}).map((it) => [it, unknownIds.integer]))
      const answer = await this.#session.send(
        { ...endpoint, auth } as Endpoint,
        {
          ...readQueries[endpoint.name],
          ...params,
        },
        { acceptsThrottled: true },
      )
      if (answer.status === 429) {
        this.#report.skip(endpoint.name, 'The platform limits requests without a valid key.', 'no_key')
        continue
      }
      this.#refusal(endpoint, 'no_key', 'unauthenticated', answer)
    }
  }

  /**
   * Checks that the id of every resource that was created for another key is not found: reads, updates, references and
   * the given deletions, which come last.
   */
  async checkScoping(other: ConformanceChecker, deletions: readonly WriteStep[]): Promise<void> {
    const expectNotFound = async (endpoint: Endpoint, input: Fields | undefined): Promise<void> => {
      const errors = endpoint.errors.filter((it) => /(not_found|not_yours|[._]missing)$/.test(it))
      const expected = errors.find((it) => failures[it].status === 404) ?? errors[0]
      if (input === undefined || expected === undefined || !this.#session.isOffered(endpoint)) return
      this.#refusal(endpoint, 'scoping', expected, await this.#session.send(endpoint, input), null)
    }
    for (const endpoint of endpoints.filter((it) => it.auth === undefined || it.auth === 'key')) {
      const reference = Object.keys(endpoint.params?.shape ?? {}).at(-1) ?? ownedReferences[endpoint.name]
      if (reference === undefined || endpoint.name === 'automate.apply' || endpoint.method === 'DELETE') continue
      await expectNotFound(
        endpoint,
        other.#accepted.get(endpoint.name) ?? (endpoint.method === 'GET' ? other.#inputOf(endpoint) : undefined),
      )
    }
    for (const list of endpoints.filter((it) => it.items !== undefined && !it.params && it.auth !== 'control')) {
      const theirs = other.#ids.get(list.name)
      if (theirs === undefined || sharedLists.has(list.name) || list.name === 'numbers.search') continue
      const input = this.#inputOf(list)
      const answer =
        input && (await this.#session.send(list, { ...input, ...(list.paged && { per_page: maxPerPage }) }))
      if (!answer || !isSuccess(answer)) continue
      const isShown = rowsOf(list, answer.output).some((row) => idOf(row) === theirs)
      this.#report.add(
        list.name,
        'scoping',
        isShown ? [drift(list.items || '.', 'no rows of another account', 'one of them')] : [],
      )
    }
    for (const step of deletions)
      await expectNotFound(endpointOf(step.endpoint), other.#filled(step.input) as Fields | undefined)
  }

  /** Sends one message more in a second than is allowed: the last is refused, and no other. */
  async checkRateLimit(): Promise<void> {
    const endpoint = endpointOf('messaging.send')
    const { limit } = endpoint
    const sender = this.#stored.get('sender') ?? this.#ids.get('messaging.senders')
    if (!limit || sender === undefined)
      return this.#report.skip(endpoint.name, 'The account has no messaging sender.', 'rate_limit')
    const input = { sender_id: sender, template_id: unknownIds.integer, recipient_phone: '+14155550142' }
    const answers = await this.#session.sendTogether(endpoint, input, limit.max + 1)
    if (!answers) return
    const refused = answers.filter((it) => it.status === 429)
    const found: Difference[] = []
    if (refused.length !== 1)
      found.push(
        drift(
          `${limit.max + 1} requests in one second`,
          `status 429 once, after ${limit.max}`,
          `status 429 ${refused.length} times`,
        ),
      )
    for (const answer of refused) {
      found.push(...refusalDifferences(endpoint, 'throttled', { ...answer, output: withoutRetryAfter(answer.output) }))
      if (answer.headers['retry-after'] === undefined && typeof property(answer.output, 'retry_after') !== 'number')
        found.push(drift('retry-after', 'seconds', 'nothing'))
    }
    this.#report.add(endpoint.name, 'rate_limit', found)
  }

  /** Replaces each `$name` by the value stored under it; returns undefined if it was not stored. */
  #filled(value: unknown): unknown {
    if (typeof value === 'string' && value.startsWith('$')) return this.#stored.get(value.slice(1))
    if (Array.isArray(value)) {
      const items = value.map((it) => this.#filled(it))
      return items.includes(undefined) ? undefined : items
    }
    if (!isObject(value)) return value
    const entries = Object.entries(value).map(([name, value]) => [name, this.#filled(value)] as const)
    return entries.some(([, entry]) => entry === undefined) ? undefined : Object.fromEntries(entries)
  }

  #inputOf(endpoint: Endpoint): Fields | undefined {
    const [resource] = endpoint.name.split('.')
    const input: Fields = { ...readQueries[endpoint.name] }
    const needed = [
      ...Object.keys(endpoint.params?.shape ?? {}),
      ...Object.entries(endpoint.query?.shape ?? {}).flatMap(([name, value]) => (isRequired(value) ? [name] : [])),
    ]
    for (const name of needed)
      input[name] ??= this.#ids.get(parameterSources[endpoint.name]?.[name] ?? `${resource}.list`)
    return needed.every((name) => input[name] !== undefined) ? input : undefined
  }

  async #checkAnswer(endpoint: Endpoint, input: Fields, isRemembered = true): Promise<Answer | undefined> {
    const answer = await this.#session.send(endpoint, input)
    if (!isAnswered(answer)) return undefined
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
    else if (isSuccess(answer)) differences.push(...compareWithContract(endpoint, output, namesElsewhere(endpoint)))
    this.#report.add(endpoint.name, 'answer', differences)
    if (!isSuccess(answer)) return undefined
    if (isRemembered) this.#rememberId(endpoint, output)
    return output === undefined ? undefined : answer
  }

  #rememberId(endpoint: Endpoint, output: unknown): void {
    const ids = (endpoint.items === undefined ? [] : rowsOf(endpoint, output).map(idOf)).filter(
      (id) => typeof id === 'number' || (typeof id === 'string' && /^[\w-]{1,64}$/.test(id)),
    )
    if (ids.length === 0) return
    this.#ids.set(endpoint.name, ids[0])
    this.#otherIds.set(endpoint.name, ids.slice(1, maxOthers + 1))
  }

  /** Checks the same read of further resources, because not every one has every field. */
  async #checkOthers(endpoint: Endpoint, input: Fields): Promise<void> {
    const [name, ...more] = Object.keys(endpoint.params?.shape ?? {})
    if (name === undefined || more.length > 0) return
    const source = parameterSources[endpoint.name]?.[name] ?? `${endpoint.name.split('.')[0]}.list`
    for (const id of this.#otherIds.get(source) ?? []) {
      const answer = await this.#checkAnswer(endpoint, { ...input, [name]: id }, false)
      if (answer && endpoint.items !== undefined)
        await checkList(this.#session, endpoint, input, answer, { isEmpty: false, isDeep: false })
      if (answer && endpoint.name === 'automate.get') await this.#checkSecrets(endpoint, answer)
    }
  }

  /** Checks that a definition requested without its secrets has them masked (section 2.10). */
  async #checkSecrets(endpoint: Endpoint, { output }: Answer): Promise<void> {
    const definition = property(property(output, 'data'), 'definition')
    if (!isObject(definition)) return
    const isMasked = stringifyJson(maskDefinition(definition)) === stringifyJson(definition)
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
    if (!listed) return
    const found = differingFields('', record, listed, `the value in ${list.name}`)
    if (typeof record.status === 'string' && typeof listed.status === 'string' && record.status !== listed.status) {
      // A status that has just changed is the same in both afterwards.
      const again = recordOf(endpoint, (await this.#session.send(endpoint, input)).output)
      if (again?.status === record.status) found.push(drift('status', `the value in ${list.name}`, 'another value'))
    }
    this.#report.add(endpoint.name, 'read_back', found)
  }

  async #checkExpectations(expected: readonly Expectation[], answer: Answer): Promise<Difference[]> {
    const found: Difference[] = []
    for (const { endpoint, input, description, isMet } of expected) {
      const filled = this.#filled(input) as Fields | undefined
      if (filled === undefined) continue
      const read = await this.#session.send(endpointOf(endpoint), filled)
      const { output } = read
      if (isAnswered(read) && !isMet(output, answer.output, (name) => this.#stored.get(name)))
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
