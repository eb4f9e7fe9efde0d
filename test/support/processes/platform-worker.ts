/**
 * Separate process with a platform. Reads one order per line as JSON, and prints one answer per line. `kill` ends the
 * process, as `kill -9` does, at a step of a provider or after the n-th commit since the platform was opened.
 */
import { createInterface } from 'node:readline'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { PlainRequest } from '../../../src/contract/endpoint/http-message.ts'
import { openPlatform } from '../../../src/platform/compose.ts'
import type { Platform, PlatformSettings } from '../../../src/platform/platform-settings.ts'
import { serve } from '../../../src/platform/serve.ts'
import { TransactionWriter as ServerWriter } from '../../../src/platform/store/postgres/transaction-writer.ts'
import { TransactionWriter as FileWriter } from '../../../src/platform/store/sqlite/transaction-writer.ts'

export type Order =
  | { do: 'open'; settings: Partial<PlatformSettings> & { dataDir: string }; kill?: string | number }
  | { do: 'handle'; request: PlainRequest }
  | { do: 'drain' | 'close' }
  | { do: 'serve'; settings: Partial<PlatformSettings> & { dataDir: string }; port?: number }
  | { do: 'stop' }
  | { do: 'collect' }

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
const die = (): Promise<never> => {
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => {})
}

let commits = 0
let lastCommit = Number.POSITIVE_INFINITY
const committed = async (): Promise<void> => {
  if (++commits >= lastCommit) await die()
}
for (const { prototype } of [FileWriter, ServerWriter] as { prototype: { write: unknown } }[]) {
  const write = prototype.write as (...args: unknown[]) => Promise<unknown>
  prototype.write = async function (...args: unknown[]) {
    const value = await write.apply(this, args)
    await committed()
    return value
  }
}

let platform: Platform | undefined
let server: Awaited<ReturnType<typeof serve>> | undefined
const common = { pid: process.pid, isAlive }

/** Returns the bytes in use by JavaScript after a full garbage collection. */
function retained(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

async function obey(order: Order): Promise<unknown> {
  if (order.do === 'open') {
    platform = await openPlatform({
      ...common,
      ...order.settings,
      // Without the heartbeat of a server, whose commits would be counted too.
      ...(typeof order.kill === 'number' && { inProcess: true }),
      gate: async (step) => (step === order.kill ? die() : undefined),
    })
    commits = 0
    if (typeof order.kill === 'number') lastCommit = order.kill
    return platform.credentials()
  }
  if (order.do === 'serve') {
    server = await serve({ ...common, ...order.settings, host: '127.0.0.1', port: order.port ?? 0 })
    return { url: server.url, key: server.key }
  }
  if (order.do === 'stop') return server?.stop()
  if (order.do === 'collect') return retained()
  if (order.do === 'handle') return platform?.handle(order.request)
  if (order.do === 'drain') return platform?.due.drain()
  return platform?.close()
}

for await (const line of createInterface({ input: process.stdin })) {
  const answer = await obey(JSON.parse(line) as Order).then(
    (value) => ({ value: value ?? null }),
    (error: Error) => ({ error: `${error.name}: ${error.message}` }),
  )
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
