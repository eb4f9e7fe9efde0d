import { join } from 'node:path'
import { checkSettings, openPlatform } from './compose.ts'
import type { Platform, PlatformSettings } from './platform-settings.ts'
import { listen } from './server/http/listen.ts'
import { acquireLock } from './server/http/server-lock.ts'

/** Settings of a server. */
export interface ServeSettings extends PlatformSettings {
  readonly host: string
  readonly port: number
}

/** A running server. */
export interface ServedPlatform {
  readonly url: string
  readonly key: string | null
  /** Calls the control API without a socket. */
  control(method: string, url: string, body?: object): ReturnType<Platform['handle']>
  stop(): Promise<void>
}

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|::1)$/

/** The server must not start with these settings. */
export class ServeRefused extends Error {
  readonly exit = 'usage'

  constructor(host: string) {
    super(
      `A server with a seed cannot listen on ${host}: its secrets are predictable. Use a loopback address such as 127.0.0.1, or remove the seed.`,
    )
  }
}

/**
 * Opens a platform and serves it on a socket, with its job loop. The lock file lets commands on the same folder find
 * it.
 */
export async function serve(settings: ServeSettings): Promise<ServedPlatform> {
  // The secrets of a seed are predictable, so such a server must not be reachable from other machines.
  const exposesSecrets = (seed: number | null): boolean => seed !== null && !loopback.test(settings.host)
  if (exposesSecrets(settings.seed ?? null)) throw new ServeRefused(settings.host)
  await checkSettings(settings)
  let isProxied = false
  const platform = await openPlatform({
    requestLog: true,
    privateAddresses: loopback.test(settings.host) && (() => !isProxied),
    reachable: !loopback.test(settings.host),
    ...settings,
  })
  if (exposesSecrets(platform.seed())) {
    await platform.close()
    throw new ServeRefused(settings.host)
  }
  const log = settings.log ?? (() => {})
  // Others can reach a server on loopback through a proxy. Its accounts must not reach the private network then.
  const handle: typeof platform.handle = (request) => {
    if (request.remote?.isProxied && !isProxied && settings.privateAddresses === undefined) {
      isProxied = true
      if (loopback.test(settings.host))
        log(
          'A proxy passes requests to this server, so private addresses are refused from now on. To allow some, pass --allow-private <hosts>.',
        )
    }
    return platform.handle(request)
  }
  const server = await listen({
    handle,
    host: settings.host,
    port: settings.port,
    log,
  }).catch(async (error) => {
    await platform.close()
    throw error
  })
  const own = {
    url: server.url,
    pid: settings.pid,
    started_at: new Date().toISOString(),
    ...(settings.vocabulary && { vocabulary: settings.vocabulary }),
  }
  const release = await acquireLock(join(settings.dataDir, 'server.json'), own, settings.isAlive).catch(
    async (error) => {
      await server.close()
      await platform.close()
      throw error
    },
  )
  const loop = platform.due.start()
  let stopping: Promise<void> | undefined
  return {
    url: server.url,
    key: platform.credentials().key,
    control: (method, url, body) =>
      platform.handle({
        method,
        url,
        headers: {
          'parley-control': platform.credentials().control,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      }),
    stop: () =>
      (stopping ??= (async () => {
        await server.close()
        await loop.stop()
        release()
        await platform.close()
      })()),
  }
}
