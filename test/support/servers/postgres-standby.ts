import { appendFileSync, chownSync, copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import {
  anonymous,
  createDataFolder,
  createInstance,
  freePort,
  type Instance,
  newFolder,
  npmBinaries,
  type Server,
} from './postgres-process.ts'

/** PostgreSQL with a synchronous standby. Its URL is an address that always leads to the primary. */
export interface ServerWithStandby extends Server {
  /**
   * Ends the primary as a crash would, promotes the standby and moves the address to it. Resolves when the new primary
   * has a standby of its own.
   */
  failOver(): Promise<void>
}

/** What is in the copy of a folder of data only as long as its own server runs. */
const notCopied = ['postmaster.pid', 'postmaster.opts', 'standby.signal', 'backup_label']

/** Starts a primary and its standby. A COMMIT is answered when the standby has stored it. */
export async function startWithStandby({ isDurable = false } = {}): Promise<ServerWithStandby> {
  const { initdb, postgres } = await npmBinaries()
  const settings = [
    ...(isDurable ? ['shared_preload_libraries=pg_stat_statements'] : ['fsync=off']),
    'synchronous_commit=on',
    'wal_keep_size=1GB',
  ]
  const create = async (folder: string): Promise<Instance> =>
    createInstance({ postgres, folder, port: await freePort(), settings })

  let primary = await create(await createDataFolder(initdb))
  await primary.start()
  let standby = await addStandby(primary, create)
  const address = await startAddress(primary.url)

  async function remove(instance: Instance): Promise<void> {
    await instance.end('SIGQUIT')
    rmSync(instance.folder, { recursive: true, force: true })
  }
  return {
    url: address.url,
    async failOver() {
      const lost = primary
      address.moveTo(undefined)
      await remove(lost)
      await query(standby.url, 'select pg_promote()')
      primary = standby
      address.moveTo(primary.url)
      standby = await addStandby(primary, create)
    },
    async restart(mode) {
      await primary.end(mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
      await primary.start()
    },
    async stop() {
      address.close()
      await remove(standby)
      await remove(primary)
    },
  }
}

/** Starts a standby from a copy of the running primary. Resolves when each COMMIT waits for it. */
async function addStandby(primary: Instance, create: (folder: string) => Promise<Instance>): Promise<Instance> {
  const folder = newFolder()
  const client = await connected(primary.url)
  try {
    await client.query("select pg_backup_start('standby', true)")
    copyFolder(primary.folder, folder)
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)')
    own(join(folder, 'backup_label'), rows[0].labelfile)
    own(join(folder, 'standby.signal'), '')
    const { port } = new URL(primary.url)
    appendFileSync(
      join(folder, 'postgresql.auto.conf'),
      `primary_conninfo = 'host=127.0.0.1 port=${port} user=app'\nsynchronous_standby_names = ''\n`,
    )
    const standby = await create(folder)
    await standby.start()
    await client.query("alter system set synchronous_standby_names = '*'")
    await client.query('select pg_reload_conf()')
    while ((await client.query("select 1 from pg_stat_replication where sync_state = 'sync'")).rowCount === 0)
      await sleep(20)
    return standby
  } finally {
    await client.end()
  }
}

function own(file: string, text: string): void {
  writeFileSync(file, text)
  chown(file)
}

function chown(path: string): void {
  if (anonymous.uid) chownSync(path, anonymous.uid, anonymous.gid)
}

/** Copies a folder while its server changes it. The log of the server repairs pages that were copied half-written. */
function copyFolder(from: string, to: string): void {
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const target = join(to, entry.name)
    if (entry.isDirectory()) {
      mkdirSync(target, { mode: 0o700 })
      chown(target)
      // The standby requests the log from the primary.
      if (entry.name !== 'pg_wal') copyFolder(join(from, entry.name), target)
    } else if (!notCopied.includes(entry.name)) copyFile(join(from, entry.name), target)
  }
}

function copyFile(from: string, to: string): void {
  try {
    copyFileSync(from, to)
    chown(to)
  } catch (error) {
    // Temporary files are deleted at any time.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function query(url: string, statement: string): Promise<void> {
  const client = await connected(url)
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Forwards connections to a server that can be replaced. Without one, connections are refused. */
async function startAddress(first: string) {
  let target: URL | undefined = new URL(first)
  const sockets = new Set<Socket>()
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((client) => {
    if (!target) return client.destroy()
    const upstream = dial(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    client.pipe(upstream).on('close', () => client.destroy())
    upstream.pipe(client).on('close', () => upstream.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(first)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    moveTo(next: string | undefined): void {
      target = next === undefined ? undefined : new URL(next)
      endAll()
    },
    close(): void {
      server.close()
      endAll()
    },
  }
}
