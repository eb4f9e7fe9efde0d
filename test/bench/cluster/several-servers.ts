import { cpus } from 'node:os'
import { type Measurement, measure, type Sent, warm } from '../alternating-rounds.ts'
import { type Figure, least, limit, median } from '../measurements.ts'
import type { Running } from '../processes.ts'

const section = 'cluster'

/** Connections of the load on several servers together. */
const sharedConnections = 18

/** Three servers, and what is sent to them. */
interface Group {
  readonly what: string
  readonly servers: readonly Running[]
  readonly sent: readonly Sent[]
  /** Start of a statement that is run once for each COMMIT. */
  readonly commit: string
}

interface SeveralServersOptions {
  readonly rounds: number
  readonly roundMs: number
  /** Returns how often the database ran statements that start with a text. */
  readonly countCommits: (commit: string) => Promise<number>
  readonly say: (text: string) => void
}

/** What a request of a load needs on average, whatever server answers it. */
interface Needs extends Pick<Measurement, 'cpuUs' | 'writes' | 'pauses'> {
  readonly commits: number
}

/**
 * CPU time of a request with two and three servers against one: when they share the connections of the one, and when each
 * has as many as it. The connections write to the same accounts in the same proportion, whatever server they use. The
 * same load on sketches shows what more processes on the same cores cost without any other reason. Counts say how much of
 * it requests share: COMMITs, writes to sockets, and pauses, each of which ends with a wake-up.
 */
export async function severalServers(
  ours: Group,
  sketch: Group,
  { rounds, roundMs, countCommits, say }: SeveralServersOptions,
): Promise<Figure[]> {
  const loads = [
    { servers: 1, connections: sharedConnections, what: '' },
    ...[2, 3].map((n) => ({ servers: n, connections: sharedConnections / n, what: `${n} servers / 1` })),
    ...[2, 3].map((n) => ({
      servers: n,
      connections: sharedConnections,
      what: `${n} servers with as many clients each / 1`,
    })),
  ]
  const measured = [ours, sketch].map((group) => ({
    group,
    loads: loads.map(() => ({ rates: [] as number[], needs: [] as Needs[] })),
  }))
  // The second and third server of the program have answered nothing yet.
  for (const { servers, sent } of [ours, sketch]) for (const server of servers) await warm({ server, sent })
  for (let round = -1; round < rounds; round++)
    for (const [at, { servers: n, connections }] of loads.entries())
      for (const { group, loads: found } of measured) {
        const commitsBefore = await countCommits(group.commit)
        const done = await Promise.all(
          group.servers
            .slice(0, n)
            .map((server, k) => measure({ server, sent: rotate(group.sent, k * connections) }, roundMs, connections)),
        )
        const commits = (await countCommits(group.commit)) - commitsBefore
        if (round < 0) continue
        const requests = done.reduce((sum, it) => sum + it.requests, 0)
        const mean = (of: 'cpuUs' | 'writes' | 'pauses'): number =>
          done.reduce((sum, it) => sum + it[of] * it.requests, 0) / requests
        found[at]?.rates.push(done.reduce((sum, it) => sum + it.perSecond, 0))
        found[at]?.needs.push({
          cpuUs: mean('cpuUs'),
          writes: mean('writes'),
          pauses: mean('pauses'),
          commits: commits / requests,
        })
      }
  if (cpus().length < 8) say('  Speed-up of several servers: skipped, it needs 8 cores; this machine has fewer.')
  const needs = loads.flatMap(({ what }, at) =>
    measured.flatMap(({ group, loads: found }) => {
      const of = (name: keyof Needs): number => median(found[at]?.needs.map((it) => it[name]) ?? [])
      return [
        {
          section,
          what: `${group.what}, CPU of a request, ${what === '' ? '1 server' : what.replace(' / 1', '')}`,
          value: of('cpuUs'),
          unit: 'us' as const,
        },
        ...(['commits', 'writes', 'pauses'] as const).map((name) => ({
          section,
          what: `  ${names[name]} of a request`,
          value: of(name),
          unit: 'x' as const,
        })),
      ]
    }),
  )
  const ratios = loads.slice(1).flatMap(({ servers: n, what }, at) =>
    measured.flatMap(({ group, loads: found }) => {
      const [one, another] = [found[0], found[at + 1]]
      const cpuOf = (load: typeof one): number => median(load?.needs.map((it) => it.cpuUs) ?? [])
      const isOurs = group === ours
      return [
        {
          section,
          what: `${group.what}, CPU of a request, ${what}`,
          value: cpuOf(another) / cpuOf(one),
          unit: 'x' as const,
          ...(isOurs && { budget: limit(n === 2 ? 1.15 : 1.3) }),
        },
        {
          section,
          what: `${group.what}, requests a second, ${what}`,
          value: median(another?.rates ?? []) / median(one?.rates ?? []),
          unit: 'x' as const,
          ...(isOurs && cpus().length >= 8 && { budget: least(n === 2 ? 1.8 : 2.5) }),
        },
      ]
    }),
  )
  return [...needs, ...ratios]
}

const names = { commits: 'COMMITs', writes: 'writes to sockets', pauses: 'pauses' } as const

/** Returns a list that starts at another place. */
const rotate = <T>(list: readonly T[], by: number): T[] => {
  const at = by % list.length
  return [...list.slice(at), ...list.slice(0, at)]
}
