import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { hear, inParallel, listening, serversIn, tell } from './served.ts'

/** Resident memory of a process in MB. */
const residentOf = (pid: number): number => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** So many events spread over 24 hours of a platform's own time, each delivered: memory hour by hour (MB), and what its logs hold in the end (MB). */
export async function day({ folder, events }: { readonly folder: string; readonly events: number }) {
  const server = await (await serversIn(folder))()
  const receiver = await listening()
  const memory: number[] = []
  try {
    await server.ask('POST', '/control/clock/freeze', {})
    await hear(server, receiver.url)
    const each = Math.ceil(events / 24)
    for (let hour = 0; hour < 24; hour++) {
      await inParallel(each, 8, (n) => tell(server, hour * each + n))
      const { status } = await server.ask('POST', '/control/clock/advance', { by: '1h' })
      if (status !== 200) throw new Error(`The clock was not turned: ${status}.`)
      memory.push(residentOf(server.worker.pid))
    }
    const logs = readdirSync(server.dataDir).filter((it) => it.endsWith('.ndjson'))
    const logged = logs.reduce((sum, it) => sum + statSync(join(server.dataDir, it)).size, 0) / 1024 / 1024
    return { told: receiver.told.size, wanted: each * 24, memory, logged }
  } finally {
    receiver.close()
    await server.worker.kill()
  }
}
