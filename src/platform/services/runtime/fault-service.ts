import type { FaultRule } from '../../../contract/control/faults.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import { crypto } from '../../../node/crypto.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
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

/** A fault rule with its counters. */
export type FaultRecord = FaultRule & Pick<FaultRow, 'id' | 'met' | 'fired' | 'created_at'>

/** The properties of a request that fault rules match. */
interface FaultSubject {
  /** Name of the endpoint. */
  readonly endpoint: string
  /** Id of the account; 0 without authentication. */
  readonly account: number
  /** Path, query and body fields in one object, as they were sent. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** Manages and applies fault rules. Changes of rules also change the clock, which does not change while a lock is held. */
export function faultService({ connection, clock }: Pick<Deps, 'connection' | 'clock'>) {
  return {
    list: async (): Promise<FaultRecord[]> => (await listFaults(connection.read)).map(toFault),

    /** Adds a fault rule. @throws Failure `accounts.not_found` */
    add: (rule: FaultRule): Promise<FaultRecord> =>
      connection.write('everything', async (query) => {
        const { endpoint, account, ...rest } = rule
        if (account !== undefined && !(await findAccount(query, account))) throw new Failure('accounts.not_found')
        const created_at = await clock.now(query)
        const row = await insertFault(query, {
          endpoint,
          account_id: account ?? null,
          rule: stringifyJson(rest),
          met: 0,
          fired: 0,
          created_at,
        })
        await updateFaultCount(query)
        return toFault(row)
      }),

    /** Removes a fault rule. @throws Failure `faults.not_found` */
    remove: (id: number): Promise<void> =>
      connection.write('everything', async (query) => {
        if (!(await deleteFault(query, id))) throw new Failure('faults.not_found')
        await updateFaultCount(query)
      }),

    /** Removes all fault rules. Returns how many there were. */
    clear: (): Promise<number> =>
      connection.write('everything', async (query) => {
        const cleared = await clearFaults(query)
        await updateFaultCount(query)
        return cleared
      }),

    /** Returns whether a rule may trigger for some request to an endpoint. */
    async hasRule(subject: Omit<FaultSubject, 'fields'>): Promise<boolean> {
      return (await this.list()).some((it) => matchesSubject({ ...it, where: {} }, { ...subject, fields: {} }))
    },

    /**
     * Returns the first matching rule that triggers for a request and is not exhausted, if any. Each rule that was
     * evaluated counts the request. The counters are shared by all processes.
     */
    async trigger(subject: FaultSubject): Promise<FaultRecord | undefined> {
      const isMatch = (it: FaultRecord): boolean => matchesSubject(it, subject)
      if (!(await this.list()).some(isMatch)) return undefined
      // One match after the other, because a rule may trigger only so many times.
      return connection.write({ name: 'fault rules' }, async (query) => {
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
    ...parseJson(rule),
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

/** Compares values as text: `12` equals `"12"`, because a query contains no numbers. */
const hasSameText = (a: unknown, b: unknown): boolean => a !== undefined && toText(a) === toText(b)
const toText = (it: unknown): string => (typeof it === 'object' ? stringifyJson(it) : String(it))

function valueAt(fields: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (it, key) => (typeof it === 'object' && it !== null && Object.hasOwn(it, key) ? Reflect.get(it, key) : undefined),
      fields,
    )
}

/**
 * Returns whether a rule triggers for the next request. The decision derives from the seed and the number of requests
 * before, so that a run can be reproduced: tests of users rely on it, so the text that is hashed never changes.
 */
function isSelected({ probability, seed, met }: FaultRecord): boolean {
  if (probability >= 1) return true
  const sample = crypto().createHash('sha256').update(`${seed} ${met}`).digest().readUInt32BE(0)
  return sample / 2 ** 32 < probability
}

/** Fails a step of a provider when a fault rule triggers, as if the provider were unreachable. @throws Error */
export async function throwProviderFault(deps: Pick<Deps, 'connection' | 'clock'>, step: string): Promise<void> {
  const service = faultService(deps)
  if (!(await service.list()).some((it) => it.endpoint === step)) return
  const fault = await service.trigger({ endpoint: step, account: 0, fields: {} })
  if (fault) throw new Error(fault.text ?? `The provider did not answer (${step}).`)
}
