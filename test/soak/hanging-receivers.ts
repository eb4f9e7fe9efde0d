import { setTimeout as sleep } from 'node:timers/promises'
import { hangMs } from '../support/hang-timeout.ts'
import { hear, inParallel, listening, type Served, serversIn, tell } from './server-processes.ts'

const assistant = {
  voice_id: 1,
  language_id: 1,
  type: 'inbound',
  mode: 'pipeline',
  timezone: 'UTC',
  initial_message: 'Hello.',
  system_prompt: 'Help.',
  llm_model_id: 1,
}

/**
 * Returns sorted response times in milliseconds of two clients, which send requests for a time and until there are a
 * hundred.
 */
async function measured(server: Served, ms: number): Promise<number[]> {
  const times: number[] = []
  const end = performance.now() + ms
  const client = async (): Promise<void> => {
    while (performance.now() < end || times.length < 100) times.push((await server.ask('GET', '/api/user/tools/1')).ms)
  }
  await Promise.all([client(), client()])
  return times.sort((a, b) => a - b)
}

const at = (sorted: readonly number[], part: number): number => sorted[Math.floor(sorted.length * part)] ?? Number.NaN

/**
 * Measures how much longer responses take while a number of receivers, each of a different assistant, do not respond:
 * ratios of the median and of the 99th percentile. Also returns how many receivers had still not responded at the end.
 */
export async function hanging({
  folder,
  receivers,
  ms,
}: {
  readonly folder: string
  readonly receivers: number
  readonly ms: number
}) {
  const server = await (await serversIn(folder))()
  const receiver = await listening(0)
  try {
    const ids: number[] = []
    await inParallel(receivers, 4, async (n) => {
      const { body } = await server.ask('POST', '/api/user/assistant', { ...assistant, name: `Desk ${n}` })
      ids.push(body.data.id)
      await hear(server, `${receiver.url}/${n}`, body.data.id)
    })
    await measured(server, ms / 2)
    const before = await measured(server, ms)
    await inParallel(receivers, 8, (n) => tell(server, n, ids[n]))
    for (const late = Date.now() + hangMs; receiver.state.received < receivers && Date.now() < late; ) await sleep(10)
    const hanging = receiver.state.received
    const meanwhile = await measured(server, ms)
    return {
      hanging,
      stillHanging: receiver.state.open,
      median: at(meanwhile, 0.5) / at(before, 0.5),
      p99: at(meanwhile, 0.99) / at(before, 0.99),
      before: at(before, 0.5),
    }
  } finally {
    receiver.close()
    await server.worker.kill()
  }
}
