import type { Call } from '../../../client/create-client.ts'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { readAllItems } from '../../../client/read-all-pages.ts'
import { property } from '../../../client/response-body.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import { type ResourceKind, resourceLists } from '../../../contract/references/resource-references.ts'
import { automate } from '../../../contract/resources/automate.ts'
import { messaging } from '../../../contract/resources/messaging.ts'
import { models, modelTypes } from '../../../contract/resources/models.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Context } from '../context.ts'
import { isNotOffered, mayWriteUnchecked, undoUnavailable } from '../history/undo-unavailable.ts'
import type { Notes } from '../output/notes.ts'
import { resources } from '../resources/registry.ts'
import type { LinkedItem } from './resource-links.ts'

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

/** Maximum number of requests in flight. */
const maxConcurrency = 4

/**
 * Creates a reader for the account of `platform`. With `onlyEnabled`, only definitions of enabled automations are read.
 * `hasAssignments`: whether the platform shows the assistants of senders, if `platform` does not check capabilities. `onProgress`
 * gets a text about what is being read.
 * @throws the reason of `signal` on an interrupt
 */
export function createAccountReader(
  platform: Call,
  signal: AbortSignal,
  {
    onlyEnabled,
    hasAssignments,
    onProgress = () => {},
  }: {
    readonly onlyEnabled?: true
    readonly hasAssignments?: boolean
    readonly onProgress?: (text: string) => void
  } = {},
): AccountReader {
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

  async function all(what: string, endpoint: Endpoint, input: LinkedItem): Promise<LinkedItem[]> {
    const reading = {
      signal,
      onProgress: (read: number, total: number | undefined) => onProgress(progressText(what, read, total)),
    }
    const found: LinkedItem[] = []
    for (const item of await readAllItems(call, endpoint, input, reading)) found.push(...toItems(item))
    return found
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
      hasAssignments === false
        ? []
        : ((await guarded('the assistants of senders', () => all('senders', messaging.listAssignments, {}))) ?? []),
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

  const account: AccountReader = {
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
        let count = 0
        const read = await mapConcurrently(wanted, (automation) =>
          guarded(`the definition of automation ${automation.id}`, async () => {
            const answer = await call(automate.get, { id: String(automation.id) }, { signal })
            onProgress(progressText('definitions of automations', ++count, wanted.length))
            return property(answer, 'data')
          }),
        )
        const known = new Map(wanted.map((it, n) => [it.id, read[n]]))
        return all.map((automation) => {
          const record = known.get(automation.id)
          const definition = property(record, 'definition')
          return isObject(definition)
            ? { ...automation, updated_at: property(record, 'updated_at'), definition }
            : automation
        })
      }),
    read: (what, endpoint, input) =>
      readOnce(
        `${endpoint.name} ${stringifyJson(input)}`,
        async () => (await guarded(what, () => all(what, endpoint, input))) ?? [],
      ),
  }
  return account
}

const progressText = (what: string, read: number, total: number | undefined): string =>
  `Reading ${what}: ${read}${total === undefined || total < read ? '' : ` of ${total}`}`

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
