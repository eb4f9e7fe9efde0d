import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '../../support/servers/postgres-process.ts'

/** A program from a package of the system, between clients and servers. */
export interface Service {
  readonly url: string
  stop(): void
}

const folders = ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin']
const programOf = (name: string): string | undefined => folders.map((it) => join(it, name)).find((it) => existsSync(it))

/** PgBouncer refuses to run as root. */
const anonymous = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

async function start(
  program: string,
  { args, config, isReady }: { args: (file: string) => string[]; config: string; isReady: () => Promise<boolean> },
): Promise<{ stop(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-service-'))
  chmodSync(folder, 0o755)
  const file = join(folder, 'service.cfg')
  writeFileSync(file, config)
  let log = ''
  const child: ChildProcess = spawn(program, args(file), { ...anonymous, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (log = (log + chunk).slice(-4000)))
  const orphaned = (): void => void child.kill('SIGKILL')
  process.once('exit', orphaned)
  for (let tries = 0; !(await isReady().catch(() => false)); tries++) {
    if (child.exitCode !== null || tries > 400) throw new Error(`${program} did not start: ${log}`)
    await sleep(50)
  }
  return {
    stop() {
      process.off('exit', orphaned)
      child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Starts PgBouncer in transaction mode in front of a database; undefined if it is not installed. */
export async function startPgBouncer(database: string): Promise<Service | undefined> {
  const program = programOf('pgbouncer')
  if (!program) return undefined
  const { hostname, port: to, pathname, username } = new URL(database)
  const port = await freePort()
  const url = new URL(database)
  url.port = String(port)
  const users = join(mkdtempSync(join(tmpdir(), 'parley-users-')), 'users.txt')
  writeFileSync(users, `"${username}" ""\n`)
  chmodSync(join(users, '..'), 0o755)
  const config = `[databases]
* = host=${hostname} port=${to}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = transaction
max_client_conn = 500
default_pool_size = 40
server_login_retry = 1
ignore_startup_parameters = extra_float_digits, options, statement_timeout, idle_in_transaction_session_timeout
`
  const running = await start(program, {
    args: (file) => [file],
    config,
    async isReady() {
      const client = new pg.Client({ connectionString: url.href })
      client.on('error', () => {})
      try {
        await client.connect()
        await client.query(`select '${pathname}'`)
        return true
      } finally {
        await client.end().catch(() => {})
      }
    },
  })
  return { url: url.href, stop: () => running.stop() }
}

/** Starts HAProxy in front of servers, with the checks of deploy/haproxy.cfg; undefined if it is not installed. */
export async function startHaproxy(servers: readonly { readonly url: string }[]): Promise<Service | undefined> {
  const program = programOf('haproxy')
  if (!program) return undefined
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const config = `defaults
    mode http
    option redispatch
    retries 2
    timeout connect 5s
    timeout client 70s
    timeout server 130s

frontend parley
    bind 127.0.0.1:${port}
    default_backend servers

backend servers
    balance leastconn
    option httpchk
    http-check send meth GET uri /readyz hdr host localhost
    http-check expect status 200
    default-server check inter 1s fall 2 rise 2
${servers.map((it, n) => `    server parley-${n + 1} ${new URL(it.url).host}`).join('\n')}
`
  const running = await start(program, {
    args: (file) => ['-db', '-f', file],
    config,
    isReady: async () => (await fetch(`${url}/readyz`)).ok,
  })
  return { url, stop: () => running.stop() }
}
