import type { ResourceDifference } from '../../../contract/control/snapshots.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import { maskText } from '../../../contract/values/mask.ts'
import { fromMillionths } from '../../../contract/values/millionths.ts'
import { maskValue } from '../../../engine/definition/mask.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import type { ComparedTable, TableDifference } from '../../store/database/connection.ts'

type Fields = Readonly<Record<string, unknown>>
type Field = ResourceDifference['records'][number]['fields'][number]

/** Maximum changed fields of a record, and maximum characters of a value. */
const maxFields = 40
const maxLength = 300

/** Resources by table, in the order they are shown. Counters, jobs and books of simulated carriers are not compared. */
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
export const comparedTables: readonly ComparedTable[] = Object.keys(resources).map((name) => ({ name, ignored }))

/** Describes differences between two snapshots by resource: names, and changed fields with masked, shortened values. */
export const describeDifferences = (differences: readonly TableDifference[]): ResourceDifference[] =>
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
  // Encrypted values, and hashes of keys.
  return /^v\d+\.[\w-]+\./.test(text) || path === 'hash' ? maskText : shortened(text)
}

const shortened = (text: string): string => (text.length > maxLength ? `${text.slice(0, maxLength)}…` : text)
