import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { loadSqlite } from '../../../src/platform/store/sqlite/sqlite-driver.ts'
import { type Place, parley } from './built-program.ts'

/** What an operator has. */
export interface Holdings {
  readonly numbers: readonly string[]
  readonly keys: readonly string[]
  readonly tools: readonly string[]
}

/** Reads the database of a place whose platform exists: for checking whether anything was bought, created or lost, without starting a command for each list. */
export function holdings(at: Place): Holdings {
  const [numbers, keys, tools] = rowsOf(at, [
    'select phone_number from phone_number order by id',
    'select name from api_key order by id',
    'select name from tool order by id',
  ])
  return { numbers: textsOf(numbers), keys: textsOf(keys), tools: textsOf(tools) }
}

export const numbersOf = (at: Place): readonly string[] => holdings(at).numbers

/** The rows that each query finds in the database of a place. */
export function rowsOf(at: Place, queries: readonly string[]): Record<string, unknown>[][] {
  const file = join(at.data, 'platform.db')
  // Opening a file that does not exist would create it.
  if (!existsSync(file)) throw new Error(`There is no platform in ${at.data}.`)
  const database = loadSqlite().open(file)
  try {
    database.exec('PRAGMA busy_timeout=5000')
    return queries.map((query) => database.prepare(query).all([]))
  } finally {
    database.close()
  }
}

const textsOf = (rows: readonly Record<string, unknown>[] = []): string[] =>
  rows.map((it) => String(Object.values(it)[0]))

/** The numbers that the program itself lists: for tests of what it recovers first. */
export async function listedNumbers(at: Place): Promise<string[]> {
  const { exitCode, stdout, stderr } = await parley('numbers list --json --fields phone_number', { at })
  if (exitCode !== 0) throw new Error(`numbers list: exit code ${exitCode}, ${stderr}`)
  return (JSON.parse(stdout) as { phone_number: string }[]).map((it) => it.phone_number)
}
