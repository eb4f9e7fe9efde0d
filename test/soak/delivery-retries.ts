import { hear, inParallel, listening, serversIn, tell } from './server-processes.ts'

/**
 * Lets a number of deliveries fail on a platform with a frozen clock, then advances it to their retries. Returns the
 * duration in milliseconds.
 */
export async function retries({ folder, due }: { readonly folder: string; readonly due: number }) {
  const server = await (await serversIn(folder))()
  const receiver = await listening(500)
  try {
    await server.ask('POST', '/control/clock/freeze', {})
    await hear(server, receiver.url)
    await inParallel(due, 8, (n) => tell(server, n))
    await server.ask('POST', '/control/drain', {})
    const failed = receiver.state.received
    receiver.state.status = 200
    const { ms, body } = await server.ask('POST', '/control/clock/advance', { by: '30s' })
    const done = (body.done as { kind: string }[]).filter((it) => it.kind === 'delivery').length
    const once = [...receiver.shown.values()].filter((ids) => ids.length === 2 && ids[0] === ids[1]).length
    return { failed, done, once, ms }
  } finally {
    receiver.close()
    await server.worker.kill()
  }
}
