import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { inapplicableFields } from '../../../contract/endpoint/endpoint.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import { throwIfInterrupted } from '../../../node/interruption.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Context } from '../../program/context.ts'
import { type AccountReader, createAccountReader } from '../../program/dependencies/account-reader.ts'
import { useKey } from '../../program/dependencies/deletion-effects.ts'
import { clearedFields } from '../../program/documents/document-fields.ts'
import {
  maskSecrets,
  requireEach,
  resolveReferences,
  resolveSecrets,
} from '../../program/documents/environment-secrets.ts'
import {
  replaceNamesWithIds,
  type UnresolvedName,
  unresolvedNameError,
} from '../../program/documents/name-references.ts'
import type { ResourceNames } from '../../program/documents/resource-names.ts'
import { undoUnavailableCode } from '../../program/history/undo-unavailable.ts'
import { addressCommands, platformFlags } from '../../program/output/addressed-commands.ts'
import type { WriteOptions } from '../../program/resources/resource-files.ts'
import { compareSent } from '../../program/updates/compare-sent.ts'
import { applicableFields } from '../../program/updates/inapplicable-fields.ts'
import {
  comparableContent,
  differingFields,
  notTaken,
  type RemoteResource,
  type SyncEntry,
  type SyncSide,
} from './compare.ts'
import { type FolderComparison, isPromotion, toRemoteResource, toSyncRecord } from './compare-folder.ts'
import { changedLiveCode, requireUnchangedLive } from './drift.ts'
import { requireValidValues } from './invalid-values.ts'
import { accountAfterPush, deleteCommand, type ResourcesInUse, usesOf } from './resources-in-use.ts'
import { requireUnsharedVariables } from './shared-variables.ts'
import { failureRemark, namingFile } from './sync-failures.ts'
import type { SyncRecord } from './sync-lock.ts'
import { isNotWritten, type PushResult } from './sync-view.ts'

/** Returns the name of a resource after a push. */
const entryName = ({ name, local }: SyncEntry): string => local?.name ?? name
/**
 * Returns the kind and the name of a resource after a push. References are compared with it, in the same form, and an approved
 * plan has it as `new_name` (planned-steps.ts): another form would need a new approval.
 */
export const entryKey = (entry: SyncEntry): string => `${entry.kind.resourceKind} ${entryName(entry)}`

/** Returns whether a push gives a resource a new name: it is created or renamed. */
export const changesName = (entry: SyncEntry): boolean =>
  entry.local !== undefined && entry.remote?.name !== entryName(entry)

/** Returns the named fields that are set. */
const pickFields = (record: ResourceRecord, names: readonly string[]): ResourceRecord =>
  Object.fromEntries(names.filter((name) => record[name] !== undefined).map((name) => [name, record[name]]))

/**
 * Returns the content that was written, for the sync state: `notTaken` if the platform accepted a field without taking it.
 * What the platform adds to a value, such as defaults, does not count.
 */
function takenSide({ kind, remote, fields }: SyncEntry, here: SyncSide, there: RemoteResource): SyncSide {
  const [wanted, live] = [comparableContent(kind, here.content), comparableContent(kind, there.content)]
  const { conditionalFields: table } = kind.endpoints?.update ?? {}
  // Fields that do not apply have not been sent.
  const outside = table ? inapplicableFields(table, there.record[table.by]) : []
  const written = (remote ? fields : Object.keys(here.content)).filter((name) => !outside.includes(name))
  return written.every((name) => compareSent(maskSecrets(wanted[name]), maskSecrets(live[name])) !== 'different')
    ? here
    : { ...here, hash: notTaken }
}

/** Thrown if a content references a resource that does not exist yet. */
class PendingReference extends Error {
  /** Path in the content. */
  readonly path: string
  /** Kind and name of the resource. */
  readonly key: string
  constructor(path: string, key: string) {
    super(path)
    this.path = path
    this.key = key
  }
}

/** An entry that was not sent, because it references a resource that does not exist yet: its kind and name. */
interface Postponed {
  readonly pending: string
}

const isPostponed = (result: PushResult | Postponed): result is Postponed => 'pending' in result

/** Sends the content of files. Each write is recorded in the lock file at once, so that the next run can resume. */
export class Pusher {
  readonly #context: Context
  readonly #all: FolderComparison
  readonly #options: WriteOptions
  /** Names that do not exist yet on the platform, by kind and name: of new resources and renamed ones. */
  readonly #pendingNames: Set<string>
  /**
   * Sends names that the platform accepts instead of the ids of resources that do not exist yet: in a round after one in which
   * nothing could be sent.
   */
  #sendsNames = false
  /** Files of the resources that were written. */
  readonly #written: string[] = []

  constructor(context: Context, all: FolderComparison, options: WriteOptions) {
    this.#context = context
    this.#all = all
    this.#options = options
    this.#pendingNames = new Set(all.entries.filter((it) => it.status !== 'same' && changesName(it)).map(entryKey))
  }

  /** Checks that entries can be sent. @throws ClientFailure `usage` with every file and field that cannot */
  checkAll(entries: readonly SyncEntry[]): Promise<void> {
    let count = 0
    return this.#context.progress.showWhile('Checking', (setText) =>
      requireEach(entries, (entry) => {
        setText(`Checking ${++count} of ${entries.length}: ${entry.file}`)
        return this.#check(entry)
      }),
    )
  }

  async #check(entry: SyncEntry): Promise<void> {
    await throwIfInterrupted(this.#context.system.signal)
    const path = join(this.#all.folder, entry.file)
    const { kind, local, remote, fields } = entry
    const { content } = local as SyncSide
    await requireEach(
      [
        () => requireValidValues(entry, path),
        () => requireUnsharedVariables(content, remote?.raw, path),
        () => kind.check?.(content, remote?.record, path, fields),
        async () => void (await this.#inputOf(entry, local as SyncSide, true)),
      ],
      (check) => check(),
    )
  }

  /**
   * Returns the fields that a write of an entry sends, with ids and secrets, for comparison. The names of `later`, each
   * after its kind, stay names as those of resources that do not exist yet.
   */
  plannedInput(entry: SyncEntry, later: ReadonlySet<string>): Promise<ResourceRecord> {
    return this.#inputOf(entry, entry.local as SyncSide, true, later)
  }

  /** Creates and updates resources in an order in which references resolve. Circular references take two steps. */
  async write(entries: readonly SyncEntry[]): Promise<PushResult[]> {
    try {
      return await this.#context.progress.showWhile('Writing', (setText) => this.#writeAll(entries, setText))
    } finally {
      this.#all.lock.save()
    }
  }

  async #writeAll(entries: readonly SyncEntry[], setText: (text: string) => void): Promise<PushResult[]> {
    const done: PushResult[] = []
    /** What each postponed entry waits for, so that it is not prepared again before it can be sent. */
    const pendingOf = new Map<SyncEntry, string>()
    let waiting = [...entries]
    while (waiting.length > 0) {
      const left: SyncEntry[] = []
      for (const entry of waiting) {
        const pending = pendingOf.get(entry)
        if (pending !== undefined && !this.#sendsNames && this.#pendingNames.has(pending)) {
          left.push(entry)
          continue
        }
        setText(`Writing ${done.length + 1} of ${entries.length}: ${entry.file}`)
        const result = await this.#attempt(entry, entry.local as SyncSide)
        if (!isPostponed(result)) done.push(result)
        else {
          left.push(entry)
          pendingOf.set(entry, result.pending)
        }
      }
      const isStuck = left.length === waiting.length
      if (isStuck && this.#sendsNames) return [...done, ...(await this.#inTwoSteps(left, setText))]
      // Automations that call each other or themselves.
      this.#sendsNames = isStuck
      waiting = left
    }
    return done
  }

  /** Deletes resources, except those in `inUse`, which are reported as failed with what uses them. */
  async remove(entries: readonly SyncEntry[], inUse: ResourcesInUse): Promise<PushResult[]> {
    try {
      return await this.#context.progress.showWhile('Deleting', (setText) => this.#removeAll(entries, inUse, setText))
    } finally {
      this.#all.lock.save()
    }
  }

  async #removeAll(
    entries: readonly SyncEntry[],
    inUse: ResourcesInUse,
    setText: (text: string) => void,
  ): Promise<PushResult[]> {
    const done: PushResult[] = []
    if (entries.length === 0) return done
    const account = createAccountReader(this.#context.call, this.#context.system.signal)
    for (const entry of entries) {
      const { kind, file, id } = entry
      const uses = inUse.get(entry)
      setText(`Deleting ${done.length + 1} of ${entries.length}: ${file}`)
      const result = await this.#asResult(file, id, async () => {
        if (uses)
          return {
            file,
            id,
            done: 'failed',
            remark: `${uses.join(' ')} To delete it anyway: ${deleteCommand(entry)}`,
          }
        await requireUnchangedLive(this.#context, this.#all.names, entry)
        await kind.remove?.(this.#context, id as number | string, {
          ...(entry.remote && { previous: entry.remote.record }),
          list: account.listReferring,
        })
        this.#all.lock.set(file, undefined)
        return { file, id, done: 'deleted', remark: null }
      })
      done.push(result)
    }
    return done
  }

  /** Returns the resources to be deleted that remaining resources use, assuming that `written` was sent. */
  async inUse(gone: readonly SyncEntry[], written: readonly SyncEntry[], find = usesOf): Promise<ResourcesInUse> {
    const found = new Map<SyncEntry, readonly string[]>()
    if (gone.length === 0) return found
    return this.#context.progress.showWhile('Reading', async (setText) => {
      const account = await this.#accountAfter(gone, written, setText)
      for (const entry of gone) {
        const uses = entry.remote ? await find(this.#context, entry.kind.resourceKind, entry.remote, account) : []
        if (uses.length > 0) found.set(entry, uses)
      }
      return found
    })
  }

  /** Records entries that were equal from the start. */
  recordUnchanged(): void {
    const { entries, lock } = this.#all
    for (const entry of entries) {
      const { file, local, remote, status, merge, fields } = entry
      // A promotion that only preserves changes of the target writes nothing.
      const isUnchanged = status === 'same' || (isPromotion(this.#all) && merge !== undefined && fields.length === 0)
      if (!isUnchanged || !local || !remote) continue
      const now = this.#syncRecord(entry, local, remote)
      if (stringifyJson(lock.of(file)) !== stringifyJson(now)) lock.set(file, now)
    }
    lock.save()
  }

  async #attempt(entry: SyncEntry, here: SyncSide): Promise<PushResult | Postponed> {
    try {
      return await this.#asResult(entry.file, entry.id, () => this.#send(entry, here))
    } catch (error) {
      if (error instanceof PendingReference) return { pending: error.key }
      throw error
    }
  }

  async #send(entry: SyncEntry, here: SyncSide): Promise<PushResult> {
    const { kind, file, remote } = entry
    const input = await this.#inputOf(entry, here)
    // Others may change a resource between the questions and its own write.
    await requireUnchangedLive(this.#context, this.#all.names, entry)
    const options = { ...this.#options, path: join(this.#all.folder, file) }
    // A merged definition has never been tested as a whole.
    const tested = entry.merge && { skipLocalTest: false, rollback: true }
    const sent = remote
      ? Object.keys(input).length === 0
        ? { id: remote.id }
        : await kind.update(this.#context, remote.id, input, {
            ...options,
            ...tested,
            history: { previous: remote.record },
          })
      : await kind.create(this.#context, input, file, options)
    const { id } = sent
    // The file is not live, so it is not recorded and the next push sends it again.
    if (sent.isUnchanged) return { file, id, done: 'test_failed', remark: sent.remark ?? null }
    if (changesName(entry)) {
      this.#pendingNames.delete(entryKey(entry))
      await this.#all.names.add(kind.resourceKind, id, entryName(entry))
    }
    const there = await toRemoteResource(this.#all.names, kind, await kind.get(this.#context, id))
    this.#all.lock.set(file, this.#syncRecord(entry, takenSide(entry, here, there), there))
    return { file, id, done: remote ? 'updated' : 'created', remark: sent.remark ?? null }
  }

  /**
   * Writes entries without unresolved references, then adds these. Existing resources keep all fields in between. A new
   * resource that cannot be created without its reference is created in the second step.
   */
  async #inTwoSteps(entries: readonly SyncEntry[], setText: (text: string) => void): Promise<PushResult[]> {
    const done = new Map<string, PushResult>()
    const second: SyncEntry[] = []
    for (const entry of entries) {
      const local = entry.remote ? entry.local : await this.#withoutPendingReferences(entry)
      const partly = entry.remote ? await this.#withoutPendingFields(entry) : local && { ...entry, local }
      if (!partly || partly.fields.length < entry.fields.length || local !== entry.local) second.push(entry)
      if (!partly || (entry.remote && partly.fields.length === 0)) continue
      setText(`Writing ${entry.file} without circular references`)
      const result = await this.#attempt(partly, partly.local as SyncSide)
      if (isPostponed(result)) second.push(entry)
      else done.set(entry.file, result)
    }
    for (const entry of new Set(second)) {
      const made = done.get(entry.file)
      if (made && (isNotWritten(made) || made.done === 'test_failed')) continue
      // What the first step did not write is still as it was compared.
      const there = made
        ? await toRemoteResource(
            this.#all.names,
            entry.kind,
            await entry.kind.get(this.#context, made.id as number | string),
          )
        : entry.remote
      const fields = entry.remote ? entry.fields : Object.keys((entry.local as SyncSide).content)
      const id = there?.id ?? null
      setText(`Writing the circular references of ${entry.file}`)
      const result = await this.#attempt({ ...entry, remote: there, id, fields }, entry.local as SyncSide)
      const outcome: PushResult = isPostponed(result)
        ? { file: entry.file, id, done: 'failed', remark: 'A resource it references could not be sent.' }
        : result
      if (!made || isNotWritten(outcome) || outcome.done === 'test_failed') done.set(entry.file, outcome)
    }
    return [...done.values()]
  }

  /** Removes the changed fields of an existing resource whose references do not resolve yet. */
  async #withoutPendingFields(entry: SyncEntry): Promise<SyncEntry> {
    const here = { ...(entry.local as SyncSide), hash: notTaken }
    for (let { fields } = entry; ; ) {
      try {
        await this.#inputOf({ ...entry, fields }, here)
        return { ...entry, fields, local: here }
      } catch (error) {
        if (!(error instanceof PendingReference)) throw error
        const [held] = error.path.split(/[.[]/)
        if (!fields.includes(held as string)) throw error
        fields = fields.filter((it) => it !== held)
      }
    }
  }

  /** Returns undefined for a resource that cannot be created without a reference that is pending. */
  async #withoutPendingReferences(entry: SyncEntry): Promise<SyncSide | undefined> {
    const local = entry.local as SyncSide
    const { name } = local
    let { content } = local
    for (;;) {
      try {
        await this.#inputOf(entry, { name, hash: notTaken, content })
        return content === local.content ? local : { name, hash: notTaken, content }
      } catch (error) {
        if (!(error instanceof PendingReference)) throw error
        const [field = '', n] = error.path.split('.')
        if (entry.kind.requiredReferences?.includes(field)) return undefined
        const held = content[field]
        content = { ...content, [field]: Array.isArray(held) ? held.filter((_, at) => String(at) !== n) : undefined }
      }
    }
  }

  /**
   * Returns the request body: all fields of a new resource, the differing fields of an existing one. With `isCheck`, names of
   * resources that do not exist yet stay names. `later` has more of them than `#pendingNames`.
   * @throws PendingReference without `isCheck`
   */
  async #inputOf(
    entry: SyncEntry,
    here: SyncSide,
    isCheck = false,
    later: ReadonlySet<string> = new Set(),
  ): Promise<ResourceRecord> {
    const { kind, file, remote, fields } = entry
    const path = join(this.#all.folder, file)
    const { content } = here
    const chosen = remote ? fields : Object.keys(content)
    const along = remote ? (kind.companionFields?.(pickFields(content, chosen)) ?? []) : []
    const given = pickFields(content, [...new Set([...chosen, ...along])])
    const unresolved: UnresolvedName[] = []
    const { names } = this.#all
    const known: Pick<ResourceNames, 'idOf' | 'all'> = {
      idOf: async (name, place, of) =>
        later.has(`${place.to} ${String(name)}`) ? undefined : await names.idOf(name, place, of),
      all: (place) => names.all(place),
    }
    const named = await replaceNamesWithIds(known, kind, given, path, (reference) => {
      const key = `${reference.to} ${reference.name}`
      const isPending = later.has(key) || this.#pendingNames.has(key)
      if (reference.takesName && (this.#sendsNames || !isPending)) return
      if (isPending && !isCheck) throw new PendingReference(reference.path, key)
      if (!isPending) unresolved.push(reference)
    })
    await requireEach(unresolved, (reference) => {
      throw unresolvedNameError(path, reference)
    })
    const sources = { env: this.#context.system.env, live: remote?.raw, file: path }
    const resolved =
      remote && kind.resolveCredentials
        ? await namingFile(
            path,
            kind.resolveCredentials(this.#context, remote.id, resolveReferences(named, '', sources) as ResourceRecord),
          )
        : (resolveSecrets(this.#context, named, '', sources) as ResourceRecord)
    const sent = (await kind.toRequest?.(this.#context, resolved)) ?? resolved
    return {
      ...(await namingFile(path, this.#applicable(entry, here, sent))),
      ...clearedFields(
        kind.updateSchema,
        kind.documentSchema,
        remote ? chosen.filter((name) => content[name] === undefined) : [],
      ),
    }
  }

  /** Removes fields that do not apply, such as settings of another mode. @throws ClientFailure `usage` if a user set one */
  async #applicable(
    { kind, remote, base }: SyncEntry,
    { content }: SyncSide,
    given: ResourceRecord,
  ): Promise<ResourceRecord> {
    const { create, update } = kind.endpoints ?? {}
    const endpoint = remote ? update : create
    if (!endpoint) return given
    // The contents of a promotion are reads of its source.
    const isRead = (name: string): boolean =>
      isPromotion(this.#all) || (base !== undefined && isDeepStrictEqual(content[name], base[name]))
    return applicableFields(this.#context, { endpoint, given, live: remote?.record, create, isRead })
  }

  /**
   * Returns the sync record. A promotion does not write to its source, so the sides may still differ where it preserved or
   * skipped a field: there, the base stays the one from before the difference, so that a later change is a conflict.
   */
  #syncRecord(entry: SyncEntry, taken: SyncSide, there: RemoteResource): SyncRecord {
    const { kind, file, base: before, source, merge, unchanged = [] } = entry
    const synced = toSyncRecord(taken, there)
    if (!isPromotion(this.#all) || !before) return synced
    const omits = this.#all.lock.of(file)?.omits
    const isTaken = taken.hash !== notTaken
    const agreed = !isTaken ? before : merge && source ? source.content : there.content
    const base = { ...agreed, ...Object.fromEntries(unchanged.map((name) => [name, before[name]])) }
    return {
      ...synced,
      ...(isTaken && source && { here: source.hash }),
      ...(omits && { omits }),
      base,
      ...(differingFields(kind, base, there.content, []).length > 0 && { live: there.content }),
    }
  }

  async #asResult(file: string, id: PushResult['id'], work: () => Promise<PushResult>): Promise<PushResult> {
    try {
      const { lostUndos } = this.#context.writes
      const result = await work()
      if (!isNotWritten(result)) this.#written.push(file)
      return this.#addressed(this.#context.writes.lostUndos > lostUndos ? { ...result, undo: false } : result)
    } catch (error) {
      if (
        !(error instanceof ClientFailure) ||
        this.#context.system.signal.aborted ||
        error.exit === 'unknown' ||
        // These say that nothing was sent.
        ((error.exit === 'consent' || error.code === undoUnavailableCode) && this.#written.length === 0)
      ) {
        const { length } = this.#written
        if (length > 0 && !(error instanceof PendingReference))
          await this.#context.notes.warn(
            `${length === 1 ? '1 resource was' : `${length} resources were`} written before this, the last one from ${this.#written.at(-1)}.`,
          )
        throw error
      }
      const done = error.code === changedLiveCode ? 'conflict' : 'failed'
      return this.#addressed({ file, id, done, remark: failureRemark(error) })
    }
  }

  /** Lets the commands of a remark act on the platform of the result. The target of a promotion is not the selected one. */
  #addressed(result: PushResult): PushResult {
    const { remark } = result
    return remark === null
      ? result
      : { ...result, remark: addressCommands(remark, platformFlags(this.#context.globals)) }
  }

  /** Returns the account without the deleted resources and automations and with the changed assistants and senders. */
  async #accountAfter(
    gone: readonly SyncEntry[],
    written: readonly SyncEntry[],
    onProgress: (text: string) => void,
  ): Promise<AccountReader> {
    const account = createAccountReader(this.#context.call, this.#context.system.signal, { onProgress })
    const changes = new Map<string, ResourceRecord>()
    const fresh: ResourceRecord[] = []
    for (const entry of written.filter(({ kind }) => kind.noun === 'assistants' || kind.noun === 'senders')) {
      const local = await this.#withoutPendingReferences(entry)
      if (!local) continue
      const input = await this.#inputOf(entry, local)
      if (entry.remote) changes.set(useKey(entry.kind.resourceKind, entry.remote.id), input)
      else fresh.push(input)
    }
    return accountAfterPush(account, gone, changes, fresh)
  }
}
