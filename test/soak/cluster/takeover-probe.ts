import { setTimeout as sleep } from 'node:timers/promises'
import type { ClusterServer } from './cluster-servers.ts'
import type { EffectReceiver } from './effect-receiver.ts'
import type { LoadClient } from './load-client.ts'
import type { LoadAccount } from './prepare-accounts.ts'

/** How a server went away. */
export type Loss = 'kill' | 'cut'

/** Measures how long others take to continue the work of a server. */
export interface Takeovers {
  /**
   * Makes a server work on a request that has no response. Returns a function to call when the server goes away, which
   * waits until another server sends that request again.
   */
  prepare(server: ClusterServer): Promise<(loss: Loss) => Promise<void>>
  /** Milliseconds by loss. */
  readonly measured: Readonly<Record<Loss, number[]>>
  readonly failed: readonly string[]
}

/** Milliseconds after which nobody takes over any more. */
const limitMs = 60_000

/** Creates the measurement. */
export function createTakeovers(client: LoadClient, receiver: EffectReceiver, account: LoadAccount): Takeovers {
  const measured: Record<Loss, number[]> = { kill: [], cut: [] }
  const failed: string[] = []
  let next = 0
  const requests = (name: string): number => receiver.probes.get(name)?.length ?? 0
  async function reaches(name: string, count: number): Promise<boolean> {
    for (const late = performance.now() + limitMs; performance.now() < late; await sleep(10))
      if (requests(name) >= count) return true
    return false
  }
  return {
    measured,
    failed,
    async prepare(server) {
      const name = `probe-${next++}`
      const answer = await client.send(server.url, { method: 'POST', path: account.probe, body: { n: name } })
      const isWorking = answer?.status === 200 && (await reaches(name, 1))
      if (!isWorking) failed.push(`${name} was not begun by ${server.name}: ${answer?.status}`)
      return async (loss) => {
        if (!isWorking) return
        const lostAt = performance.now()
        if (await reaches(name, 2)) measured[loss].push((receiver.probes.get(name)?.[1] ?? 0) - lostAt)
        else failed.push(`${name} of ${server.name} was not continued within ${limitMs / 1000} s (${loss})`)
      }
    },
  }
}
