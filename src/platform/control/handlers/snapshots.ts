import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type ResourceDifference, type Snapshot, snapshots } from '../../../contract/control/snapshots.ts'
import { Failure, failures } from '../../../contract/errors/failures.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { maskText } from '../../../contract/values/mask-text.ts'
import { fromMillionths } from '../../../contract/values/millionths.ts'
import { maskValue } from '../../../engine/definition/mask.ts'
import { crypto } from '../../../node/crypto.ts'
import { dataFiles } from '../../../node/data-files.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { makeFolder } from '../../../node/make-folder.ts'
import { sleep } from '../../../node/real-time.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from '../../server/handlers/handler.ts'
import type { ComparedTable, SnapshotMetadata, Snapshots, TableDifference } from '../../store/database/connection.ts'
import { readMeta, seedKey } from '../../store/database/meta.ts'
import { openStore } from '../../store/database/open-store.ts'
import { schemaVersion } from '../../store/migrations/index.ts'
import {
  beginRestore,
  cancelRestore,
  createSnapshotInfo,
  finishRestore,
  parseSnapshotInfo,
  restoredKey,
} from '../data-folder/pending-restore.ts'
import type { ControlDeps } from '../sample-data/fill-platform.ts'

type Fields = Readonly<Record<string, unknown>>
type Field = ResourceDifference['records'][number]['fields'][number]

/** Maximum changed fields of a record, and maximum characters of a value. */
const maxFields = 40
const maxLength = 300

/**
 * Resources by table, in the order they are shown. Counters, jobs and books of simulated carriers are not compared. A
 * table that is missing here is not compared either. Scripts read the names as JSON.
 */
const resources: Readonly<Record<string, string>> = {
  account: 'accounts',
  api_key: 'keys',
  phone_number: 'numbers',
  sip_trunk: 'sip trunks',
  subscription: 'subscriptions',
  purchase: 'purchases',
  ledger: 'ledger',
  assistant: 'assistants',
  assistant_tool: 'tools of assistants',
  assistant_label: 'labels of assistants',
  tool: 'tools',
  folder: 'folders',
  label: 'labels',
  knowledge_base: 'knowledge bases',
  knowledge_document: 'documents',
  sender: 'senders',
  message_template: 'templates',
  channel_message: 'messages',
  sms_message: 'sms',
  conversation: 'conversations',
  message: 'conversation messages',
  phone_call: 'calls',
  campaign: 'campaigns',
  campaign_number: 'numbers of campaigns',
  lead: 'leads',
  lead_contact: 'lead contacts',
  automation: 'automations',
  automation_version: 'automation versions',
  event_slot: 'bindings',
  automation_connection: 'connections',
  automation_value: 'stored values',
  automation_run: 'runs',
  automation_step: 'run steps',
  automation_webhook: 'webhooks',
  delivery: 'deliveries',
  delivery_attempt: 'delivery attempts',
  fault: 'fault rules',
  clock: 'clock',
  local_mail: 'mails',
  local_contact: 'contacts',
  local_booking: 'bookings',
}

/** Columns for the work of the platform, and contents of runs that may hold secrets without a name. */
const ignored = [
  'claims',
  'cursor',
  'dedupe_key',
  'faults',
  'folded',
  'held',
  'input',
  'items',
  'lane',
  'log',
  'mark',
  'output',
  'program',
  'round',
  'shown',
  'stalls',
  'trace',
]

/** The tables that a comparison of snapshots reads. */
const comparedTables: readonly ComparedTable[] = Object.keys(resources).map((name) => ({ name, ignored }))

/** Describes differences between two snapshots by resource: names, and changed fields with masked, shortened values. */
const describeDifferences = (differences: readonly TableDifference[]): ResourceDifference[] =>
  differences
    .filter((it) => it.created + it.changed + it.deleted > 0)
    .map(({ table, keys, created, changed, deleted, rows }) => ({
      resource: resources[table] ?? table,
      created,
      changed,
      deleted,
      records: rows.map(({ before, after }) => {
        const row = after ?? before ?? {}
        return {
          change: before && after ? 'changed' : after ? 'created' : 'deleted',
          id: String(row.id ?? keys.map((it) => row[it]).join('/')),
          name: nameOf(row),
          account: typeof row.account_id === 'number' ? row.account_id : null,
          fields: before && after ? changedFields(before, after) : [],
        }
      }),
    }))

const nameColumns = ['name', 'display_name', 'phone_number', 'recipient', 'event', 'subject', 'kind', 'endpoint', 'url']

function nameOf(row: Fields): string | null {
  const name = nameColumns.map((it) => row[it]).find((it) => typeof it === 'string' && it !== '')
  return name === undefined ? null : shortened(String(maskValue(name)))
}

function changedFields(before: Fields, after: Fields): Field[] {
  const [old, now] = [flatten(before), flatten(after)]
  return [...new Set([...Object.keys(old), ...Object.keys(now)])]
    .filter((it) => old[it]?.raw !== now[it]?.raw)
    .slice(0, maxFields)
    .map((field) => ({ field, before: old[field]?.shown ?? null, after: now[field]?.shown ?? null }))
}

interface Value {
  readonly raw: string
  readonly shown: string | null
}

/** Returns the values of a row by path. The fields of settings and of other JSON objects have a path each. */
function flatten(row: Fields): Readonly<Record<string, Value>> {
  const values: Record<string, Value> = {}
  const opened = Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => !ignored.includes(name))
      .map(([name, value]) => [name, toWire(name, value)]),
  )
  const masked = maskValue(opened) as Fields
  const add = (path: string, raw: unknown, shown: unknown): void => {
    if (isObject(raw) && isObject(shown))
      for (const name of Object.keys(raw)) add(path === '' ? name : `${path}.${name}`, raw[name], shown[name])
    else values[path] = { raw: stringifyJson(raw ?? null), shown: textOf(path, shown) }
  }
  add('', opened, masked)
  return values
}

/** Returns a value in the form of the API: ISO times, amounts, objects. */
function toWire(name: string, value: unknown): unknown {
  if (typeof value === 'number') {
    if (/(_at|_until|^period_(start|end)|^at)$/.test(name)) return toIsoMicros(value)
    if (name === 'offset') return `${value / 1_000_000} s`
    return /(^|_)(balance|balance_after|amount|price|cost|rate)$/.test(name) ? fromMillionths(value) : value
  }
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value
  try {
    return parseJson(value)
  } catch {
    return value
  }
}

function textOf(path: string, value: unknown): string | null {
  if (value === null || value === undefined) return null
  const text = typeof value === 'string' ? value : stringifyJson(value)
  // Encrypted values, in the form that vault.ts writes, and hashes of keys.
  return /^v\d+\.[\w-]+\./.test(text) || path === 'hash' ? maskText : shortened(text)
}

const shortened = (text: string): string => (text.length > maxLength ? `${text.slice(0, maxLength)}…` : text)

/** Milliseconds after which the temporary files of a killed process are removed. */
const leftoverAgeMs = 3600_000

/** Returns the endpoints of the resource with their handlers. */
export const snapshotResource = (deps: ControlDeps): LoadedResource => loadedResource(snapshots, snapshotHandlers(deps))

/** Creates the handlers of the control API for snapshots. */
function snapshotHandlers(deps: ControlDeps): HandlersOf<typeof snapshots> {
  const { connection, dataDir, wall } = deps
  const folder = join(dataDir, 'snapshots')
  const fileOf = (name: string): string => join(folder, `${name}.db`)
  const files = (): string[] =>
    (connection.snapshots ? listEntries(folder) : []).filter((it) => /^[a-z0-9][a-z0-9._-]*\.db$/.test(it))
  const hasSnapshot = (name: string): boolean => files().includes(`${name}.db`)

  function requireSnapshots(): Snapshots {
    if (!connection.snapshots) throw new Failure('snapshots.unsupported')
    return connection.snapshots
  }

  function toWire(name: string): Snapshot & { readonly at: number } {
    const { size, mtimeMs } = statSync(fileOf(name))
    const about = connection.snapshots?.readMetadata(fileOf(name))
    const {
      saved_at = new Date(mtimeMs).toISOString(),
      time = null,
      seed = null,
      accounts = null,
      numbers = null,
    } = about ? parseSnapshotInfo(about.text) : {}
    const status = about === undefined ? 'damaged' : about.schema > schemaVersion ? 'newer' : 'ok'
    return { name, status, saved_at, time, bytes: size, seed, accounts, numbers, at: Date.parse(saved_at) }
  }
  const toSnapshot = (name: string): Snapshot => {
    const { at: _, ...rest } = toWire(name)
    return rest
  }

  /** Returns the metadata of a snapshot that this version can read. */
  function requireReadable(name: string): SnapshotMetadata {
    if (!hasSnapshot(name)) throw new Failure('snapshots.not_found')
    const about = requireSnapshots().readMetadata(fileOf(name))
    if (!about) throw unreadable('the file is damaged or is not a snapshot.')
    if (about.schema > schemaVersion) throw unreadable('it was created by a newer version of Parley. Upgrade Parley.')
    return about
  }

  /** Compares a snapshot with its checksum. Returns false if it has none, because an earlier version saved it. */
  async function requireIntact(name: string): Promise<boolean> {
    requireReadable(name)
    const found = await requireSnapshots().compareChecksum(fileOf(name))
    if (found === 'wrong') throw unreadable('the file is damaged: its checksum differs.')
    return found === 'same'
  }

  /** Runs `body` with a file of the current schema for each snapshot: its own, or a migrated copy until the end. */
  async function withFiles<T>(names: readonly string[], body: (files: readonly string[]) => Promise<T>): Promise<T> {
    const places: string[] = []
    try {
      const files: string[] = []
      for (const name of names) {
        let file = fileOf(name)
        if (requireReadable(name).schema < schemaVersion) {
          const place = mkdtempSync(join(folder, '.restoring-'))
          places.push(place)
          file = join(place, dataFiles.sqlite)
          connection.snapshots?.copy(fileOf(name), file)
          await (await openStore({ file })).close()
        }
        files.push(file)
      }
      return await body(files)
    } finally {
      for (const place of places) rmSync(place, { recursive: true, force: true })
    }
  }

  function removeLeftovers(): void {
    for (const name of listEntries(folder)) {
      const left = join(folder, name)
      const isLeft = name.startsWith('.') || /\.db\.[\w-]+$/.test(name)
      if (isLeft && (statSync(left, { throwIfNoEntry: false })?.mtimeMs ?? 0) < wall() - leftoverAgeMs)
        rmSync(left, { recursive: true, force: true })
    }
  }

  return {
    list: async () => ({
      data: files()
        .map((it) => toWire(it.slice(0, -3)))
        .sort((a, b) => b.at - a.at || (a.name < b.name ? 1 : -1))
        .map(({ at: _, ...snapshot }) => snapshot),
    }),

    async save({ name: given, replace }) {
      const copies = requireSnapshots()
      makeFolder(folder)
      removeLeftovers()
      const at = new Date(wall()).toISOString()
      const name = given ?? unusedName(`${at.slice(0, 10)}-${at.slice(11, 19).replaceAll(':', '')}`, hasSnapshot)
      if (hasSnapshot(name) && !replace) throw new Failure('snapshots.exists')
      await copies.save(fileOf(name), stringifyJson(await createSnapshotInfo(deps, at)))
      return { message: 'Snapshot saved successfully.', data: toSnapshot(name) }
    },

    async compare({ name, to, limit }) {
      const copies = requireSnapshots()
      for (const taken of [name, ...(to === undefined ? [] : [to])]) await requireIntact(taken)
      removeLeftovers()
      const differences = await withFiles([name, ...(to === undefined ? [] : [to])], ([from = '', other]) =>
        copies.compare(from, other, comparedTables, limit),
      )
      return { from: name, to: to ?? null, data: describeDifferences(differences) }
    },

    async restore({ name }) {
      const copies = requireSnapshots()
      const about = requireReadable(name)
      const hasChecksum = await requireIntact(name)
      removeLeftovers()
      const snapshotInfo = parseSnapshotInfo(about.text)
      if (snapshotInfo.seed !== null && deps.isReachable) throw new Failure('snapshots.seeded')
      return withFiles([name], async ([file = '']) => {
        const isDone = await deps.runExclusively(async () => {
          const id = crypto().randomUUID()
          beginRestore(dataDir, id, {
            secret: snapshotInfo.secret,
            key: snapshotInfo.key,
            seal: snapshotInfo.seal,
            pid: deps.pid,
          })
          // Processes that start from here on wait for the restore. Those that were running before must have ended,
          // because they would write data derived from the old rows.
          const others = await waitForProcesses(deps.otherProcesses)
          if (others.length > 0) {
            cancelRestore(dataDir)
            throw inUse(others)
          }
          await copies.restore(file, [restoredKey, id]).catch((error) => {
            cancelRestore(dataDir)
            throw error
          })
          await finishRestore(deps)
          const seed = await readMeta(connection.read, seedKey)
          deps.onRestored(seed === undefined || seed === 'random' ? null : Number(seed))
          return true
        })
        if (!isDone) throw new Failure('snapshots.busy')
        const message = `Snapshot restored successfully.${hasChecksum ? '' : ' It has no checksum, because an earlier version saved it.'}`
        return { message, token: deps.credentials.current.key }
      })
    },

    async delete({ name }) {
      if (!hasSnapshot(name)) throw new Failure('snapshots.not_found')
      rmSync(fileOf(name), { force: true })
      return { message: 'Snapshot deleted successfully.' }
    },
  }
}

/** Milliseconds to wait for other processes to end, and between two checks. */
const processTimeoutMs = 3000
const pollMs = 50

async function waitForProcesses(others: () => readonly number[]): Promise<readonly number[]> {
  for (let waited = 0; ; waited += pollMs) {
    const now = others()
    if (now.length === 0 || waited >= processTimeoutMs) return now
    await sleep(pollMs)
  }
}

const inUse = (pids: readonly number[]): Failure =>
  new Failure('snapshots.in_use', {
    text: failures['snapshots.in_use'].text.replace('{who}', `process ${pids.join(', ')}`),
  })

const unreadable = (why: string): Failure =>
  new Failure('snapshots.unreadable', { text: failures['snapshots.unreadable'].text.replace('{why}', () => why) })

/** Returns the name if it is unused, else the first unused one with a number appended. */
function unusedName(name: string, isTaken: (name: string) => boolean): string {
  for (let n = 1; ; n++) {
    const candidate = n === 1 ? name : `${name}-${n}`
    if (!isTaken(candidate)) return candidate
  }
}

function listEntries(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
