import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import pg from 'pg'
import { describe, expect, it, vi } from 'vitest'
import { openStore } from '../../../src/platform/store/database/open-store.ts'
import { migrations } from '../../../src/platform/store/migrations/all.ts'
import { PostgresClient } from '../../../src/platform/store/postgres/postgres-client.ts'
import type { PostgresOptions } from '../../../src/platform/store/postgres/settings.ts'
import { afterFile } from '../../support/cleanup.ts'
import { databases, onOnePostgres, temporaryFolder } from '../../support/databases.ts'
import { certificate } from '../../support/servers/http-hosts.ts'
import { startPostgres } from '../../support/servers/postgres-process.ts'
import { databaseUrl, order } from '../../support/servers/postgres-server.ts'

describe.each(databases)('connections to $name', ({ name, target }) => {
  if (name === 'sqlite') return it.skip('are not needed: the database is a file')

  const newUrl = async (): Promise<string> => ((await target()) as { url: string }).url

  /** Opens and closes a database. Returns the reason and the message of the refusal, or "opened". */
  async function attempt(url: string, options: PostgresOptions = {}): Promise<string> {
    try {
      await (await openStore({ url, options })).close()
      return 'opened'
    } catch (error) {
      const { reason, message } = error as Error & { readonly reason?: string }
      return `${reason}: ${message}`
    }
  }

  async function rows<T extends object>(url: string, statement: string): Promise<T[]> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query(statement)).rows
    } finally {
      await client.end()
    }
  }

  it('need the password, which comes from the URL, PGPASSWORD or PGPASSFILE', async () => {
    const server = await startPostgres()
    afterFile(() => server.stop())
    await order(server.url, `create role clerk login password 'right'`)
    await order(server.url, 'create database office owner clerk')
    const [hba] = await rows<{ hba_file: string }>(server.url, 'show hba_file')
    writeFileSync(hba?.hba_file ?? '', 'host all app 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n')
    await order(server.url, 'select pg_reload_conf()')
    const url = databaseUrl(server.url, 'office').replace('app@', 'clerk@')
    const withPassword = (password: string): string => url.replace('clerk@', `clerk:${password}@`)
    await expect.poll(() => attempt(withPassword('wrong-secret'))).toContain('password authentication failed')

    const refused = await attempt(withPassword('wrong-secret'))
    expect(refused).toMatch(
      /^unopenable: The database 127\.0\.0\.1:\d+\/office cannot be opened: password authentication failed for user "clerk"\. Check the user, password and name in its URL\. The password can also be in PGPASSWORD/,
    )
    expect(refused).not.toContain('wrong-secret')
    expect(await attempt(url)).toMatch(/^unopenable: .*: the server requires a password\./)
    expect(await attempt(withPassword('right'))).toBe('opened')
    try {
      vi.stubEnv('PGPASSWORD', 'right')
      expect(await attempt(url)).toBe('opened')
      vi.stubEnv('PGPASSWORD', undefined)
      const file = join(mkdtempSync(join(temporaryFolder(), 'pass-')), 'pgpass')
      writeFileSync(file, '# servers\nother:*:*:*:wrong\n127.0.0.1:*:office:clerk:right\n', { mode: 0o600 })
      vi.stubEnv('PGPASSFILE', file)
      expect(await attempt(url)).toBe('opened')
      chmodSync(file, 0o644)
      expect(await attempt(url)).toContain('the server requires a password')
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('are refused with the reason, which names the database', async () => {
    const url = await newUrl()
    const nowhere = databaseUrl(url, 'no_such_database')
    expect(await attempt(nowhere)).toMatch(
      /^unopenable: The database 127\.0\.0\.1:\d+\/no_such_database cannot be opened: database "no_such_database" does not exist\./,
    )
    const gone = new URL(url)
    gone.port = String(await closedPort())
    expect(await attempt(gone.href)).toMatch(/^unreachable: .* cannot be reached: connect ECONNREFUSED/)

    const standby = await newUrl()
    await order(standby, `alter database ${new URL(standby).pathname.slice(1)} set default_transaction_read_only = on`)
    expect(await attempt(standby)).toMatch(/^read_only: The database \S+ is read-only\. Use its primary server\.$/)

    await order(url, `update meta set value = '999' where key in ('schema_version', 'schema_oldest')`)
    expect(await attempt(url)).toBe(
      `newer: ${new URL(url).host}${new URL(url).pathname} was created by a newer version of Parley (schema 999). This is a version with schema ${migrations.length}. Upgrade Parley, or choose another database.`,
    )
  })

  it.each(['SQL_ASCII', 'LATIN1'])('are refused when the encoding of the database is %s', async (encoding) => {
    const url = await newUrl()
    const other = `encoding_${encoding.toLowerCase()}_${process.pid}`
    await order(url, `create database ${other} encoding '${encoding}' lc_collate 'C' lc_ctype 'C' template template0`)
    afterFile(() => order(url, `drop database ${other} with (force)`))
    expect(await attempt(databaseUrl(url, other))).toMatch(
      new RegExp(`^unopenable: The database \\S+ has the encoding ${encoding}\\. Parley needs UTF8: create database`),
    )
  })

  onOnePostgres('Citus turns TLS on')('use TLS as sslmode in the URL says', async () => {
    const url = await newUrl()
    const { cert } = await certificate()
    const file = join(temporaryFolder(), 'root.pem')
    writeFileSync(file, cert)
    const proxy = await startTlsProxy(url)
    const at = (parameters: string, host = '127.0.0.1'): string =>
      `${proxy.url.replace('127.0.0.1', host)}?${parameters}`
    expect(await attempt(at('sslmode=require'))).toBe('opened')
    expect(await attempt(at(`sslmode=verify-full&sslrootcert=${file}`))).toBe('opened')
    expect(await attempt(at(`sslmode=verify-ca&sslrootcert=${file}`, 'localhost'))).toBe('opened')
    expect(proxy.encrypted()).toBeGreaterThan(2)
    const count = proxy.encrypted()
    expect(await attempt(at(`sslmode=verify-full&sslrootcert=${file}`, 'localhost'))).toMatch(
      /^unopenable: The TLS certificate of the database \S+ is not trusted: .*Check sslmode and sslrootcert/,
    )
    expect(await attempt(at('sslmode=verify-full'))).toMatch(/^unopenable: The TLS certificate .* is not trusted/)
    expect(await attempt(at('sslmode=verify-full&sslrootcert=/nowhere.pem'))).toMatch(
      /^unopenable: The file of sslrootcert in the database URL cannot be read/,
    )
    expect(await attempt(at('sslmode=disable'))).toBe('opened')
    expect(proxy.encrypted()).toBe(count)
    expect(await attempt(`${url}?sslmode=require`)).toMatch(/^unreachable: .*does not support SSL/)
  })

  /** Starts a proxy that speaks TLS, if the client asks for it, and plain PostgreSQL behind. */
  async function startTlsProxy(url: string): Promise<{ url: string; encrypted(): number }> {
    const { key, cert } = await certificate()
    const behind = new URL(url)
    let encrypted = 0
    const sockets = new Set<Socket>()
    const server = createServer((client) => {
      sockets.add(client)
      client.on('error', () => {})
      client.once('data', (first) => {
        const asksForTls = first.length === 8 && first.readInt32BE(4) === 80_877_103
        const upstream = dial(Number(behind.port), behind.hostname)
        upstream.on('error', () => client.destroy())
        if (!asksForTls) upstream.write(first)
        else client.write('S')
        const inner = asksForTls ? new TLSSocket(client, { isServer: true, key, cert }) : client
        inner.on('error', () => upstream.destroy())
        if (inner instanceof TLSSocket) inner.once('secure', () => encrypted++)
        inner.pipe(upstream).pipe(inner)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    afterFile(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    const shown = new URL(url)
    shown.port = String((server.address() as AddressInfo).port)
    return { url: shown.href, encrypted: () => encrypted }
  }

  it.each(['executeShort', 'executeTogether'] as const)(
    'say for a statement that the end of its connection has overtaken that the database cannot be reached: %s',
    async (how) => {
      const url = await newUrl()
      const driver = new pg.Client({ connectionString: url, pipeline: true } as pg.ClientConfig)
      await driver.connect()
      const client = new PostgresClient(driver, { where: 'db:5432/parley', isPooled: false })
      // It was lost, and another request has noticed it and closed it in the turn in which this one is sent.
      driver.emit('error', new Error('read ECONNRESET'))
      const refused = expect(client[how]('select $1::int as n', [1])).rejects.toMatchObject({ reason: 'unreachable' })
      await client.end()
      await refused
    },
  )
})

async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
