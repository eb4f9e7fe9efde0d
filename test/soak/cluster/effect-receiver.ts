import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Records what servers send outside: webhook deliveries and requests of automations. */
export interface EffectReceiver {
  readonly url: string
  /** Message ids by the number in the payload of an event. */
  readonly deliveries: ReadonlyMap<string, readonly string[]>
  /** Number of requests by idempotency key of a step. */
  readonly steps: ReadonlyMap<string, number>
  /** Times of requests of probes, by their number. The first request of a probe has no response. */
  readonly probes: ReadonlyMap<string, readonly number[]>
  close(): void
}

/** Starts a receiver on loopback. */
export async function startEffectReceiver(): Promise<EffectReceiver> {
  const deliveries = new Map<string, string[]>()
  const steps = new Map<string, number>()
  const probes = new Map<string, number[]>()
  const add = <T>(map: Map<string, T[]>, key: string, value: T): number =>
    map.set(key, [...(map.get(key) ?? []), value]).get(key)?.length ?? 0
  const server = createServer((incoming, response) => {
    let text = ''
    incoming.setEncoding('utf8')
    incoming.on('data', (chunk: string) => (text += chunk))
    incoming.on('error', () => {})
    response.on('error', () => {})
    incoming.on('end', () => {
      const n = /"n":"([^"]+)"/.exec(text)?.[1] ?? 'unknown'
      if (incoming.url === '/probe' && !n.startsWith('sample') && add(probes, n, performance.now()) === 1) return
      if (incoming.url === '/event') add(deliveries, n, String(incoming.headers['webhook-id']))
      if (incoming.url === '/step') {
        const key = String(incoming.headers['idempotency-key'])
        steps.set(key, (steps.get(key) ?? 0) + 1)
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    deliveries,
    steps,
    probes,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
