import type { AutomationNode } from '../../../contract/automations/automation-node.ts'
import type { SlotEvent } from '../../../contract/automations/automation-records.ts'
import { type SampleList, type SampleListName, sampleLists } from '../../../contract/control/sample-data.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import type { Micros } from '../../../contract/values/micros.ts'
import { parseSampleTime } from '../../../contract/values/sample-time.ts'
import type { Deps } from '../../services/runtime/deps.ts'
import type { AccountRow } from '../../store/accounts/accounts.ts'
import type { TriggerKind } from '../../store/automations/tables.ts'
import type { Query } from '../../store/database/connection.ts'
import { updateStoredRow } from '../../store/database/stored-rows.ts'
import type { SeedOptions } from '../seed/seed-sample-data.ts'
import { checkRecord } from './check-record.ts'
import { recordName, type SampleAccount, type SampleEntry, SampleProblems } from './check-sample-data.ts'

type Fields = Readonly<Record<string, unknown>>

/** One account that is being loaded, in the caller's transaction. */
export interface Loading extends SeedOptions {
  readonly query: Query
  readonly deps: Deps
  readonly account: AccountRow
  readonly data: SampleAccount
  /** The automations of the file by their places. */
  readonly automations: ReadonlyMap<string, PreparedAutomation>
}

/** A record with ids in place of names. */
export interface LoadedRecord {
  readonly entry: SampleEntry
  readonly name: string
  readonly body: Fields
  readonly record: Fields
  readonly createdAt: Micros
  readonly updatedAt: Micros
}

/** Returns the time of a field, or `usual` without one. */
export const timeOf = <T>({ now }: Pick<Loading, 'now'>, value: unknown, usual: T): Micros | T =>
  (typeof value === 'string' ? parseSampleTime(value, now) : undefined) ?? usual

/** Returns the times of a record: when it was created and last changed. */
export function timesOf(loading: Pick<Loading, 'now'>, record: Fields): { createdAt: Micros; updatedAt: Micros } {
  const createdAt = timeOf(loading, record.created_at, loading.now)
  return { createdAt, updatedAt: timeOf(loading, record.updated_at, createdAt) }
}

/**
 * Loads the records of a list one after the other. `load` returns the id by which others refer to the record. @throws
 * Failure 422 with the place of the record
 */
export async function loadEach(
  loading: Loading,
  list: SampleListName,
  load: (record: LoadedRecord) => Promise<number | string | undefined>,
): Promise<void> {
  const { data } = loading
  const { to }: SampleList = sampleLists[list]
  for (const entry of data.lists[list])
    await atPlace(entry.place, async () => {
      const { body, record, errors } = checkRecord(list, entry.item, data.names)
      if (Object.keys(errors).length > 0) throw new Failure('invalid', { errors: errors as never })
      const name = recordName(list, entry.item)
      const id = await load({ entry, name, body, record, ...timesOf(loading, record) })
      if (to && id !== undefined) data.names.add(to, name, id)
    })
}

/** Runs `body` and adds the place in the file to its failures. */
export async function atPlace<T>(place: string, body: () => Promise<T>): Promise<T> {
  try {
    return await body()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const problems = new SampleProblems()
    problems.addAll(place, error.errors ?? { '': [error.message] })
    problems.throwIfAny()
    throw error
  }
}

/** Returns dependencies with which services work in the caller's transaction, at a given time. */
export function depsAt({ deps, query, secrets }: Loading, at: Micros): Deps {
  return {
    ...deps,
    secret: secrets,
    clock: { ...deps.clock, now: async () => at },
    connection: { ...deps.connection, read: query, write: (_, body) => body(query) },
  }
}

/** Sets the time of the last change of a row. */
export const setUpdatedAt = async (
  { query }: Loading,
  table: string,
  id: number,
  { createdAt, updatedAt }: LoadedRecord,
): Promise<void> => {
  if (updatedAt !== createdAt) await updateStoredRow(query, table, id, { updated_at: updatedAt })
}

/** A checked and compiled definition, with names instead of ids. */
export interface PreparedAutomation {
  readonly definition: AutomationNode
  readonly program: AutomationNode
  readonly kind: TriggerKind
  /** Event of an assistant that its trigger is bound to. */
  readonly event: SlotEvent | undefined
  readonly connections: readonly string[]
}
