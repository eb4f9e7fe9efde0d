import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openPlatform, type PlatformSettings } from './compose.ts'
import { listen } from './server/listen.ts'

export interface ServeSettings extends PlatformSettings {
  readonly host: string
  readonly port: number
}

export interface Served {
  readonly url: string
  readonly key: string | null
  stop(): Promise<void>
}

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/

/** Refused before anything is opened. */
export class ServeRefused extends Error {
  readonly exit = 'usage'
}

/** Opens a platform and serves it on a socket, its due work running beside. The lock file tells commands on the same folder where it is. */
export async function serve(settings: ServeSettings): Promise<Served> {
  // With a seed everybody knows the secrets: such a server must not be reachable by others.
  if (settings.seed !== undefined && !loopback.test(settings.host))
    throw new ServeRefused(`A server with a seed has secrets that anybody can make; it listens on loopback only, not on ${settings.host}.`)
  const platform = await openPlatform(settings)
  const server = await listen({ handle: platform.handle, host: settings.host, port: settings.port, log: settings.log ?? (() => {}) }).catch(async (error) => {
    await platform.close()
    throw error
  })
  const loop = platform.due.start()
  const lock = join(settings.dataDir, 'server.json')
  writeFileSync(lock, `${JSON.stringify({ url: server.url, pid: settings.pid, started_at: new Date().toISOString() })}\n`, { mode: 0o600 })
  let stopping: Promise<void> | undefined
  return {
    url: server.url,
    key: platform.credentials().key,
    stop: () =>
      (stopping ??= (async () => {
        await server.close()
        await loop.stop()
        rmSync(lock, { force: true })
        await platform.close()
      })()),
  }
}
