import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
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
  await order(postgres, 'create role parley login')
  await order(postgres, read('deploy/postgres.sql'))
  await order(postgres, "create database parley owner parley encoding 'UTF8' template template0")
  const url = new URL(databaseUrl(postgres, 'parley'))
  url.username = 'parley'
  return url.href
}

/** Starts PgBouncer with deploy/pgbouncer.ini in front of a database; undefined if it is not installed. */
export async function startPgBouncer(database: string): Promise<Service | undefined> {
  const program = findProgram('pgbouncer')
  if (!program) return undefined
  const port = await freePort()
  const url = new URL(database)
  url.port = String(port)
  url.password ||= randomBytes(12).toString('hex')
  const { hostname, port: to } = new URL(database)
  const folder = folderWith({ 'users.txt': `"${url.username}" "${url.password}"\n` })
  // A later line of the same name counts.
  const changed = `
[databases]
* = host=${hostname} port=${to}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
auth_file = ${join(folder, 'users.txt')}
`
  writeFileSync(join(folder, 'pgbouncer.ini'), read('deploy/pgbouncer.ini') + changed)
  const running = await startProgram(program, [join(folder, 'pgbouncer.ini')], {
    folder,
    async isReady() {
      const client = new pg.Client({ connectionString: url.href })
      client.on('error', () => {})
      try {
        await client.connect()
        await client.query('select')
        return true
      } finally {
        await client.end().catch(() => {})
      }
    },
  })
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
