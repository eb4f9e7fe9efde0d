import { createHash } from 'node:crypto'
import type { FaultRule } from '../../contract/control/faults.ts'
import { Failure } from '../../contract/errors/failures.ts'
import { findAccount } from '../../store/accounts/accounts.ts'
import {
  clearFaults,
  deleteFault,
  type FaultRow,
  insertFault,
  listFaults,
  recordFaultMatch,
  updateFaultCount,
} from '../../store/runtime/fault-rules.ts'
import type { Deps } from './deps.ts'

/** A rule with what became of it. */
export type FaultRecord = FaultRule & Pick<FaultRow, 'id' | 'met' | 'fired' | 'created_at'>

/** What a rule may ask of a request. */
export interface FaultSubject {
  /** Name of the endpoint. */
  readonly endpoint: string
  /** 0 where nobody signs in. */
  readonly account: number
  /** Path, query and body fields side by side, as they were sent. */
  readonly fields: Readonly<Record<string, unknown>>
}

export function faultService({ connection, clock }: Pick<Deps, 'connection' | 'clock'>) {
  return {
    list: async (): Promise<FaultRecord[]> => (await listFaults(connection.read)).map(toFault),

    /** @throws Failure `accounts.not_found` */
    add: (rule: FaultRule): Promise<FaultRecord> =>
      connection.write(async (query) => {
        const { endpoint, account, ...rest } = rule
        if (account !== undefined && !(await findAccount(query, account))) throw new Failure('accounts.not_found')
        const created_at = await clock.now(query)
        const row = await insertFault(query, {
          endpoint,
          account_id: account ?? null,
          rule: JSON.stringify(rest),
          met: 0,
          fired: 0,
          created_at,
        })
        await updateFaultCount(query)
        return toFault(row)
      }),

    /** @throws Failure `faults.not_found` */
    remove: (id: number): Promise<void> =>
      connection.write(async (query) => {
        if (!(await deleteFault(query, id))) throw new Failure('faults.not_found')
        await updateFaultCount(query)
      }),

    /** How many there were. */
    clear: (): Promise<number> =>
      connection.write(async (query) => {
        const cleared = await clearFaults(query)
        await updateFaultCount(query)
        return cleared
      }),

    /** The rule that strikes this request, if one does: the first that is about it and is not spent. Each that was asked is counted, by every process in turn. */
    async trigger(subject: FaultSubject): Promise<FaultRecord | undefined> {
      const isMatch = (it: FaultRecord): boolean => matchesSubject(it, subject)
      if (!(await this.list()).some(isMatch)) return undefined
      return connection.write(async (query) => {
        for (const fault of (await listFaults(query)).map(toFault).filter(isMatch)) {
          const isTriggered = isSelected(fault)
          await recordFaultMatch(query, fault.id, isTriggered)
          if (isTriggered) return fault
        }
        return undefined
      })
    },
  }
}

function toFault({ id, endpoint, account_id, rule, met, fired, created_at }: FaultRow): FaultRecord {
  return {
    ...(JSON.parse(rule) as FaultRule),
    id,
    endpoint,
    ...(account_id !== null && { account: account_id }),
    met,
    fired,
    created_at,
  }
}

function matchesSubject({ endpoint, account, where, times, fired }: FaultRecord, subject: FaultSubject): boolean {
  if (times !== undefined && fired >= times) return false
  if (account !== undefined && account !== subject.account) return false
  if (endpoint !== '*' && endpoint !== subject.endpoint && endpoint !== `${subject.endpoint.split('.')[0]}.*`)
    return false
  return Object.entries(where).every(([path, value]) => hasSameText(valueAt(subject.fields, path), value))
}

/** `12` and `"12"` are the same: a query has no numbers. */
const hasSameText = (a: unknown, b: unknown): boolean => a !== undefined && toText(a) === toText(b)
const toText = (it: unknown): string => (typeof it === 'object' ? JSON.stringify(it) : String(it))

function valueAt(fields: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (it, key) =>
        typeof it === 'object' && it !== null && Object.hasOwn(it, key)
          ? (it as Record<string, unknown>)[key]
          : undefined,
      fields,
    )
}

/** Whether the next request is struck: drawn from the seed and the number of requests before it, so that a run can be had again. */
function isSelected({ probability, seed, met }: FaultRecord): boolean {
  if (probability >= 1) return true
  const sample = createHash('sha256').update(`${seed} ${met}`).digest().readUInt32BE(0)
  return sample / 2 ** 32 < probability
}
