import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { isAlive } from '../platform/platform-api.ts'
import { read } from '../sources.ts'
import { freePorts, newFolder, systemPostgres } from './postgres-process.ts'
import { order } from './postgres-server.ts'
import { findProgram, folderWith, howToGet, type RunningProgram, startProgram } from './system-programs.ts'

/** Packages of Debian that a cluster with failover needs. */
const packages = [
  'patroni',
  'python3-etcd',
  'python3-psycopg2',
  'etcd-server',
  'haproxy',
  'pgbouncer',
  'postgresql-15',
] as const

/**
 * How the primary fails: PostgreSQL alone is killed with SIGKILL, or also its Patroni and etcd, as when a machine loses its power, or
 * all three hang with SIGSTOP, as when a virtual machine is paused.
 */
export type Failure = 'PostgreSQL killed' | 'machine killed' | 'machine paused'

/** What happens one after the other until writes succeed again, each with the milliseconds since the failure; undefined if it was not seen. */
export interface FailoverPhases {
  /** Another machine has the lock of the primary. */
  readonly locked: number | undefined
  /** It accepts writes. */
  readonly promoted: number | undefined
  /** Connections through HAProxy lead to it. */
  readonly reached: number | undefined
  /** A standby follows it synchronously, so that its transactions end. */
  readonly followed: number | undefined
  /** Number of elections of etcd: each one lets all locks live as long again. */
  readonly elections: number
}

/** A machine of the cluster. */
interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
}

/** Three PostgreSQL with Patroni and etcd, with the delivered files, and HAProxy, whose address leads to the primary. */
export interface PatroniCluster {
  /** URL of the maintenance database of the primary. */
  readonly url: string
  /** Lets the primary fail; killed sessions have ended then. Returns its name, and a function that ends watching what follows. */
  failPrimary(how: Failure): Promise<{ readonly name: string; readonly phases: () => FailoverPhases }>
  /** Starts what was killed and continues what was paused. Waits until one is the primary and the two others follow it, one of them synchronously. */
  heal(): Promise<void>
  /** Returns what the members say, and the ends of their logs. */
  describe(): Promise<string>
  stop(): void
}

const names = ['postgres-1', 'postgres-2', 'postgres-3'] as const
/** Milliseconds until all members are back. */
const healMs = 180_000

/** Returns what is missing on this machine for such a cluster, and how to get it; undefined if nothing is. */
export function findMissing(): string | undefined {
  const programs = ['patroni', 'etcd', 'haproxy', 'pgbouncer'].filter((it) => !findProgram(it))
  if (!systemPostgres()) programs.push('postgres')
  return programs.length === 0 ? undefined : `${programs.join(', ')} not found. ${howToGet(packages)}`
}

/** Returns whether the Patroni of this machine checks, after it has hung, that no other machine was promoted: its versions from 3.1 on. */
export async function isSafeWhenPaused(): Promise<{ readonly version: string; readonly isSafe: boolean }> {
  const { file, env } = findProgram('patroni') ?? {}
  if (file === undefined) throw new Error('patroni is missing.')
  const { stdout } = await promisify(execFile)(file, ['--version'], { env: { ...env } })
  const [, version = '', major = 0, minor = 0] = /((\d+)\.(\d+)\S*)/.exec(stdout) ?? []
  return { version, isSafe: Number(major) > 3 || (Number(major) === 3 && Number(minor) >= 1) }
}

/** Starts the cluster on loopback. Call it only if nothing is missing. */
export async function startPatroniCluster(): Promise<PatroniCluster> {
  const program = (name: string) => {
    const found = findProgram(name)
    if (!found) throw new Error(`${name} is missing.`)
    return found
  }
  const password = randomBytes(12).toString('hex')
  const first = await freePorts(13)
  const ports = names.map((_, n) => ({
    client: first + 4 * n,
    peer: first + 4 * n + 1,
    api: first + 4 * n + 2,
    postgres: first + 4 * n + 3,
  }))
  const entry = first + 12
  const running: RunningProgram[] = []
  const here = (port: number): string => `127.0.0.1:${port}`
  const url = `postgres://postgres:${password}@${here(entry)}/postgres`

  const etcds = names.map((name, n) => {
    const { client, peer } = ports[n] as (typeof ports)[0]
    const folder = newFolder()
    let etcd: RunningProgram | undefined
    return {
      log: () => etcd?.log() ?? '',
      kill: (): void => void etcd?.process.kill('SIGKILL'),
      processes: (): number[] => (etcd ? [etcd.process.pid ?? 0] : []),
      stop: (): void => etcd?.stop(),
      async start(): Promise<void> {
        if (isRunning(etcd)) return
        etcd = await startProgram(program('etcd'), [], {
          folder,
          variables: {
            ...variablesOf(read('deploy/high-availability/etcd.env')),
            ETCD_NAME: name,
            ETCD_DATA_DIR: join(folder, 'data'),
            ETCD_LISTEN_CLIENT_URLS: `http://${here(client)}`,
            ETCD_ADVERTISE_CLIENT_URLS: `http://${here(client)}`,
            ETCD_LISTEN_PEER_URLS: `http://${here(peer)}`,
            ETCD_INITIAL_ADVERTISE_PEER_URLS: `http://${here(peer)}`,
            ETCD_INITIAL_CLUSTER: names.map((it, other) => `${it}=http://${here(ports[other]?.peer ?? 0)}`).join(','),
          },
          isReady: async () => (await fetch(`http://${here(client)}/health`)).ok,
        })
      },
    }
  })
  await Promise.all(etcds.map((it) => it.start()))

  const postgres = systemPostgres()
  const settings = folderWith({ 'patroni.yml': read('deploy/high-availability/patroni.yml') })
  const members = names.map((name, n) => {
    const { api, postgres: port } = ports[n] as (typeof ports)[0]
    const folder = newFolder()
    const data = join(folder, 'data')
    let patroni: RunningProgram | undefined
    let paused: readonly number[] = []
    const postmaster = (): number => {
      const file = join(data, 'postmaster.pid')
      return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0
    }
    return {
      name,
      api,
      log: () => patroni?.log() ?? '',
      async start(): Promise<void> {
        for (const pid of paused) signal(pid, 'SIGCONT')
        paused = []
        if (isRunning(patroni)) return
        patroni = await startProgram(program('patroni'), [join(settings, 'patroni.yml')], {
          folder,
          variables: {
            PATRONI_NAME: name,
            PATRONI_ETCD3_HOSTS: ports.map((it) => here(it.client)).join(','),
            PATRONI_RESTAPI_LISTEN: here(api),
            PATRONI_RESTAPI_CONNECT_ADDRESS: here(api),
            PATRONI_POSTGRESQL_LISTEN: here(port),
            PATRONI_POSTGRESQL_CONNECT_ADDRESS: here(port),
            PATRONI_POSTGRESQL_DATA_DIR: data,
            PATRONI_POSTGRESQL_BIN_DIR: join(postgres?.postgres ?? '', '..'),
            PATRONI_POSTGRESQL_PGPASS: join(folder, 'pgpass'),
            PATRONI_SUPERUSER_PASSWORD: password,
            PATRONI_REPLICATION_PASSWORD: password,
          },
          isReady: async () => (await fetch(`http://${here(api)}/liveness`)).status > 0,
        })
      },
      async fail(how: Failure): Promise<void> {
        const sessions = await childrenOf(postmaster())
        if (how === 'machine paused') {
          const first = [patroni?.process.pid ?? 0, postmaster(), ...(etcds[n]?.processes() ?? [])]
          // A session that starts before its parent is paused is paused, too.
          for (const pid of first) signal(pid, 'SIGSTOP')
          paused = [...first, ...(await childrenOf(postmaster()))]
          for (const pid of paused) signal(pid, 'SIGSTOP')
          return
        }
        if (how === 'machine killed') {
          patroni?.process.kill('SIGKILL')
          etcds[n]?.kill()
        }
        signal(postmaster(), 'SIGKILL')
        if (how === 'machine killed') for (const pid of sessions) signal(pid, 'SIGKILL')
        // They end when they notice that the process that started them is gone. Until then, one of them may still answer.
        while (sessions.some(isAlive)) await sleep(10)
      },
      stop(): void {
        patroni?.process.kill('SIGKILL')
        for (const pid of paused) signal(pid, 'SIGCONT')
        signal(postmaster(), 'SIGQUIT')
        rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
      },
    }
  })

  /** Returns the members as one that runs sees them. */
  async function seen(): Promise<readonly Member[]> {
    for (const { api } of members)
      try {
        const answer = await fetch(`http://${here(api)}/cluster`, { signal: AbortSignal.timeout(3000) })
        return ((await answer.json()) as { members: Member[] }).members
      } catch {
        // Another one may answer.
      }
    return []
  }
  const isWhole = (list: readonly Member[]): boolean =>
    list.length === names.length &&
    list.filter((it) => it.role === 'leader').length === 1 &&
    list.some((it) => it.role === 'sync_standby') &&
    list.every((it) => it.state === 'running' || it.state === 'streaming')
  const describe = async (): Promise<string> =>
    [
      JSON.stringify(await seen()),
      ...members.map((it, n) => `--- ${it.name}\n${it.log().slice(-6000)}\n--- etcd\n${etcds[n]?.log().slice(-2000)}`),
    ].join('\n')
  /** Returns whether both standbys follow now. What members say of themselves is some seconds old. */
  async function isReplicated(): Promise<boolean> {
    const rows = await order(url, "select sync_state from pg_stat_replication where state = 'streaming'")
    const states = (rows as { sync_state: string }[]).map((it) => it.sync_state)
    return states.length === names.length - 1 && states.includes('sync')
  }
  async function heal(): Promise<void> {
    for (const late = performance.now() + healMs; ; await sleep(500)) {
      for (const etcd of etcds) await etcd.start()
      for (const member of members) await member.start()
      if (isWhole(await seen()) && (await isReplicated().catch(() => false))) return
      if (performance.now() > late) throw new Error(`The cluster is not whole: ${await describe()}`)
    }
  }
  /** Returns who has the lock of the primary, and the term of etcd, which increases with each election. */
  async function readLock(): Promise<{ readonly holder: string | undefined; readonly term: number } | undefined> {
    for (const { client } of ports)
      try {
        const answer = await fetch(`http://${here(client)}/v3/kv/range`, {
          method: 'POST',
          body: JSON.stringify({ key: Buffer.from('/service/parley/leader').toString('base64') }),
          signal: AbortSignal.timeout(1000),
        })
        if (!answer.ok) continue
        const { header, kvs } = (await answer.json()) as {
          readonly header: { readonly raft_term: string }
          readonly kvs?: readonly { readonly value: string }[]
        }
        const value = kvs?.[0]?.value
        return {
          holder: value === undefined ? undefined : Buffer.from(value, 'base64').toString(),
          term: Number(header.raft_term),
        }
      } catch {
        // Another one may answer.
      }
    return undefined
  }
  /** Watches what follows the failure of a primary, until the returned function is called. */
  function watch(failed: string, term: number): () => FailoverPhases {
    const began = performance.now()
    const seenAt: Partial<Record<keyof FailoverPhases, number>> = {}
    let lastTerm = term
    let isOver = false
    const note = (phase: keyof FailoverPhases): void => {
      seenAt[phase] ??= performance.now() - began
    }
    async function look(): Promise<void> {
      const lock = await readLock()
      if (lock) lastTerm = Math.max(lastTerm, lock.term)
      if (lock?.holder === undefined || lock.holder === failed) return
      note('locked')
      const api = members.find((it) => it.name === lock.holder)?.api
      const answer = await fetch(`http://${here(api ?? 0)}/patroni`, { signal: AbortSignal.timeout(1000) })
      const { role, replication } = (await answer.json()) as {
        readonly role: string
        readonly replication?: readonly { readonly sync_state: string }[]
      }
      if (role === 'master' || role === 'primary') note('promoted')
      if (replication?.some((it) => it.sync_state === 'sync')) note('followed')
      if (seenAt.reached !== undefined) return
      const [row] = await order(url, 'select pg_is_in_recovery() as is_standby')
      if ((row as { readonly is_standby: boolean }).is_standby === false) note('reached')
    }
    void (async () => {
      for (; !isOver; await sleep(200)) await look().catch(() => {})
    })()
    return () => {
      isOver = true
      const { locked, promoted, reached, followed } = seenAt
      return { locked, promoted, reached, followed, elections: lastTerm - term }
    }
  }
  const stop = (): void => {
    process.off('exit', stop)
    for (const member of members) member.stop()
    for (const program of [...running, ...etcds]) program.stop()
    rmSync(settings, { recursive: true, force: true })
  }
  // What Patroni has started does not end with it.
  process.once('exit', stop)

  try {
    const folder = folderWith({ 'haproxy.cfg': read('deploy/high-availability/haproxy-postgres.cfg') })
    const haproxy = await startProgram(program('haproxy'), ['-db', '-f', join(folder, 'haproxy.cfg')], {
      folder,
      variables: Object.fromEntries([
        ['POSTGRES_LISTEN', here(entry)],
        ...ports.flatMap((port, n) => [
          [`POSTGRES_${n + 1}`, '127.0.0.1'],
          [`POSTGRES_PORT_${n + 1}`, String(port.postgres)],
          [`PATRONI_PORT_${n + 1}`, String(port.api)],
        ]),
      ]),
      isReady: async () => true,
    })
    running.push(haproxy)
    await heal()
  } catch (error) {
    stop()
    throw error
  }
  return {
    url,
    async failPrimary(how) {
      const answers = await Promise.all(
        members.map(({ api }) => fetch(`http://${here(api)}/primary`).then((it) => it.ok)),
      )
      const member = members[answers.indexOf(true)]
      if (!member) throw new Error(`The cluster has no primary: ${await describe()}`)
      const term = (await readLock())?.term ?? 0
      const phases = watch(member.name, term)
      await member.fail(how)
      return { name: member.name, phases }
    },
    heal,
    describe,
    stop,
  }
}

const isRunning = (program: RunningProgram | undefined): boolean =>
  program !== undefined && program.process.exitCode === null && program.process.signalCode === null

/** Returns the variables of a file of `NAME=value`. */
const variablesOf = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]))

/** Returns the processes that a process has started. */
async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'pid=', '--ppid', String(pid)])
  return stdout.trim().split(/\s+/).map(Number)
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    if (pid > 0) process.kill(pid, name)
  } catch {
    // It has ended already.
  }
}
