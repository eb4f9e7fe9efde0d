import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import definitions from '@opentelemetry/otlp-transformer/build/src/generated/root.js'
import { createBackend, loadConfig } from 'autotel-mcp'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createOtlpExporter } from '../../../../src/platform/server/monitoring/otlp-exporter.ts'
import { hook, http, respond } from '../../../support/flow-definitions.ts'
import { freePort } from '../../../support/servers/postgres-process.ts'
import { servedPlatform } from './served-platform.ts'

const traceId = '5'.repeat(32)
const caller = '00f067aa0ba902b7'
const traced = { traceparent: `00-${traceId}-${caller}-01` }

/** Starts a server that keeps what it receives. `status` of the n-th request is how it answers; without one it never does. */
async function recorder(status: (n: number) => number | undefined = () => 200, answer = '{}') {
  const received: { path: string; headers: IncomingHttpHeaders; body: string }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push({ path: String(request.url), headers: request.headers, body })
    const code = status(received.length)
    if (code !== undefined) response.writeHead(code, { 'content-type': 'application/json' }).end(answer)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

const settingsOf = (endpoint: string) => ({ endpoint, headers: {}, service: 'parley-test' })

/** A server that exports its traces, with what a test does on it. */
async function exportingServer(endpoint: string, headers: Record<string, string> = {}) {
  const lines: string[] = []
  const server = await servedPlatform({
    otlp: { ...settingsOf(endpoint), headers },
    privateAddresses: true,
    log: (text) => lines.push(text),
  })
  const post = (path: string, body: object, given: Record<string, string> = {}) =>
    server.call(path, { 'content-type': 'application/json', ...given }, { method: 'POST', body: JSON.stringify(body) })
  return { ...server, post, lines }
}

/** Starts an automation by its webhook, and ends a call, in one trace. Returns when both are delivered. */
async function work({ post }: Pick<Awaited<ReturnType<typeof exportingServer>>, 'post'>, token: string) {
  const target = await recorder()
  const flow = { trigger: hook, steps: [http('POST', `${target.url}/step`), respond({ text: 'done' })] }
  const created = await post('/api/user/automate/flows', { name: 'Traced', flow, confirm_side_effects: true })
  const { automation_id: id } = JSON.parse(await created.text())
  target.received.length = 0
  expect((await post(`/automate/api/v1/webhooks/${id}`, { secret: token }, traced)).status).toBe(200)
  const webhook = { assistant_id: 1, webhook_url: `${target.url}/calls/${token}` }
  expect((await post('/api/user/assistants/enable-webhook', webhook)).status).toBe(200)
  const call = {
    direction: 'outbound',
    assistant: 1,
    phone_number: '+14155550142',
    turns: [{ assistant: `Hello ${token}` }],
  }
  return { target, call }
}

describe('exported traces', () => {
  test('have requests, runs, steps and deliveries, each with what caused it, in a receiver of others', async () => {
    const port = await freePort()
    const config = { ...loadConfig(['--backend', 'collector'], {}), collectorPort: port }
    const { backend, start, stop } = await createBackend(config)
    await start()
    onTestFinished(stop)
    const server = await exportingServer(`http://127.0.0.1:${port}/`)
    const { target, call } = await work(server, 'token')
    const controlled = { 'parley-control': server.controlToken, ...traced }
    expect((await server.post('/control/simulate/call', call, controlled)).status).toBeLessThan(300)
    await server.control('POST', '/control/clock/advance', { by: '10m' })
    const pathsOf = () => target.received.map((it) => it.path)
    await expect.poll(pathsOf).toEqual(expect.arrayContaining(['/step', '/calls/token']))
    await server.stop()

    const spans = (await backend.getTrace(traceId))?.spans ?? []
    const named = (name: string) => spans.filter((it) => it.operationName === name)
    const [run, step, delivery] = ['automation run', '@engine/piece-http send_request', 'webhook delivery'].map(
      (name) => named(name)[0],
    )
    const requests = spans.filter((it) => it.parentSpanId === caller)
    expect(requests).toHaveLength(2)
    expect(requests.map((it) => it.spanId)).toContain(run?.parentSpanId)
    expect(requests.map((it) => it.spanId)).toContain(delivery?.parentSpanId)
    expect(step).toMatchObject({ parentSpanId: run?.spanId, serviceName: 'parley-test', hasError: false })
    expect(run?.tags).toMatchObject({ 'parley.run.status': 'succeeded' })
    expect(delivery?.tags).toMatchObject({ 'http.response.status_code': 200, 'server.address': '127.0.0.1' })
    // A receiver of webhooks and HTTP steps that traces, too, names the work of Parley as its cause.
    const continued = (path: string) => target.received.find((it) => it.path === path)?.headers.traceparent
    expect(continued('/step')).toBe(`00-${traceId}-${step?.spanId}-01`)
    expect(named('webhook delivery').map((it) => `00-${traceId}-${it.spanId}-01`)).toContain(continued('/calls/token'))
  })

  test('are what the definitions of the protocol say, field by field', async () => {
    const { url, received } = await recorder()
    const server = await exportingServer(url, { 'api-key': 'k-1' })
    await work(server, 'token')
    await server.stop()
    const { ExportTraceServiceRequest: Request } = definitions.opentelemetry.proto.collector.trace.v1
    expect(received.map((it) => it.path)).toContain('/v1/traces')
    for (const { headers, body } of received) {
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'api-key': 'k-1' })
      const sent = JSON.parse(body)
      // Ids are hexadecimal in JSON, and bytes in the definitions.
      const known = Request.toObject(Request.fromObject(sent), { longs: String, bytes: String })
      expect(known).toEqual(sent)
    }
  })

  test('have no secret, no text of a message and no address of a receiver', async () => {
    const { url, received } = await recorder()
    const server = await exportingServer(url, { 'api-key': 'k-1' })
    const { call } = await work(server, 'hidden-token')
    const controlled = { 'parley-control': server.controlToken, ...traced }
    await server.post('/control/simulate/call', call, controlled)
    await server.call('/api/user/tools?key=hidden-token')
    await server.control('POST', '/control/clock/advance', { by: '10m' })
    await server.stop()
    const text = received.map((it) => it.body).join()
    expect(text).toContain('webhook delivery')
    for (const secret of ['hidden-token', server.controlToken, String(server.key), '4155550142', 'k-1'])
      expect(text).not.toContain(secret)
  })

  test('follow the caller that does not want one, and begin with a request that has none', async () => {
    const { url, received } = await recorder()
    const server = await exportingServer(url)
    await server.call('/api/user/tools', { traceparent: `00-${'6'.repeat(32)}-${caller}-00` })
    await server.call('/readyz')
    const response = (await server.call('/api/user/tools')).headers.get('traceresponse')?.split('-')
    await server.stop()
    const [resource] = JSON.parse(received[0]?.body ?? '').resourceSpans
    expect(resource.scopeSpans[0].spans).toEqual([
      expect.objectContaining({ traceId: response?.[1], spanId: response?.[2], name: 'tools.list', kind: 2 }),
    ])
    expect(resource.scopeSpans[0].spans[0]).not.toHaveProperty('parentSpanId')
  })
})

describe('a receiver that takes no traces', () => {
  test('costs a line in the log and a counter, and neither a request nor the end of the server waits for it', async () => {
    const server = await exportingServer(`http://127.0.0.1:${await freePort()}`)
    expect((await server.call('/api/user/tools')).status).toBe(200)
    await server.stop()
    expect(server.lines.filter((it) => it.includes('Traces'))).toEqual([
      expect.stringMatching(/^Traces cannot be exported to http:\/\/127\.0\.0\.1:\d+: connect ECONNREFUSED/),
      'Traces that were not exported before the server stopped: 1 spans.',
    ])
  })

  test('and never answers, holds up nothing', async () => {
    const { url, received } = await recorder(() => undefined)
    const server = await exportingServer(url)
    expect((await server.call('/api/user/tools')).status).toBe(200)
    await expect.poll(() => received.length, { timeout: 10_000 }).toBe(1)
    expect((await server.call('/api/user/tools')).status).toBe(200)
    await server.stop()
  })

  const span = (n: number) => ({ name: `${n}`, attributes: {}, hasFailed: false })

  /** An exporter, with how many spans were counted. */
  function exporterTo(endpoint: string) {
    const counts = { exported: 0, dropped: 0 }
    const lines: string[] = []
    const exporter = createOtlpExporter({
      ...settingsOf(endpoint),
      version: '1.0.0',
      count: (outcome, by) => void (counts[outcome] += by),
      log: (text) => lines.push(text),
    })
    const add = (n: number) => {
      for (let i = 0; i < n; i++) exporter.tracer.start('internal', undefined).end(span(i))
    }
    return { ...exporter, counts, lines, add }
  }

  test('lets a bounded number wait, and the others are dropped and counted', async () => {
    const { add, counts, close } = exporterTo(`http://127.0.0.1:${await freePort()}`)
    add(5000)
    expect(counts).toEqual({ exported: 0, dropped: 5000 - 4096 })
    await close(1000)
    expect(counts).toEqual({ exported: 0, dropped: 5000 })
  })

  test('for a moment, gets them again', async () => {
    const { url, received } = await recorder((n) => (n === 1 ? 503 : 200))
    const { add, counts, lines, close } = exporterTo(url)
    add(600)
    await expect.poll(() => counts.exported, { timeout: 10_000 }).toBe(600)
    expect(received[1]?.body).toBe(received[0]?.body)
    expect(lines).toEqual([expect.stringContaining('status 503'), `Traces are exported to ${url} again.`])
    await close(1000)
    expect(counts).toEqual({ exported: 600, dropped: 0 })
  })

  test('because it refuses them, gets later ones', async () => {
    const { url, received } = await recorder((n) => (n === 1 ? 400 : 200))
    const { add, counts, close } = exporterTo(url)
    add(512)
    await expect.poll(() => counts.dropped, { timeout: 10_000 }).toBe(512)
    add(2)
    await close(5000)
    expect([received.length, counts]).toEqual([2, { exported: 2, dropped: 512 }])
  })

  test('in part, says how many', async () => {
    const { url } = await recorder(() => 200, '{"partialSuccess":{"rejectedSpans":"3"}}')
    const { add, counts, close } = exporterTo(url)
    add(10)
    await close(5000)
    expect(counts).toEqual({ exported: 7, dropped: 3 })
  })
})
