import { describe, expect, test } from 'vitest'
import { createLogWriter, type LogFormat } from '../../../../src/platform/server/monitoring/log-writer.ts'
import { servedPlatform } from './served-platform.ts'

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

/** Serves a platform and collects its log. */
async function logged(logFormat: LogFormat) {
  const texts: string[] = []
  const server = await servedPlatform({ logFormat, seed: 1, writeLog: async (text) => void texts.push(text) })
  return { ...server, lines: () => texts.join('').split('\n').filter(Boolean) }
}

describe('the log of a server', () => {
  test('has one JSON object for each request, with the account, request id and trace id, and no secrets', async () => {
    const { call, lines, stop, url } = await logged('json')
    await call('/api/user/tools?api_key=sk-abcdefghijklmnop', { 'x-request-id': 'r-1', traceparent })
    await call('/api/user/tools', { authorization: 'Bearer 1|wrong' })
    await call('/healthz')
    await stop()
    const entries = lines().map((it) => JSON.parse(it))
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    expect(entries).toEqual([
      { time, level: 'info', message: `Listening on ${url}` },
      {
        time,
        level: 'info',
        message: 'request',
        method: 'GET',
        path: '/api/user/tools?api_key=[hidden]',
        status: 200,
        ms: expect.any(Number),
        endpoint: 'tools.list',
        account: 1,
        request_id: 'r-1',
        trace_id: '0af7651916cd43dd8448eb211c80319c',
      },
      {
        ...{ time, level: 'info', message: 'request', method: 'GET', path: '/api/user/tools', status: 401 },
        ...{ ms: expect.any(Number), endpoint: 'tools.list', request_id: expect.any(String) },
      },
      { time, level: 'info', message: 'Draining. No new jobs are started, and requests in progress are finished.' },
      { time, level: 'info', message: 'Stopped.' },
    ])
  })

  test('has text for people in the format "pretty"', async () => {
    const { call, lines, stop } = await logged('pretty')
    await call('/api/user/tools', { 'x-request-id': 'r-2' })
    await stop()
    expect(lines()[1]).toMatch(
      /^\S+Z info {2}GET \/api\/user\/tools 200 [\d.]+ ms \(endpoint=tools\.list, account=1, request_id=r-2\)$/,
    )
  })

  test('is empty in the format "none"', async () => {
    const { call, lines, stop } = await logged('none')
    await call('/api/user/tools')
    await stop()
    expect(lines()).toEqual([])
  })

  test('continues the trace of a request in its response, and ignores an invalid one', async () => {
    const { call } = await servedPlatform()
    const answer = await call('/api/user/tools', { traceparent })
    expect(answer.headers.get('traceresponse')).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/)
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    for (const invalid of ['', 'ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', `00-${'0'.repeat(32)}-1-01`])
      expect((await call('/api/user/tools', { traceparent: invalid })).headers.get('traceresponse')).toBeNull()
  })
})

describe('lines of the log', () => {
  const collect = (write: (text: string) => Promise<void>) =>
    createLogWriter({ format: 'json', write, now: () => 0, redact: (text) => text.replaceAll('secret', '[hidden]') })

  test('of a problem have its first line as message, the ids of the request, and the rest as details', async () => {
    const texts: string[] = []
    const log = collect(async (text) => void texts.push(text))
    log.problem('GET /x: Error: secret\n  at one\n  at two', { request_id: 'r', trace_id: undefined })
    await log.flush()
    expect(texts.map((it) => JSON.parse(it))).toEqual([
      {
        time: '1970-01-01T00:00:00.000Z',
        level: 'error',
        message: 'GET /x: Error: [hidden]',
        request_id: 'r',
        details: '  at one\n  at two',
      },
    ])
  })

  test('are written together, and the number of those that a slow reader missed is logged', async () => {
    const texts: string[] = []
    let release: () => void = () => {}
    const blocked = new Promise<void>((resolve) => {
      release = resolve
    })
    const log = collect(async (text) => {
      texts.push(text)
      await blocked
    })
    for (let n = 0; n < 3; n++) log.event(`first ${n}`)
    await expect.poll(() => texts.length).toBe(1)
    for (let n = 0; n < 20; n++) log.event('x'.repeat(1024 * 1024))
    release()
    await log.flush()
    expect(texts[0]?.split('\n')).toHaveLength(4)
    expect(texts.at(-1)).toMatch(/Lines that are missing: \d+\./)
  })

  test('that cannot be written are lost without an effect on the server', async () => {
    const log = collect(async () => {
      throw new Error('closed')
    })
    log.event('one')
    await log.flush()
    log.event('two')
    await log.flush()
  })
})
