import { createHash } from 'node:crypto'
import { platform } from '../../../contract/control/platform.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { Context } from '../../program/context.ts'
import { describeTime } from '../../program/output/time.ts'

/** What a command that replaces all data of a platform deletes. */
export interface LostData {
  /** Number of records of each kind: `assistants`. */
  readonly counts: Readonly<Record<string, number>>
  /** Time of the newest record. */
  readonly newest: string | undefined
  /** Compared before and after the question, in memory only: free to change. */
  readonly hash: string
}

/**
 * Reads what is lost, if a person will be asked. Undefined otherwise, and if it cannot be read, for example from a damaged
 * database. Commands that replace all data read it before and after the question, so that the consent is for what is lost
 * then.
 */
export async function readLostData(context: Context): Promise<LostData | undefined> {
  if (!context.interactive) return undefined
  const exported = await context.call(platform.export, {}).catch(() => undefined)
  if (!exported) return undefined
  const accounts = (exported.data.accounts ?? []) as readonly Readonly<Record<string, unknown>>[]
  const counts: Record<string, number> = { accounts: accounts.length }
  for (const account of accounts)
    for (const [kind, records] of Object.entries(account))
      if (Array.isArray(records) && records.length > 0) counts[kind] = (counts[kind] ?? 0) + records.length
  const times: string[] = []
  // The last use of a key does not count.
  const text = stringifyJson(accounts, (name: string, value: unknown) => {
    if (name === 'created_at' && typeof value === 'string') times.push(value)
    return name === 'last_used_at' ? undefined : value
  })
  return { counts, newest: times.sort().at(-1), hash: createHash('sha256').update(text).digest('hex') }
}

/** Returns what is lost, for a question: ` (1 account, 4 tools; newest record: 2026-08-04 10:12 UTC)`; empty if it was not read. */
export function lostDataText({ interactive }: Context, lost: LostData | undefined): string {
  if (!lost) return interactive ? ' (its records cannot be read)' : ''
  if (lost.counts.accounts === 0) return ' (no records)'
  const counts = Object.entries(lost.counts).map(([kind, n]) => `${n} ${n === 1 ? kind.replace(/s$/, '') : kind}`)
  const newest = lost.newest === undefined ? '' : `; newest record: ${describeTime(lost.newest)}`
  return ` (${counts.join(', ').replaceAll('_', ' ')}${newest})`
}

/** Returns a sentence for each change of the data while a question was open. */
export function describeDataChanges(agreed: LostData | undefined, current: LostData | undefined): string[] {
  if (agreed?.hash === current?.hash) return []
  const kinds = [...new Set([...Object.keys(agreed?.counts ?? {}), ...Object.keys(current?.counts ?? {})])]
  const [before, after] = [agreed, current].map((it) => (kind: string) => it?.counts[kind] ?? 0)
  const lines = kinds.flatMap((kind) =>
    before?.(kind) === after?.(kind) ? [] : [`${kind.replaceAll('_', ' ')}: ${before?.(kind)} -> ${after?.(kind)}`],
  )
  return [
    `The data of the platform was changed while the question was open${lines.length > 0 ? `: ${lines.join(', ')}` : ''}.`,
  ]
}
