import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { day } from '../contract/values/micros.ts'
import { createSandbox } from '../engine/sandbox/create-sandbox.ts'
import { realTime } from '../node/real-time.ts'
import { requireValue } from '../node/require-value.ts'
import { createSecretGenerator } from '../platform/control/data-folder/secret-generator.ts'
import type { LoadDeps } from '../platform/control/sample-data/load-sample-data.ts'
import { prepareSampleAccount } from '../platform/control/sample-data/sample-account.ts'
import {
  findSampleNumbers,
  numberAt,
  type SampleRows,
  type SampleValue,
  sampleNumbers,
} from '../platform/control/sample-data/sample-rows.ts'
import { createClock } from '../platform/jobs/clock.ts'
import { OwnLeases } from '../platform/jobs/leases.ts'
import { localProviders } from '../platform/providers/local/local-providers.ts'
import { localPayments } from '../platform/providers/payments/local-payments.ts'
import { createInventory } from '../platform/providers/telephony/number-inventory.ts'
import { orderSid } from '../platform/providers/telephony/number-orders.ts'
import { syncIntervals } from '../platform/services/messaging/channel-sync-service.ts'
import { hashSecret, parseToken } from '../platform/services/runtime/api-keys.ts'
import { deterministicUuid } from '../platform/services/runtime/deterministic-uuid.ts'
import { counterTable } from '../platform/store/counters/counted-list.ts'
import { countedLists } from '../platform/store/counters/counted-lists.ts'
import type { Connection } from '../platform/store/database/connection.ts'
import { erasableTables } from '../platform/store/database/erase-data.ts'
import { openStore } from '../platform/store/database/open-store.ts'
import { readRows, type StoredValue } from '../platform/store/database/stored-rows.ts'

/** Tables that triggers fill. Their rows are not in the file. */
const counterTables = countedLists.map(counterTable)

type Rows = Readonly<Record<string, readonly Readonly<Record<string, StoredValue>>[]>>

/** What differs between platforms in one recording. */
interface Recording {
  readonly now: number
  /** Placeholders of generated texts. */
  readonly meanings: Map<string, string>
  /** Offsets of the times in texts. */
  readonly times: number[]
}

/** Returns a placeholder in a text. sample-rows.ts of platform/control/sample-data reads placeholders, and says what each kind means. */
const mark = (kind: string, index: number): string => `⟨${kind}${index}⟩`

/** Replaces generated texts, and times in microseconds, by their placeholders. */
function toTemplate(text: string, { now, meanings, times }: Recording): string {
  let template = text
  for (const [made, placeholder] of meanings) template = template.replaceAll(made, placeholder)
  return template.replace(/\b\d{16}\b/g, (digits) => {
    const offset = Number(digits) - now
    if (!times.includes(offset)) times.push(offset)
    return mark('t', times.indexOf(offset))
  })
}

/** Returns what the loader of sample data needs on a database of its own. */
export const loaderDeps = (connection: Connection, folder: string): LoadDeps => ({
  connection,
  clock: createClock(connection, realTime.now),
  vault: { seal: (text) => text, open: (text) => text },
  providers: localProviders({ connection, seed: 'recorded', folder }),
  sandbox: async () => createSandbox(),
  owner: 'loader',
  leases: new OwnLeases(),
  wall: realTime.now,
})

/** Creates the sample data in a new database and returns its rows, with the meaning of all generated texts. */
async function record(now: number) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-sample-'))
  const connection = await openStore({ file: join(folder, 'sample.db'), durable: false })
  const recording: Recording = { now, meanings: new Map(), times: [] }
  const { meanings } = recording
  const secrets: [string, number][] = []
  const sealed: [string, string][] = []
  // With this seed the first number can send text messages, as the sample campaign requires.
  const inventory = createInventory('7')
  const random = createSecretGenerator(1)
  const learn = (secret: string, index: number): string => {
    meanings.set(secret, mark('s', index))
    meanings.set(hashSecret(secret), mark('h', index))
    meanings.set(deterministicUuid(secret), mark('u', index))
    return secret
  }
  try {
    for (const [n, { number }] of findSampleNumbers(inventory).entries()) {
      meanings.set(orderSid(`seed-${number.phoneNumber}`), mark('o', n))
      meanings.set(number.phoneNumber, mark('n', n))
    }
    const insert = await prepareSampleAccount(loaderDeps(connection, folder), {
      now,
      secret: learn(random('first', 40), 0),
      secrets(label, length) {
        const known = secrets.findIndex((it) => it[0] === toTemplate(label, recording))
        if (known < 0) secrets.push([toTemplate(label, recording), length])
        return learn(random(label, length), known < 0 ? secrets.length : known + 1)
      },
      payments: localPayments({ connection }),
      vault: {
        seal(text, context) {
          const made = `sealed-${sealed.length}-${random(text, 20)}`
          meanings.set(made, mark('v', sealed.length))
          sealed.push([toTemplate(text, recording), context])
          return made
        },
        open: () => '',
      },
      inventory,
    })
    const token = await connection.write('everything', insert)
    const rows: Record<string, Rows[string]> = {}
    // Parents are inserted before their children: foreign keys require it.
    for (const table of erasableTables.toReversed()) rows[table] = await readRows(connection.read, table)
    const trunks = (rows.local_trunk ?? []).map(({ id, key }, n) => {
      meanings.set(String(id), mark('k', n))
      return toTemplate(String(key), recording)
    })
    return { key: requireValue(parseToken(token)).id, rows, recording, secrets, sealed, trunks }
  } finally {
    await connection.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns a value without what depends on the platform, from two recordings at different times. */
function toSampleValue(
  where: string,
  [first, second]: readonly [StoredValue, StoredValue],
  [one, two]: readonly [Recording, Recording],
): SampleValue {
  if (typeof first === 'string' && typeof second === 'string') {
    const template = toTemplate(first, one)
    if (template === toTemplate(second, two)) return template
  }
  if (first === second) return first
  if (typeof first === 'number' && typeof second === 'number') {
    if (second - first === two.now - one.now) return ['time', first - one.now]
    const purchases = sampleNumbers.map(({ days }) => -days * day)
    for (const [kind, candidates] of [
      ['anchor', purchases],
      ['renewal', purchases],
      ['interval', Object.values(syncIntervals)],
    ] as const)
      for (const n of candidates)
        if (numberAt(one.now, kind, n) === first && numberAt(two.now, kind, n) === second) return [kind, n]
  }
  throw new Error(`The sample data has a value that depends on the time in a new way: ${where}`)
}

/** Marks what follows from the purchased number of a row. */
function withNumber(row: Readonly<Record<string, SampleValue>>): Readonly<Record<string, SampleValue>> {
  const n = sampleNumbers.findIndex((_, index) => row.phone_number === mark('n', index))
  return n < 0 || !('sms_capable' in row)
    ? row
    : { ...row, sms_capable: ['sms', n], ...(row.region !== null && { region: mark('r', n) }) }
}

/** Records the sample data at two times and returns its rows without what differs between platforms. */
async function recordSampleRows(): Promise<SampleRows> {
  // The months that begin then differ in length, so that a month is not mistaken for a number of days.
  const times = [Date.UTC(2027, 0, 31, 9) * 1000, Date.UTC(2028, 4, 14, 21, 7) * 1000] as const
  const [first, second] = [await record(times[0]), await record(times[1])]
  const values = Object.entries(first.rows)
    .filter(([name]) => !counterTables.includes(name))
    .flatMap(([table, rows]) =>
      rows.flatMap((row, n) =>
        Object.entries(row).map(([column, value]) => ({
          where: `${table}.${column}`,
          pair: [value, second.rows[table]?.[n]?.[column] ?? null] as const,
          table,
          column,
          n,
        })),
      ),
    )
  const tables = new Map<string, Record<string, SampleValue>[]>()
  for (const { where, pair, table, column, n } of values) {
    const rows = tables.get(table) ?? []
    tables.set(table, rows)
    rows[n] = { ...rows[n], [column]: toSampleValue(where, pair, [first.recording, second.recording]) }
  }
  return {
    key: first.key,
    secrets: first.secrets,
    sealed: first.sealed,
    times: first.recording.times,
    trunks: first.trunks,
    tables: [...tables].map(([name, rows]) => {
      const columns = Object.keys(rows[0] ?? {})
      return { name, columns, rows: rows.map(withNumber).map((row) => columns.map((it) => row[it] ?? null)) }
    }),
  }
}

/** Returns the file with the sample data as rows, so that a platform is filled without the code that creates them. */
export async function sampleRowsFile(): Promise<string> {
  const text = JSON.stringify(JSON.stringify(await recordSampleRows()))
  return `// Recorded from the sample data by "npm run generate".\n\n/** The rows of the sample data as JSON: see SampleRows. */\nexport const sampleRowsJson =\n  ${text}\n`
}
