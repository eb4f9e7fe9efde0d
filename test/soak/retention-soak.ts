import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { retentionMicros } from '../../src/platform/store/runtime/purge-batches.ts'
import { openSqlite } from '../../src/platform/store/sqlite/open-sqlite.ts'
import { hear, inParallel, listening, serversIn, tell } from './server-processes.ts'

/** Returns the resident memory of a process in MB. */
const residentOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** Counts stored events and deliveries, and those that are older than the retention of 30 days. */
async function savedIn(dataDir: string, now: number) {
  const { read, close } = await openSqlite(join(dataDir, 'platform.db'))
  const count = async (table: 'outbox' | 'delivery' | 'delivery_attempt', before: number): Promise<number> => {
    const at = table === 'delivery_attempt' ? 'at' : 'created_at'
    const rows = read.selectFrom(table as 'outbox').select((it) => it.fn.countAll<number>().as('n'))
    return Number((await rows.where(at as 'created_at', '<', before).executeTakeFirstOrThrow()).n)
  }
  const tables = ['outbox', 'delivery', 'delivery_attempt'] as const
  const all = async (before: number): Promise<number[]> => Promise.all(tables.map((it) => count(it, before)))
  const saved = { all: await all(Number.MAX_SAFE_INTEGER), old: await all(now - retentionMicros) }
  await close()
  return saved
}

/**
 * Delivers a number of events spread over 24 hours of platform time. Returns the memory per hour (MB), resident and
 * after a garbage collection: resident memory also depends on when V8 collects, which a busy machine delays.
 * Also returns the final size of the request logs (MB), and the number of rows of events, deliveries and attempts, then
 * and a month later after a few more events.
 */
export async function day({ folder, events }: { readonly folder: string; readonly events: number }) {
  const server = await (await serversIn(folder))()
  const receiver = await listening()
  const memory: number[] = []
  const retained: number[] = []
  try {
    await server.ask('POST', '/control/clock/freeze', {})
    await hear(server, receiver.url)
    const each = Math.ceil(events / 24)
    for (let hour = 0; hour < 24; hour++) {
      await inParallel(each, 8, (n) => tell(server, hour * each + n))
      const { status } = await server.ask('POST', '/control/clock/advance', { by: '1h' })
      if (status !== 200) throw new Error(`The clock was not turned: ${status}.`)
      memory.push(residentOf(server.worker.pid))
      retained.push((await server.worker.tell({ do: 'collect' })) / 1024 / 1024)
    }
    const logs = readdirSync(server.dataDir).filter((it) => it.endsWith('.ndjson'))
    const logged = logs.reduce((sum, it) => sum + statSync(join(server.dataDir, it)).size, 0) / 1024 / 1024
    const moment = async (): Promise<number> => Date.parse((await server.ask('GET', '/control/clock')).body.now) * 1000
    const full = await savedIn(server.dataDir, await moment())
    const shown = receiver.shown.size
    await server.ask('POST', '/control/clock/advance', { by: '31d' })
    // Every 64th event schedules the job that deletes expired ones, which pauses between its parts.
    const more = 128
    await inParallel(more, 8, (n) => tell(server, each * 24 + n))
    await server.ask('POST', '/control/clock/advance', { by: '1h' })
    const later = await savedIn(server.dataDir, await moment())
    return { shown, wanted: each * 24, memory, retained, logged, full: full.all, more, later }
  } finally {
    receiver.close()
    await server.worker.kill()
  }
}
