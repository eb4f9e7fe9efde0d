import type { Call } from '../../../client/create-client.ts'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { findItem } from '../../../client/find-item.ts'
import { hasPages } from '../../../client/next-page.ts'
import { paginate } from '../../../client/paginate.ts'
import { readAllItems } from '../../../client/read-all-pages.ts'
import { property } from '../../../client/response-body.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { hasDefinition, type Link, type LinkedItem } from '../../../contract/references/resource-links.ts'
import { type ResourceKind, resourceLists } from '../../../contract/references/resource-references.ts'
import { automate, maxListedDefinitions } from '../../../contract/resources/automate.ts'
import type { Capability } from '../../../contract/resources/index.ts'
import { messaging } from '../../../contract/resources/messaging.ts'
import { models, modelTypes } from '../../../contract/resources/models.ts'
import { type FoundReference, user } from '../../../contract/resources/user.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { isNumericId } from '../../../contract/values/numeric-id.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Context } from '../context.ts'
import { isNotOffered, mayWriteUnchecked, undoUnavailable } from '../history/undo-unavailable.ts'
import { pathId } from '../input/ids.ts'
import type { Notes } from '../output/notes.ts'
import { resources } from '../resources/registry.ts'
import { itemsWith } from './item-index.ts'

/** A list that could not be read. */
export interface ReadFailure {
  /** Name of the list: `assistants`, `templates of sender 3`. */
  readonly what: string
  readonly message: string
  readonly error: ClientFailure
  /** The platform does not have this list, so it has no such resources. */
  readonly isAbsent: boolean
}

/**
 * Reads the resources of an account, each list once and on first use. A list that cannot be read is empty and reported
 * in `failures`.
 */
export interface AccountReader {
  list(resourceKind: ResourceKind): Promise<readonly LinkedItem[]>
  /** Returns the automations with their definitions and the time of their last change. */
  automations(): Promise<readonly LinkedItem[]>
  /**
   * Returns the resources of a kind that may reference others. Differs from `list` only for senders, which have their
   * assistants here, and are none if the platform does not show these.
   */
  listReferring(resourceKind: ResourceKind): Promise<readonly LinkedItem[]>
  /** Reads another list completely. */
  read(what: string, endpoint: Endpoint, input: LinkedItem): Promise<readonly LinkedItem[]>
  /** Returns whether a list was read completely, so that a missing item does not exist. */
  isComplete(resourceKind: ResourceKind): boolean
  readonly failures: readonly ReadFailure[]
}

/** An account in which one resource is searched without reading all lists. */
export interface SearchableAccount extends AccountReader {
  /**
   * Returns the items of a kind among which is the one with an id, if it exists. Of a list in many pages, that is only this
   * one, found with a few requests.
   */
  listWith(resourceKind: ResourceKind, id: unknown): Promise<readonly LinkedItem[]>
  /** Returns an item of a list, an automation with its definition and the time of its last change. */
  withDefinition(resourceKind: ResourceKind, item: LinkedItem): Promise<LinkedItem>
  /** Lets the platform search for references. Undefined if it cannot, or refuses it: then the lists have them. */
  searchLinks(to: ResourceKind, target: LinkedItem, name: string | undefined): Promise<FoundLinks | undefined>
}

/** References to one resource that a platform has found, and those of assistants to the tools among what references it. */
export interface FoundLinks {
  readonly links: readonly Link[]
  /** Kinds of resources in which the platform has searched. */
  readonly searched: ReadonlySet<string>
}

/** Capabilities with which an account is read with fewer requests, or more of it. */
const readerCapabilities: readonly Capability[] = ['sender-assistants', 'automation-definitions', 'reference-search']

/** Returns the capabilities for `offered` of a reader. */
export async function offeredToReader(
  isOffered: (capability: Capability) => Promise<boolean>,
): Promise<ReadonlySet<Capability>> {
  const offered = new Set<Capability>()
  for (const capability of readerCapabilities) if (await isOffered(capability)) offered.add(capability)
  return offered
}

/** Maximum number of requests in flight. */
const maxConcurrency = 4
/** How many definitions a page may have for each one that is needed, for pages to take less time than one request each. */
const maxUnneeded = 10

/**
 * Creates a reader for the account of `platform`. With `onlyEnabled`, only definitions of enabled automations are read.
 * `offered`: result of `offeredToReader`, if `platform` does not check capabilities. `onProgress` gets a text about what is
 * being read.
 * @throws the reason of `signal` on an interrupt
 */
export function createAccountReader(
  platform: Call,
  signal: AbortSignal,
  {
    onlyEnabled,
    offered = new Set(readerCapabilities),
    onProgress = () => {},
  }: {
    readonly onlyEnabled?: true
    readonly offered?: ReadonlySet<Capability>
    readonly onProgress?: (text: string) => void
  } = {},
): SearchableAccount {
  const call = limitConcurrency(platform)
  const reads = new Map<string, Promise<readonly LinkedItem[]>>()
  const troubles: ReadFailure[] = []
  const incomplete = new Set<ResourceKind>()

  const guarded = async <T>(
    what: string,
    work: () => Promise<T>,
    resourceKind?: ResourceKind,
  ): Promise<T | undefined> => {
    try {
      return await work()
    } catch (error) {
      if (signal.aborted || !(error instanceof ClientFailure)) throw error
      // An endpoint of a capability that the platform does not have: there is nothing to read.
      if (error.code === 'not_offered') return undefined
      if (resourceKind) incomplete.add(resourceKind)
      const { message } = error
      troubles.push({ what, message, error, isAbsent: error.status === 404 || isNotOffered(error) })
      return undefined
    }
  }

  /** Texts about what is being read, the latest last. */
  const progress = new Map<string, string>()

  /**
   * Reports the progress of `work`, which calls back with the number of items that it has read. At its end, the text says
   * what else is still being read: a short list may end while a long one is read.
   */
  async function reporting<T>(
    what: string,
    work: (onRead: (read: number, total: number | undefined) => void) => Promise<T>,
  ): Promise<T> {
    try {
      return await work((read, total) => {
        const text = `Reading ${what}: ${read}${total === undefined || total < read ? '' : ` of ${total}`}`
        progress.delete(what)
        progress.set(what, text)
        onProgress(text)
      })
    } finally {
      progress.delete(what)
      const latest = [...progress.values()].at(-1)
      if (latest !== undefined) onProgress(latest)
    }
  }

  async function all(what: string, endpoint: Endpoint, input: LinkedItem): Promise<LinkedItem[]> {
    const items = await reporting(what, (onRead) => readAllItems(call, endpoint, input, { signal, onProgress: onRead }))
    return items.flatMap(toItems)
  }

  const readOnce = (key: string, work: () => Promise<readonly LinkedItem[]>): Promise<readonly LinkedItem[]> => {
    const pending = reads.get(key) ?? work()
    reads.set(key, pending)
    return pending
  }

  const listPlain = (resourceKind: ResourceKind, input: LinkedItem = {}): Promise<readonly LinkedItem[]> =>
    readOnce(
      resourceKind,
      async () =>
        (await guarded(
          listName(resourceKind),
          () => all(listName(resourceKind), resourceLists[resourceKind], input),
          resourceKind,
        )) ?? [],
    )

  /** Reads the models of every type, each with its type. */
  const listModels = (): Promise<readonly LinkedItem[]> =>
    readOnce('models', async () => {
      const found = await Promise.all(
        modelTypes.map((type) => guarded(`models of ${type}`, () => all('models', models.list, { type }), 'models')),
      )
      return modelTypes.flatMap((type, n) => (found[n] ?? []).map((it) => ({ ...it, type })))
    })

  const listTemplates = (): Promise<readonly LinkedItem[]> =>
    readOnce('templates', async () => {
      const senders = await account.list('senders')
      if (incomplete.has('senders')) incomplete.add('templates')
      const found = await mapConcurrently(senders, (sender) =>
        guarded(
          `templates of sender ${sender.id}`,
          () => all(`templates of sender ${sender.id}`, messaging.templates, { senderId: sender.id, status: 'all' }),
          'templates',
        ),
      )
      return senders.flatMap((it, n) => (found[n] ?? []).map((template) => ({ ...template, sender_id: it.id })))
    })

  const listAssignments = (): Promise<readonly LinkedItem[]> =>
    readOnce('assignments', async () =>
      offered.has('sender-assistants')
        ? ((await guarded('the assistants of senders', () => all('senders', messaging.listAssignments, {}))) ?? [])
        : [],
    )

  /** Reads all senders, each with its assistant where the platform shows it. */
  const listSenders = (): Promise<readonly LinkedItem[]> =>
    readOnce('senders with assistants', async () => {
      const senders = await listPlain('senders', { status: 'all' })
      const assigned = new Map((await listAssignments()).map((it) => [it.id, it]))
      return senders.map((sender) => {
        const { assistant_id, assistant_name } = assigned.get(sender.id) ?? {}
        return assistant_id === undefined ? sender : { ...sender, assistant_id, assistant_name }
      })
    })

  /** Returns automations with their definitions by the ids of the list. One that cannot be read is reported. */
  async function readEach(wanted: readonly LinkedItem[]): Promise<ReadonlyMap<unknown, unknown>> {
    let count = 0
    const read = await reporting(definitions, (onRead) =>
      mapConcurrently(wanted, (automation) =>
        guarded(`the definition of automation ${automation.id}`, async () => {
          const answer = await call(automate.get, { id: String(automation.id) }, { signal })
          onRead(++count, wanted.length)
          return property(answer, 'data')
        }),
      ),
    )
    return new Map(wanted.map(({ id }, n) => [id, read[n]]))
  }

  /** Returns all automations with their definitions, read in pages. Undefined on a platform that has only single ones. */
  async function readInPages(total: number): Promise<ReadonlyMap<unknown, unknown> | undefined> {
    const page = { limit: maxListedDefinitions }
    try {
      const read = await reporting(definitions, (onRead) =>
        readAllItems(call, automate.listDefinitions, page, { signal, onProgress: (count) => onRead(count, total) }),
      )
      return new Map(read.map((it) => [property(it, 'id'), it]))
    } catch (error) {
      if (error instanceof ClientFailure && error.code === 'not_offered') return undefined
      throw error
    }
  }

  async function readDefinitions(
    wanted: readonly LinkedItem[],
    all: readonly LinkedItem[],
  ): Promise<ReadonlyMap<unknown, unknown>> {
    const savesRequests = wanted.length > maxConcurrency && all.length <= wanted.length * maxUnneeded
    if (!savesRequests || !offered.has('automation-definitions')) return readEach(wanted)
    const read = await guarded(`the ${definitions}`, async () => ({ pages: await readInPages(all.length) }))
    return read === undefined ? new Map() : (read.pages ?? readEach(wanted))
  }

  const addDefinition = (automation: LinkedItem, record: unknown): LinkedItem => {
    const definition = property(record, 'definition')
    return isObject(definition) ? { ...automation, updated_at: property(record, 'updated_at'), definition } : automation
  }

  /** Reads the first page of a list once. Undefined if it is the whole list, which is not read again then. */
  const firstPages = new Map<ResourceKind, Promise<readonly LinkedItem[] | undefined>>()
  async function readFirstPage(resourceKind: ResourceKind): Promise<readonly LinkedItem[] | undefined> {
    const found = paginate<Endpoint>(call, resourceLists[resourceKind], {}, { all: true, signal })
    const items = await guarded(
      listName(resourceKind),
      async () => {
        for await (const page of found.pages()) return page.flatMap(toItems)
        return []
      },
      resourceKind,
    )
    if (found.hasMore) return items
    reads.set(resourceKind, Promise.resolve(items ?? []))
    return undefined
  }

  async function listWith(resourceKind: ResourceKind, id: unknown): Promise<readonly LinkedItem[]> {
    const endpoint = resourceLists[resourceKind]
    if (!hasPages(endpoint) || !isNumericId(id) || reads.has(resourceKind)) return account.list(resourceKind)
    const first = firstPages.get(resourceKind) ?? readFirstPage(resourceKind)
    firstPages.set(resourceKind, first)
    const items = await first
    if (items === undefined) return account.list(resourceKind)
    const known = itemsWith(items, 'id', id)
    if (known.length > 0) return known
    const item = await guarded(
      listName(resourceKind),
      () => findItem(call, endpoint, {}, String(id).trim(), { signal }),
      resourceKind,
    )
    return toItems(item)
  }

  async function searchLinks(
    to: ResourceKind,
    { id }: LinkedItem,
    name: string | undefined,
  ): Promise<FoundLinks | undefined> {
    if (!offered.has('reference-search')) return undefined
    try {
      const input = { kind: to, id: String(id), ...(name !== undefined && { name }) }
      const { data, searched } = await call(user.references, input, { signal })
      return { links: data.flatMap(toLinks), searched: new Set(searched) }
    } catch (error) {
      // Reading the lists shows what the key may not read.
      if (signal.aborted || !(error instanceof ClientFailure)) throw error
      return undefined
    }
  }

  const account: SearchableAccount = {
    failures: troubles,
    isComplete: (resourceKind) => !incomplete.has(resourceKind),
    list: (resourceKind) =>
      resourceKind === 'models'
        ? listModels()
        : resourceKind === 'templates'
          ? listTemplates()
          : resourceKind === 'senders'
            ? listSenders()
            : listPlain(resourceKind),
    listReferring: (resourceKind) => (resourceKind === 'senders' ? listAssignments() : account.list(resourceKind)),
    automations: () =>
      readOnce('definitions', async () => {
        const all = await account.list('automate')
        const wanted = onlyEnabled ? all.filter(({ status }) => status === 'enabled') : all
        const known = await readDefinitions(wanted, all)
        return all.map((automation) => addDefinition(automation, known.get(automation.id)))
      }),
    listWith,
    withDefinition: async (resourceKind, item) =>
      hasDefinition(resourceKind) ? addDefinition(item, (await readEach([item])).get(item.id)) : item,
    searchLinks,
    read: (what, endpoint, input) =>
      readOnce(
        `${endpoint.name} ${stringifyJson(input)}`,
        async () => (await guarded(what, () => all(what, endpoint, input))) ?? [],
      ),
  }
  return account
}

const definitions = 'definitions of automations'

const isText = (it: unknown): it is string => typeof it === 'string' && it !== ''

/** Returns items with an id and a name; without a name, the id is used. An item without an id is omitted. */
function toItems(value: unknown): LinkedItem[] {
  if (typeof value !== 'object' || value === null) return []
  const { id, name, phone_number: phone, ...rest } = value as LinkedItem
  // Ids appear in suggested commands, so only safe characters are accepted.
  if (!/^[\w-]{1,64}$/.test(String(id ?? ''))) return []
  const named = isText(phone)
    ? { phone_number: phone, ...(isText(name) && { name }) }
    : { name: isText(name) ? name : String(id) }
  return [{ id, ...rest, ...named }]
}

/** Returns a reference that a platform has found. One whose resource has no id is omitted. */
const toLinks = ({ from, to, id, item, ...more }: FoundReference): Link[] =>
  toItems(item).map((referrer) => ({
    ...more,
    from: from as ResourceKind,
    to: to as ResourceKind,
    id: idOf(to as ResourceKind, id),
    item: { ...referrer, id: idOf(from as ResourceKind, item.id) },
  }))

/** Returns an id that a platform may have sent as text, although only the ids of automations are text. */
const idOf = (kind: ResourceKind, id: FoundReference['id']): string | number | undefined =>
  typeof id === 'string' && kind !== 'automate' ? pathId(id) : (id ?? undefined)

/** Limits concurrent calls and starts them in order. */
function limitConcurrency(platform: Call): Call {
  const waiting: (() => void)[] = []
  let busy = 0
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (busy >= maxConcurrency) await new Promise<void>((go) => waiting.push(go))
    else busy++
    try {
      return await work()
    } finally {
      // Passes the slot to the next waiting call, or frees it.
      const next = waiting.shift()
      if (next) next()
      else busy--
    }
  }
  const call = (...args: Parameters<Call>): Promise<unknown> => inTurn(() => platform(...args))
  return Object.assign(call, { raw: (...args: Parameters<Call['raw']>) => inTurn(() => platform.raw(...args)) }) as Call
}

/** Maps items concurrently, in order, with at most `concurrency` at a time. */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  concurrency = maxConcurrency,
): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const worker = async (): Promise<void> => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as T)
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker))
  return results
}

/** Returns the name of a list for messages. */
const listName = (resourceKind: ResourceKind): string => resources[resourceKind].plural

/**
 * Describes lists that could not be read, in a sentence each: refused or failed ones, and those that the platform does
 * not have.
 */
export function describeFailures(troubles: readonly ReadFailure[]): {
  readonly refused: string | undefined
  readonly absent: string | undefined
} {
  const refused = troubles.filter((it) => !it.isAbsent)
  const shown = refused.slice(0, 5).map(({ what, message }) => `${what} (${message.replace(/\.$/, '')})`)
  const more = refused.length > 5 ? ` and ${refused.length - 5} more` : ''
  const absent = [...new Set(troubles.filter((it) => it.isAbsent).map(({ what }) => what))]
  return {
    refused: refused.length > 0 ? `Could not be read: ${shown.join(', ')}${more}.` : undefined,
    absent:
      absent.length > 0
        ? `Not checked, because the platform does not list them: ${absent.slice(0, 5).join(', ')}${absent.length > 5 ? ` and ${absent.length - 5} more` : ''}.`
        : undefined,
  }
}

/** Reports lists that could not be read. Refused ones are followed by the sentence `because`. */
export async function noteFailures(
  { notes }: { readonly notes: Pick<Notes, 'note' | 'warn'> },
  { failures }: Pick<AccountReader, 'failures'>,
  because: string,
): Promise<void> {
  const { refused, absent } = describeFailures(failures)
  if (refused) await notes.warn(`${refused} ${because}`)
  if (absent) await notes.note(absent)
}

/** Failures that `requireReferences` has reported. */
const reported = new WeakSet<ReadFailure>()

/**
 * Requires that every list was read in which a reference to a resource may be, before it is deleted, disabled or
 * restored. Lists that the platform does not have are reported. `singular` names the resource.
 *
 * @throws ClientFailure `undo_unavailable` with the exit code of the failed read
 */
export async function requireReferences(
  context: Context,
  { failures }: Pick<AccountReader, 'failures'>,
  singular: string,
): Promise<void> {
  const fresh = failures.filter((it) => !reported.has(it))
  for (const problem of fresh) reported.add(problem)
  const { refused, absent } = describeFailures(fresh)
  if (absent) await context.notes.warn(absent)
  const failed = fresh.find((it) => !it.isAbsent)
  if (!failed) return
  if (!(await mayWriteUnchecked(context)))
    throw undoUnavailable(
      failed.error,
      `Could not check what uses the ${singular}, because ${failed.what} could not be read`,
      'To continue without this check and without an undo, pass --no-history.',
    )
  await context.notes.warn(`${refused} They may use the ${singular}.`)
}
