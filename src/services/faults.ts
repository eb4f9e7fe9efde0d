import { createHash } from 'node:crypto'
import { Failure } from '../contract/errors.ts'
import type { FaultRule } from '../contract/faults.ts'
import { findAccount } from '../store/accounts.ts'
import { clearFaults, countFault, deleteFault, type FaultRow, insertFault, listFaults, noteFaults } from '../store/faults.ts'
import type { Deps } from './deps.ts'

/** A rule with what became of it. */
export type KeptFault = FaultRule & Pick<FaultRow, 'id' | 'met' | 'fired' | 'created_at'>

/** What a rule may ask of a request. */
export interface Suspect {
  /** Name of the endpoint. */
  readonly endpoint: string
  /** 0 where nobody signs in. */
  readonly account: number
  /** Path, query and body fields side by side, as they were sent. */
  readonly fields: Readonly<Record<string, unknown>>
}

export function faultService({ connection, clock }: Pick<Deps, 'connection' | 'clock'>) {
  return {
    list: async (): Promise<KeptFault[]> => (await listFaults(connection.read)).map(toFault),

    /** @throws Failure `accounts.not_found` */
    add: (rule: FaultRule): Promise<KeptFault> =>
      connection.write(async (query) => {
        const { endpoint, account, ...rest } = rule
        if (account !== undefined && !(await findAccount(query, account))) throw new Failure('accounts.not_found')
        const created_at = await clock.now(query)
        const row = await insertFault(query, { endpoint, account_id: account ?? null, rule: JSON.stringify(rest), met: 0, fired: 0, created_at })
        await noteFaults(query)
        return toFault(row)
      }),

    /** @throws Failure `faults.not_found` */
    remove: (id: number): Promise<void> =>
      connection.write(async (query) => {
        if (!(await deleteFault(query, id))) throw new Failure('faults.not_found')
        await noteFaults(query)
      }),

    /** How many there were. */
    clear: (): Promise<number> =>
      connection.write(async (query) => {
        const cleared = await clearFaults(query)
        await noteFaults(query)
        return cleared
      }),

    /** The rule that strikes this request, if one does: the first that is about it and is not spent. Each that was asked is counted, by every process in turn. */
    async strike(suspect: Suspect): Promise<KeptFault | undefined> {
      const isSuspect = (it: KeptFault): boolean => isAbout(it, suspect)
      if (!(await this.list()).some(isSuspect)) return undefined
      return connection.write(async (query) => {
        for (const fault of (await listFaults(query)).map(toFault).filter(isSuspect)) {
          const struck = isDrawn(fault)
          await countFault(query, fault.id, struck)
          if (struck) return fault
        }
        return undefined
      })
    },
  }
}

function toFault({ id, endpoint, account_id, rule, met, fired, created_at }: FaultRow): KeptFault {
  return { ...(JSON.parse(rule) as FaultRule), id, endpoint, ...(account_id !== null && { account: account_id }), met, fired, created_at }
}

function isAbout({ endpoint, account, where, times, fired }: KeptFault, suspect: Suspect): boolean {
  if (times !== undefined && fired >= times) return false
  if (account !== undefined && account !== suspect.account) return false
  if (endpoint !== '*' && endpoint !== suspect.endpoint && endpoint !== `${suspect.endpoint.split('.')[0]}.*`) return false
  return Object.entries(where).every(([path, value]) => isSame(valueAt(suspect.fields, path), value))
}

/** `12` and `"12"` are the same: a query has no numbers. */
const isSame = (a: unknown, b: unknown): boolean => a !== undefined && wordOf(a) === wordOf(b)
const wordOf = (it: unknown): string => (typeof it === 'object' ? JSON.stringify(it) : String(it))

function valueAt(fields: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((it, key) => (typeof it === 'object' && it !== null && Object.hasOwn(it, key) ? (it as Record<string, unknown>)[key] : undefined), fields)
}

/** Whether the next request is struck: drawn from the seed and the number of requests before it, so that a run can be had again. */
function isDrawn({ probability, seed, met }: KeptFault): boolean {
  if (probability >= 1) return true
  const drawn = createHash('sha256').update(`${seed} ${met}`).digest().readUInt32BE(0)
  return drawn / 2 ** 32 < probability
}
