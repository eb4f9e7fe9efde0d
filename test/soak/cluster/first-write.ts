import { setTimeout as sleep } from 'node:timers/promises'
import type { Call } from './load-client.ts'
import type { LoadAccount } from './prepare-accounts.ts'
import type { Stage } from './under-load.ts'

/** Milliseconds after which a test without any write gives up. */
const lostMs = 120_000

/** A write of an account that any number of requests may repeat. */
export const leadOf = ({ token, campaign }: LoadAccount): Call => ({
  method: 'POST',
  path: '/api/user/lead',
  token,
  body: { campaign_id: campaign, phone_number: '+15005550006', allow_dupplicate: true, variables: {} },
})

/** Sends a write of an account every 250 ms, whether or not earlier ones were answered, until one succeeds. Returns the milliseconds. */
export async function firstWrite({ client, url, servers }: Stage, account: LoadAccount): Promise<number> {
  const began = performance.now()
  let succeededAt: number | undefined
  let refused = 'no answer'
  while (succeededAt === undefined && performance.now() < began + lostMs) {
    void client.send(url, leadOf(account)).then((answer) => {
      if (answer && answer.status < 300) succeededAt ??= performance.now()
      else if (answer) refused = `${answer.status} ${JSON.stringify(answer.body)}`
    })
    await sleep(250)
  }
  if (succeededAt === undefined) {
    const ready = await Promise.all(
      servers.map(async (server) => {
        const answer = await client.send(server.url, { method: 'GET', path: '/readyz' })
        return `${server.name}: ${answer?.status} ${JSON.stringify(answer?.body)}`
      }),
    )
    throw new Error(`No write succeeded within ${lostMs / 1000} s: ${refused}. Ready: ${ready.join(', ')}`)
  }
  return succeededAt - began
}

/** Describes a time for people. */
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
