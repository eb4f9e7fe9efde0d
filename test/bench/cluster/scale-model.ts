// What one PostgreSQL and Citus can carry, computed from measured figures: nothing here was run at this size.

import type { Figure } from '../measurements.ts'

/** CPU time of the database for a request in microseconds: `npm run bench -- shards`, 8 clients, in docs/design/scale.md. */
const requests = {
  'GET one tool': { aDay: 200, plain: 80, coordinator: 318, worker: 191 },
  'POST lead': { aDay: 50, plain: 664, coordinator: 1313, worker: 2202 },
  'webhook, 4 steps': { aDay: 50, plain: 494, coordinator: 1114, worker: 1050 },
} as const

/** What an account stores: rows of the large tables as leads, with their indexes, and names on every node. */
const stored = { leads: 5000, leadBytes: 750, names: 10, nameBytes: 200 }

/** A machine of the database, and what of it may be used. */
const machine = { cores: 16, usable: 0.7, diskBytes: 4e12, memoryBytes: 128e9 }

/** The busiest minute compared with the mean, the part of the rows that is in use, and the requests a second of a server. */
const peak = 3
const hotPart = 0.1
const perServer = 1500
const sessionsPerServer = 10
const minWorkers = 2

interface Need {
  readonly perSecond: number
  readonly plainCores: number
  readonly coordinatorCores: number
  readonly workerCores: number
  readonly bytes: number
  readonly nameBytes: number
}

/** Returns what a number of accounts needs in the busiest minute. */
function needOf(accounts: number): Need {
  const kinds = Object.values(requests)
  const rate = (aDay: number): number => ((accounts * aDay) / 86_400) * peak
  const cores = (of: 'plain' | 'coordinator' | 'worker'): number =>
    kinds.reduce((sum, kind) => sum + (rate(kind.aDay) * kind[of]) / 1e6, 0) / machine.usable
  return {
    perSecond: kinds.reduce((sum, { aDay }) => sum + rate(aDay), 0),
    plainCores: cores('plain'),
    coordinatorCores: cores('coordinator'),
    workerCores: cores('worker'),
    bytes: accounts * stored.leads * stored.leadBytes,
    nameBytes: accounts * stored.names * stored.nameBytes,
  }
}

/** Returns the workers that are needed, and what decides their number. */
function workersOf({ workerCores, bytes, nameBytes }: Need): { readonly count: number; readonly because: string } {
  const needs = [
    ['processors', workerCores / machine.cores],
    ['disk', bytes / (machine.diskBytes - nameBytes)],
    ['memory', (bytes * hotPart) / machine.memoryBytes],
  ] as const
  const [because, most] = needs.reduce((a, b) => (b[1] > a[1] ? b : a))
  return { count: Math.max(minWorkers, Math.ceil(most)), because: most > minWorkers ? because : 'the minimum' }
}

/** Returns what one PostgreSQL lacks; undefined if it suffices. */
function plainLimit({ plainCores, bytes }: Need): string | undefined {
  if (bytes > machine.diskBytes) return 'disk'
  if (bytes * hotPart > machine.memoryBytes) return 'memory for the rows in use'
  return plainCores > machine.cores ? 'processors' : undefined
}

/** Returns what Citus with one coordinator lacks; undefined if it suffices. */
function shardedLimit(need: Need): string | undefined {
  const servers = Math.ceil(need.perSecond / perServer)
  if (need.coordinatorCores > machine.cores)
    return `processors of the coordinator: ${(need.coordinatorCores / machine.cores).toFixed(1)} times too few`
  if (servers * sessionsPerServer > 1000) return 'sessions of the coordinator: a pooler is needed'
  return undefined
}

/** Prints from how many accounts on shards are needed, and what is missing first. Returns no figures: it measures nothing. */
export function scaleModel(say: (text: string) => void): readonly Figure[] {
  const columns = (texts: readonly string[]): string =>
    texts
      .map((it, n) => it.padEnd(n === 0 ? 12 : 24))
      .join(' ')
      .trimEnd()
  say(columns(['accounts', 'requests a second', 'one PostgreSQL', 'Citus: workers', 'Citus: coordinator']))
  for (const accounts of [1000, 10_000, 100_000, 1_000_000, 10_000_000]) {
    const need = needOf(accounts)
    const { count, because } = workersOf(need)
    say(
      columns([
        accounts.toLocaleString('en-US'),
        need.perSecond.toFixed(0),
        plainLimit(need) ?? `enough (${need.plainCores.toFixed(1)} cores)`,
        `${count} (${because})`,
        shardedLimit(need) ?? `enough (${need.coordinatorCores.toFixed(1)} cores)`,
      ]),
    )
  }
  const first = (isOver: (need: Need) => boolean): number => {
    let [low, high] = [1, 1e9]
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (isOver(needOf(middle))) high = middle
      else low = middle
    }
    return Number(high.toPrecision(2))
  }
  const shown = (accounts: number): string => accounts.toLocaleString('en-US')
  say(`One PostgreSQL is not enough from ${shown(first((it) => plainLimit(it) !== undefined))} accounts on.`)
  say(`It would have enough processors for ${shown(first((it) => it.plainCores > machine.cores))}.`)
  say(`Citus with one coordinator is not enough from ${shown(first((it) => shardedLimit(it) !== undefined))} on.`)
  return []
}
