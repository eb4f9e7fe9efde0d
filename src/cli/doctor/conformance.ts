import { isObject, property } from '../../client/answer.ts'
import type { Call } from '../../client/call.ts'
import { ClientFailure } from '../../client/failure.ts'
import { itemsOf } from '../../client/pages.ts'
import { isRequired } from '../../contract/coerce.ts'
import { type Difference, differencesFrom, seenAs } from '../../contract/conformity.ts'
import { accounts, platform } from '../../contract/control.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { envelopes, type FailureKind, type FailureName, failures, wireCode } from '../../contract/errors.ts'
import { endpoints } from '../../contract/index.ts'
import type { Connected } from '../connect.ts'
import type { Context } from '../context.ts'
import type { Settings } from '../settings.ts'
import { making, queries, type Step, sources, unmaking } from './conformance-steps.ts'

/** What looking at one documented answer found. */
export interface Conformity {
  readonly endpoint: string
  /** What was asked: the answer itself, or a refusal. */
  readonly case: 'answer' | 'not found' | 'without a key'
  readonly status: 'same' | 'tolerated' | 'drift' | 'skipped'
  readonly differences: readonly Difference[]
  readonly note: string | null
}

type Fields = Record<string, unknown>

/** An id nobody has. */
const nobodys = { integer: 2_147_483_000, text: '00000000-0000-4000-8000-000000000000' }

/** Looks at every answer the contract documents and a platform gives to reads; on a platform of one's own also to writes, in an account made for it. @throws ClientFailure when the platform cannot be asked at all */
export async function checkConformance(context: Context, settings: Settings): Promise<readonly Conformity[]> {
  const connected = await context.connectTo(settings)
  try {
    // Without an answer to this nothing else can be asked either.
    await connected.call.raw(endpointOf('user.me'), {}, { asIs: true }).then(({ status, output }) => refuse(status, output))
    const own = new Looker(connected.call)
    await own.readAll()
    await own.lookWithoutKey()
    const mayWrite = !settings.profile.read_only && !settings.profile.protected
    const mine = mayWrite && (await isOwn(connected))
    const written = mine ? await inThrowAwayAccount(context, settings, connected) : []
    return merged([...own.found, ...written])
  } finally {
    await connected.close()
  }
}

const endpointOf = (name: string): Endpoint => endpoints.find((it) => it.name === name) as Endpoint

function refuse(status: number, output: unknown): void {
  if (status !== 401 && status !== 403) return
  const message = property(output, 'message')
  throw new ClientFailure({
    exit: 'auth',
    code: 'unauthenticated',
    message: typeof message === 'string' ? message : `The platform answered ${status}.`,
    hint: 'Sign in first: parley login.',
    status,
  })
}

const isOwn = (connected: Connected): Promise<boolean> =>
  connected.call(platform.status, {}).then(
    () => true,
    () => false,
  )

async function inThrowAwayAccount(context: Context, settings: Settings, { call }: Connected): Promise<readonly Conformity[]> {
  const { data, token } = await call(accounts.create, { name: 'Conformance check', payment_method: 'pm_card_visa', balance: 5 })
  const connected = await context.connectTo({ ...settings, key: { from: 'the conformance check', value: token } })
  try {
    const looker = new Looker(connected.call)
    await looker.write(making)
    await looker.readAll()
    await looker.write(unmaking)
    return looker.found
  } finally {
    await connected.close()
    await call(accounts.delete, { id: data.id })
  }
}

/** One row for each case: where it was looked at twice, what differed counts, and a look counts more than none. */
function merged(all: readonly Conformity[]): readonly Conformity[] {
  const ranks = ['skipped', 'same', 'tolerated', 'drift']
  const rows = new Map<string, Conformity>()
  for (const it of all) {
    const key = `${it.endpoint} ${it.case}`
    const before = rows.get(key)
    if (!before || ranks.indexOf(it.status) > ranks.indexOf(before.status)) rows.set(key, it)
  }
  const order = endpoints.map((it) => it.name)
  return [...rows.values()].sort((a, b) => order.indexOf(a.endpoint) - order.indexOf(b.endpoint))
}

/** Asks a platform and compares what it answers. */
class Looker {
  readonly found: Conformity[] = []
  readonly #call: Call
  readonly #ids = new Map<string, unknown>()
  readonly #kept = new Map<string, unknown>()

  constructor(call: Call) {
    this.#call = call
  }

  /** Every endpoint that reads, those first whose answers name what the others ask for. */
  async readAll(): Promise<void> {
    const count = (it: Endpoint): number => Object.keys(it.params?.shape ?? {}).length + (Object.hasOwn(sources, it.name) ? 1 : 0)
    const reads = endpoints.filter((it) => it.method === 'GET' && it.auth !== 'control').sort((a, b) => count(a) - count(b))
    for (const endpoint of reads) {
      const input = this.#inputOf(endpoint)
      if (input === undefined) this.#skip(endpoint, 'The platform has none of these to look at.')
      else await this.#look(endpoint, input)
      if (endpoint.params) await this.#lookForNobody(endpoint, input ?? {})
    }
  }

  /** Requests that write, as long as what they name was made. */
  async write(steps: readonly Step[]): Promise<void> {
    for (const { endpoint: name, input, keep } of steps) {
      const endpoint = endpointOf(name)
      const entries = Object.entries(input).map(([field, value]) => [
        field,
        typeof value === 'string' && value.startsWith('$') ? this.#kept.get(value.slice(1)) : value,
      ])
      if (entries.some(([, value]) => value === undefined)) {
        this.#skip(endpoint, 'What it is about could not be made.')
        continue
      }
      const output = await this.#look(endpoint, Object.fromEntries(entries))
      if (keep !== undefined) this.#kept.set(keep, property(property(output, 'data'), 'id'))
    }
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
    const last = names.at(-1) as string
    const errors = endpoint.errors.filter((it) => it.endsWith('not_found'))
    const expected = names.length > 1 ? errors.at(-1) : errors[0]
    if (expected === undefined || names.some((name) => name !== last && input[name] === undefined)) return
    const isWhole = endpoint.params?.shape[last]?.safeParse(1).success
    const { status, output } = await this.#call.raw(endpoint, { ...input, [last]: isWhole ? nobodys.integer : nobodys.text } as never, { asIs: true })
    if (status === 501) return
    this.#refusal(endpoint, 'not found', expected, status, output)
  }

  #refusal(endpoint: Endpoint, what: Conformity['case'], name: FailureName, status: number, body: unknown): void {
    const kind: FailureKind = failures[name]
    const differences: Difference[] =
      status === kind.status ? [] : [{ path: '.', expected: `status ${kind.status}`, seen: `status ${status}`, tolerated: false }]
    const documented = envelopes[kind.envelope]({ text: kind.text, code: wireCode(name) }) as Fields
    if (!isObject(body)) differences.push({ path: '.', expected: 'an object', seen: seenAs(body), tolerated: false })
    else if (status >= 400) {
      for (const [field, value] of Object.entries(documented)) {
        const seen = property(body, field)
        if (typeof seen !== typeof value) differences.push({ path: field, expected: seenAs(value), seen: seenAs(seen), tolerated: false })
        else if (seen !== value) differences.push({ path: field, expected: JSON.stringify(value), seen: JSON.stringify(seen), tolerated: true })
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
