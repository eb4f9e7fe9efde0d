import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createLogWriter } from '../../../../src/platform/server/monitoring/log-writer.ts'
import { createMonitor } from '../../../../src/platform/server/monitoring/monitor.ts'
import { afterFile } from '../../../support/cleanup.ts'
import { databases } from '../../../support/databases.ts'
import { delay, hook, http, respond } from '../../../support/flow-definitions.ts'
import { fresh } from '../../../support/platform/test-platforms.ts'

const traceOf = (n: number): string => `${n}`.repeat(32)
const headerOf = (n: number): { traceparent: string } => ({ traceparent: `00-${traceOf(n)}-00f067aa0ba902b7-01` })

/** Starts a receiver that records the headers of requests by their path. */
async function receiver(): Promise<{ url: string; received: Map<string, IncomingHttpHeaders[]> }> {
  const received = new Map<string, IncomingHttpHeaders[]>()
  const server = createServer((request, response) => {
    const path = String(request.url)
    received.set(path, [...(received.get(path) ?? []), request.headers])
    request.resume().on('end', () => response.end('{}'))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  afterFile(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

describe.each(databases)('traces on $name', (database) => {
  async function traced() {
    const { url, received } = await receiver()
    const lines: string[] = []
    const log = createLogWriter({
      format: 'json',
      write: async (text) => void lines.push(...text.trim().split('\n')),
      now: Date.now,
      redact: (it) => it,
    })
    const api = await fresh(database, { monitor: createMonitor(log), log: log.problem, privateAddresses: true })
    const idsAt = (path: string): (string | undefined)[] =>
      (received.get(path) ?? []).map((it) => String(it.traceparent ?? '').split('-')[1])
    return { ...api, url, received, idsAt, lines, log }
  }

  it('of requests at the same time are continued by their deliveries', async () => {
    const { ask, control, platform, url, idsAt, received } = await traced()
    await ask('POST', '/api/user/assistants/enable-webhook', {
      body: { assistant_id: 1, webhook_url: `${url}/calls` },
    })
    const call = (headers: Record<string, string>, n: number) =>
      ask('POST', '/control/simulate/call', {
        key: null,
        headers: { 'parley-control': platform.credentials().control, ...headers },
        body: {
          direction: 'outbound',
          assistant: 1,
          phone_number: `+1415555014${n}`,
          turns: [{ assistant: 'Hello?' }, { customer: 'Bye' }],
        },
      })
    const answers = await Promise.all([call(headerOf(1), 1), call(headerOf(2), 2), call({}, 3)])
    expect(answers.map((it) => it.status)).toEqual(answers.map(() => answers[0]?.status))
    await control('POST', '/control/clock/advance', { by: '10m' })
    await platform.due.drain()
    const ids = idsAt('/calls')
    expect(ids.length).toBeGreaterThanOrEqual(3)
    expect(new Set(ids)).toEqual(new Set([traceOf(1), traceOf(2), undefined]))
    const spans = (received.get('/calls') ?? []).flatMap(({ traceparent }) => traceparent ?? [])
    for (const span of spans) expect(span).toMatch(/^00-[0-9a-f]{32}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$/)
  })

  it('are continued by HTTP steps of automations, also after a delay', async () => {
    const { ask, control, platform, url, idsAt } = await traced()
    const flow = {
      trigger: hook,
      steps: [
        http('GET', `${url}/before`),
        delay({ unit: 'minutes', delayFor: 60 }),
        http('GET', `${url}/after`),
        respond({ text: 'done' }),
      ],
    }
    const { body } = await ask('POST', '/api/user/automate/flows', {
      body: { name: 'Traced', flow, confirm_side_effects: true },
    })
    const before = [idsAt('/before').length, idsAt('/after').length] as const
    const path = `/automate/api/v1/webhooks/${body.automation_id}`
    await Promise.all([5, 6].map((n) => ask('POST', path, { key: null, headers: headerOf(n), body: { n } })))
    await platform.due.drain()
    await control('POST', '/control/clock/advance', { by: '2h' })
    await platform.due.drain()
    expect(new Set(idsAt('/before').slice(before[0]))).toEqual(new Set([traceOf(5), traceOf(6)]))
    expect(new Set(idsAt('/after').slice(before[1]))).toEqual(new Set([traceOf(5), traceOf(6)]))
  })

  it('are in the lines of problems', async () => {
    const { ask, lines, log } = await traced()
    await ask('GET', '/api/user/tools', { headers: headerOf(7) })
    await log.flush()
    expect(lines.map((it) => JSON.parse(it).trace_id)).toContain(traceOf(7))
  })
})
