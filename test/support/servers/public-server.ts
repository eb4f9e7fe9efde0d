import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publicVocabulary } from '../../../src/contract/vocabulary/public-vocabulary.ts'
import { routes } from '../../../src/generated/routes.ts'
import { openPlatform } from '../../../src/platform/compose.ts'
import { listen } from '../../../src/platform/server/http/listen.ts'
import { withVocabulary } from '../../../src/platform/server/middleware/vocabulary-codec.ts'
import type { Handle } from '../operator.ts'

type Watch = (handle: Handle) => Handle

/** Starts a server with the public vocabulary while commands run. Each command is observed before translation. */
export function publicServer(dataDir: string, wall: () => number, isAlive: (pid: number) => boolean) {
  const lock = join(dataDir, 'server.json')
  const watches = new Map<string, Watch>()
  let runs = 0
  let serving: ReturnType<typeof begin> | undefined

  async function begin() {
    const platform = await openPlatform({
      dataDir,
      wall,
      durable: false,
      version: '0.0.0-test',
      pid: process.pid,
      isAlive,
    })
    const handle: Handle = async (request) => {
      const answer = await (watches.get(request.headers['x-run'] ?? '') ?? ((it: Handle) => it))(platform.handle)(
        request,
      )
      // Node adds the time of the machine, which is not that of these tests.
      return { ...answer, headers: { date: new Date(wall()).toUTCString(), ...answer.headers } }
    }
    const server = await listen({
      handle: withVocabulary(handle, publicVocabulary, routes),
      host: '127.0.0.1',
      port: 0,
      log: () => {},
    })
    writeFileSync(
      lock,
      JSON.stringify({
        url: server.url,
        pid: process.pid,
        started_at: new Date(wall()).toISOString(),
        vocabulary: 'public',
      }),
    )
    return { platform, server }
  }

  async function end({ platform, server }: Awaited<ReturnType<typeof begin>>): Promise<void> {
    rmSync(lock, { force: true })
    await server.close()
    await platform.due.drain(2000)
    await platform.close()
  }

  /** Serves for one command. Returns undefined if there is no data, or if the test runs its own server. */
  return async (watch: Watch): Promise<{ url: string; as: string; leave(): Promise<void> } | undefined> => {
    if (!serving && (!existsSync(join(dataDir, 'platform.db')) || existsSync(lock))) return undefined
    serving ??= begin()
    const as = String(++runs + Math.random())
    watches.set(as, watch)
    const started = await serving
    return {
      url: started.server.url,
      as,
      async leave() {
        watches.delete(as)
        if (watches.size > 0) return
        serving = undefined
        await end(started)
      },
    }
  }
}
