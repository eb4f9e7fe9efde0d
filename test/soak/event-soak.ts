import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '../../src/platform/store/database/open-store.ts'
import { hangMs } from '../support/hang-timeout.ts'
import { hear, inParallel, listening, serversIn, tell } from './server-processes.ts'

/**
 * Creates events on a server that is repeatedly killed with `kill -9` and restarted.
 * Each acknowledged event must be stored and delivered, and never delivered with a second id.
 */
export async function eventSoak({
  folder,
  events,
  kills,
}: {
  readonly folder: string
  readonly events: number
  readonly kills: number
}) {
  const start = await serversIn(folder)
  const receiver = await listening()
  const wrong: string[] = []
  const acknowledged = new Set<number>()
  const killAt = new Set(Array.from({ length: kills }, (_, n) => Math.floor((events * (n + 1)) / (kills + 1))))
  let resent = 0
  let killed = 0
  let server = await start()
  let restarting: Promise<void> | undefined
  const enabled = await hear(server, receiver.url)
  if (enabled.status !== 200) wrong.push(`the webhook: ${JSON.stringify(enabled.body)}`)

  const saved = async () => {
    const { read, close } = await openStore({ file: join(server.dataDir, 'platform.db') })
    const rows = await read.selectFrom('delivery').select(['message_id', 'payload', 'status']).execute()
    await close()
    // The sample data has deliveries without a number.
    return rows.flatMap((row) => {
      const n = /"n":(\d+)/.exec(row.payload)?.[1]
      return n === undefined ? [] : [{ ...row, n: Number(n) }]
    })
  }
  async function killAndRestart(): Promise<void> {
    const before = [...acknowledged]
    await server.worker.kill()
    killed++
    const there = new Set((await saved()).map((it) => it.n))
    for (const n of before) if (!there.has(n)) wrong.push(`event ${n} was acknowledged and is lost`)
    server = await start()
  }
  await inParallel(events, 4, async (n) => {
    for (;;) {
      await restarting
      const answer = await tell(server, n).catch(() => undefined)
      if (answer === undefined) {
        resent++
        await sleep(5)
        continue
      }
      if (answer.status >= 300) wrong.push(`event ${n}: ${answer.status} ${JSON.stringify(answer.body)}`)
      acknowledged.add(n)
      if (killAt.delete(acknowledged.size)) restarting = (restarting ?? Promise.resolve()).then(killAndRestart)
      return
    }
  })
  await restarting
  for (const late = Date.now() + hangMs; receiver.shown.size < events && Date.now() < late; ) await sleep(100)
  await server.ask('POST', '/control/drain', {})
  await server.worker.tell({ do: 'stop' })
  await server.worker.kill()
  const rows = await saved()
  receiver.close()
  if (rows.length !== events) wrong.push(`${events} events were raised, ${rows.length} deliveries are kept`)
  for (const { n, message_id: id, status } of rows) {
    const ids = new Set(receiver.shown.get(n))
    if (status !== 'delivered' || ids.size !== 1 || !ids.has(id))
      wrong.push(`event ${n} is ${status}; its receiver knows it as ${[...ids].join(', ') || 'nothing'}`)
  }
  return { wrong, acknowledged: acknowledged.size, resent, kills: killed }
}
