import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { isRefusedWrite } from '../../../client/failures/uncertain-writes.ts'
import { property } from '../../../client/response-body.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { FolderIncomplete } from '../../../node/folder-marker.ts'
import { isError } from '../../../node/is-error.ts'
import { dataDir } from '../configuration/app-folders.ts'
import type { Context, RecordedReply, WriteHistory } from '../context.ts'
import { findWrite, loadRecorded, type RecordedResource } from '../resources/registry.ts'
import { redactSecrets } from '../secrets/masked-values.ts'
import type { ConfirmedReply } from '../updates/write-tracker.ts'
import { type Action, addEntry, type HistoryEntry, historyScope, removeEntry, updateEntry } from './entries.ts'
import { literalTexts, redactContent, sentFields } from './entry-content.ts'
import { requireUnchanged } from './if-unchanged.ts'
import { idsOf, readPreviousState, readResultingState } from './read-resource.ts'
import { isUnchanged, markUnchanged, saysUnchanged } from './unchanged-writes.ts'
import { savesHistory, Unread, undoUnavailableCode, withoutUndoHint } from './undo-unavailable.ts'
import { logWrite } from './write-log.ts'

/** Makes a write with `exchange`. Saves the previous state before it, and adds it to the log of writes after it. */
export async function recordWrite(
  context: Context,
  endpoint: Endpoint,
  input: ResourceRecord,
  exchange: (previous: ResourceRecord | undefined) => Promise<ConfirmedReply<unknown>>,
  history: WriteHistory = {},
): Promise<RecordedReply<unknown>> {
  const change = findWrite(endpoint.name, context.commandName)
  const pendingEntry =
    change && !history.isSkipped
      ? await saveEntry(
          context,
          { endpoint, input, kind: await loadRecorded(change[0].noun), action: change[1] },
          history,
        )
      : undefined
  let reply: ConfirmedReply<unknown> | undefined
  try {
    reply = await exchange(pendingEntry?.before ?? history.previous)
  } catch (error) {
    await pendingEntry?.failed(error)
    await logOutcome(context, endpoint, input, pendingEntry?.entry, error)
    throw error
  }
  const entry = (await pendingEntry?.done(reply)) === 'removed' ? undefined : pendingEntry?.entry
  await logOutcome(context, endpoint, input, entry, reply)
  return entry === undefined ? reply : { ...reply, historyEntry: entry }
}

/** Removes the entry of a write that changed nothing. */
export async function discardEntry(context: Context, entry: number | undefined): Promise<void> {
  if (entry === undefined) return
  removeEntry(context.system, await historyScope(context), entry)
}

async function logOutcome(
  context: Context,
  endpoint: Endpoint,
  input: ResourceRecord,
  entry: number | undefined,
  result: unknown,
): Promise<void> {
  const { system, commandName } = context
  const { profileName, baseUrl } = await context.settings()
  const { status, requestId } = result as { readonly status?: number; readonly requestId?: string }
  const isFailed = isError(result)
  const params = Object.keys(endpoint.params?.shape ?? {})
  const values = params.length > 0 ? params.map((it) => input[it]) : [input.assistant_id ?? input.campaign_id]
  // A platform may list ids of another type, with which the write fails.
  const ids = values.filter((it) => ['string', 'number', 'bigint'].includes(typeof it))
  logWrite(system, {
    at: new Date(system.now()).toISOString(),
    profile: profileName.value,
    host: hostOf(baseUrl.value),
    command: commandName,
    endpoint: endpoint.name,
    id: ids.length === 0 ? null : ids.join('/'),
    fields: Object.keys(input).filter((it) => !params.includes(it)),
    status: status ?? null,
    outcome: !isFailed ? 'done' : isRefusedWrite(result) ? 'refused' : 'unknown',
    request_id: requestId ?? null,
    entry: isFailed && isRefusedWrite(result) ? null : (entry ?? null),
  })
}

let lastHost: readonly [baseUrl: string, host: string] | undefined

/** Returns the host of a URL. Cached, because most writes of a command go to the same one. */
function hostOf(baseUrl: string): string {
  if (lastHost?.[0] !== baseUrl)
    lastHost = [baseUrl, URL.canParse(baseUrl) ? new URL(baseUrl).host || baseUrl : baseUrl]
  return lastHost[1]
}

interface Change {
  readonly endpoint: Endpoint
  readonly input: ResourceRecord
  readonly kind: RecordedResource
  readonly action: Action
}

interface PendingEntry {
  /** Undefined if the previous state is not saved. */
  readonly entry: number | undefined
  /** The resource before the write; undefined if it was not read. */
  readonly before: ResourceRecord | undefined
  /** Completes the entry, or removes it if the write changed nothing. */
  done(reply: ConfirmedReply<unknown>): Promise<'saved' | 'removed'>
  failed(error: unknown): Promise<void>
}

/**
 * Saves a resource before it is changed, from an earlier read of the command or from a new one. Undefined if the write is
 * not saved. @throws ClientFailure `undo_unavailable` if it cannot be read or saved, `conflict` if it does not match
 * `--if-unchanged`; nothing was sent then
 */
async function saveEntry(
  context: Context,
  { endpoint, input, kind, action }: Change,
  history: WriteHistory,
): Promise<PendingEntry | undefined> {
  const { system } = context
  const ids = idsOf(kind, input)
  const before = await previousState(context, kind, ids, history)
  if (before === undefined) {
    context.writes.lostUndos++
    return undefined
  }
  if (before instanceof Unread) return unsavedEntry(context, kind, before)
  const scope = await historyScope(context)
  const { findReferrers } = await import('./referrers.ts')
  const sent = sentFields(kind, endpoint, before, input)
  const literals = kind.document ? [] : literalTexts(before, sent)
  const draft: Omit<HistoryEntry, 'entry'> = {
    at: new Date(system.now()).toISOString(),
    profile: scope.profile,
    base_url: scope.baseUrl,
    noun: kind.noun,
    ids,
    name: resourceName(before),
    action,
    command: context.commandName,
    state: 'open',
    request_id: null,
    before: await redactContent(kind, before),
    sent: redactSecrets(sent),
    after: null,
    pointers: action === 'delete' ? await findReferrers(context, kind, before, history.list) : [],
    ...(literals.length > 0 && { literals }),
    ...(context.writes.historyGroup !== undefined && { part_of: context.writes.historyGroup }),
  }
  const copy = await saveBeforeWrite(context, `The previous state of the ${kind.singular}`, () =>
    addEntry(system, scope, draft),
  )
  if (!copy) return undefined
  const attempt = (more: Partial<HistoryEntry>): void => {
    try {
      updateEntry(system, scope, { ...copy, ...more })
    } catch {
      // The previous state is saved; only the state after the write is missing.
    }
  }
  return {
    entry: copy.entry,
    before,
    async done(reply) {
      const answered = property(reply.output, endpoint.record ?? '') as ResourceRecord | undefined
      const isBuilt = kind.document?.isReadBack(action, input) === true
      const after = isBuilt
        ? await readResultingState(context, kind, ids)
        : endpoint.record === undefined
          ? undefined
          : answered
      const content = after ? await redactContent(kind, after) : null
      const unshown = Object.entries(copy.sent ?? {}).flatMap(([name, value]) =>
        hasObjects(value) && !Object.hasOwn(content ?? {}, name) ? [name] : [],
      )
      if (action === 'update') {
        const { before: earlier, sent } = copy
        const isSame =
          saysUnchanged(property(reply.output, 'data'), sent ?? {}) ||
          (content !== null && !isBuilt && isUnchanged({ before: earlier ?? {}, after: content, sent: sent ?? {} }))
        if (isSame) {
          removeEntry(system, scope, copy.entry)
          markUnchanged(reply.output)
          return 'removed'
        }
      }
      attempt({ state: 'done', request_id: reply.requestId, after: content })
      // The platform may have completed objects that were sent.
      if (action === 'update' && !kind.document && unshown.length > 0) {
        const live = reply.confirmation?.record ?? (await readResultingState(context, kind, ids).catch(() => undefined))
        if (live) {
          const shown = Object.entries(await redactContent(kind, live)).filter(([name]) => unshown.includes(name))
          attempt({ state: 'done', request_id: reply.requestId, after: { ...content, ...Object.fromEntries(shown) } })
        }
      }
      return 'saved'
    },
    async failed(error) {
      if (isRefusedWrite(error)) removeEntry(system, scope, copy.entry)
      else attempt({ state: 'unknown', request_id: (error as ClientFailure).requestId ?? null })
    },
  }
}

/** Returns the name of a resource, its phone number or its nickname; null if it has none. */
export function resourceName(record: ResourceRecord): string | null {
  const { name, phone_number: number, nickname } = record
  return [name, number, nickname].find((text): text is string => typeof text === 'string' && text !== '') ?? null
}

/**
 * The state before a write: read now to compare it with `--if-unchanged`, otherwise as the command passed it, otherwise
 * read now. Undefined without a history.
 */
async function previousState(
  context: Context,
  kind: RecordedResource,
  ids: Record<string, number | string>,
  { previous }: WriteHistory,
): Promise<ResourceRecord | Unread | undefined> {
  const isSaved = await savesHistory(context)
  if (context.writeSettings.ifUnchanged === undefined)
    return isSaved ? (previous ?? readPreviousState(context, kind, ids)) : undefined
  const live = await requireUnchanged(context, kind, ids, context.writeSettings.ifUnchanged)
  return isSaved ? live : undefined
}

/**
 * Saves something that an undo needs, right before a write. Undefined if it could not be saved and the command reduces
 * harm. @throws ClientFailure `undo_unavailable` (2)
 */
export async function saveBeforeWrite<T>(context: Context, what: string, save: () => T): Promise<T | undefined> {
  try {
    return save()
  } catch (error) {
    const reason = (error as Error).message.replace(/\.?$/, '.')
    if (context.command.reducesHarm) {
      await warnUndoLost(context, `${what} could not be saved in the history: ${reason}`)
      return undefined
    }
    throw new ClientFailure({
      exit: 'usage',
      code: undoUnavailableCode,
      message: `${what} could not be saved in the history: ${reason} Nothing was changed.`,
      hint: `${
        error instanceof FolderIncomplete
          ? error.hint
          : `Make ${dataDir(context.system)} writable, or set PARLEY_DATA_DIR to another folder.`
      } ${withoutUndoHint}`,
      sent: false,
    })
  }
}

/** Returns the entry of a write whose previous state is unknown: it warns once the write is done. */
function unsavedEntry(context: Context, kind: RecordedResource, { reason, error }: Unread): PendingEntry {
  const warn = (): Promise<void> =>
    warnUndoLost(
      context,
      reason === 'not_offered'
        ? `This change cannot be undone: the platform has no endpoint that reads the ${kind.singular}.`
        : `This change cannot be undone: the ${kind.singular} could not be read before it. ${error.message}`,
    )
  return {
    entry: undefined,
    before: undefined,
    async done() {
      await warn()
      return 'saved'
    },
    async failed(error) {
      if (!isRefusedWrite(error)) await warn()
    },
  }
}

/** Warns that a write cannot be undone, and marks the JSON output of the command. */
async function warnUndoLost(context: Context, text: string): Promise<void> {
  context.writes.lostUndos++
  await context.notes.warn(text)
}

/** Returns whether a value is an object, or a list with objects. */
const hasObjects = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(hasObjects) : typeof value === 'object' && value !== null
