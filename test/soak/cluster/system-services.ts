import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../support/servers/postgres-process.ts'
import { databaseUrl, order } from '../../support/servers/postgres-server.ts'
import { findProgram, folderWith, startProgram } from '../../support/servers/system-programs.ts'
import { read } from '../../support/sources.ts'

/** A program from a package of the system, between clients and servers, with the file of its settings that is delivered. */
export interface Service {
  readonly url: string
  stop(): void
}

/** Creates the role and the database of the servers, with deploy/postgres.sql. Returns its URL. */
export async function createServersDatabase(postgres: string): Promise<string> {
  const password = randomBytes(12).toString('hex')
  await order(postgres, `create role parley login password '${password}'`)
  await order(postgres, read('deploy/postgres.sql'))
  await order(postgres, "create database parley owner parley encoding 'UTF8' template template0")
  const url = new URL(databaseUrl(postgres, 'parley'))
  url.username = 'parley'
  url.password = password
  return url.href
}

/** Starts PgBouncer with a delivered file in front of a database; undefined if it is not installed. */
export async function startPgBouncer(
  database: string,
  settings = 'deploy/pgbouncer.ini',
): Promise<Service | undefined> {
  const program = findProgram('pgbouncer')
  if (!program) return undefined
  const port = await freePort()
  const url = new URL(database)
  url.port = String(port)
  const { hostname, port: to } = new URL(database)
  const folder = folderWith({ 'users.txt': `"${url.username}" "${url.password}"\n` })
  /** Returns a delivered file with addresses of this machine in the place of its own. */
  const placed = (file: string): string =>
    read(file)
      .replaceAll('/etc/pgbouncer/parley.ini', join(folder, 'parley.ini'))
      .replaceAll('/etc/pgbouncer/userlist.txt', join(folder, 'users.txt'))
      .replace(/^listen_addr = .*/m, 'listen_addr = 127.0.0.1')
      .replace(/^listen_port = .*/m, `listen_port = ${port}`)
      .replace(/^\* = .*/m, `* = host=${hostname} port=${to}`)
  writeFileSync(join(folder, 'parley.ini'), placed('deploy/pgbouncer.ini'))
  writeFileSync(join(folder, 'pgbouncer.ini'), placed(settings))
  const running = await startProgram(program, [join(folder, 'pgbouncer.ini')], {
    folder,
    isReady: async () => (await order(url.href, 'select')).length === 1,
  })
  // A mistake in the files would leave defaults, with which everything works until something fails.
  const config = await order(databaseUrl(url.href, 'pgbouncer'), 'show config')
  const wanted = { pool_mode: 'transaction', server_login_retry: '1', default_pool_size: '30' }
  const found = Object.fromEntries((config as { key: string; value: string }[]).map((it) => [it.key, it.value]))
  for (const [name, value] of Object.entries(wanted))
    if (found[name] !== value) throw new Error(`PgBouncer has ${name} = ${found[name]} instead of ${value}.`)
  return { url: url.href, stop: () => running.stop() }
}

/** Starts HAProxy with deploy/haproxy.cfg in front of three servers; undefined if it is not installed. */
export async function startHaproxy(servers: readonly { readonly url: string }[]): Promise<Service | undefined> {
  const program = findProgram('haproxy')
  if (!program) return undefined
  const listen = `127.0.0.1:${await freePort()}`
  const folder = folderWith({ 'haproxy.cfg': read('deploy/haproxy.cfg') })
  const running = await startProgram(program, ['-db', '-f', join(folder, 'haproxy.cfg')], {
    folder,
    variables: {
      PROXY_LISTEN: listen,
      ...Object.fromEntries(servers.map((it, n) => [`PROXY_SERVER_${n + 1}`, new URL(it.url).host])),
    },
    isReady: async () => (await fetch(`http://${listen}/readyz`)).ok,
  })
  return { url: `http://${listen}`, stop: () => running.stop() }
}
