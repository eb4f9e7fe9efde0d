import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { renderMetrics } from '../../../../src/platform/server/monitoring/render-metrics.ts'
import { databases, temporaryFolder } from '../../../support/databases.ts'
import { servedPlatform } from './served-platform.ts'

/** Returns the samples of a page of metrics, by name and labels. */
async function samplesOf(answer: Response): Promise<Record<string, number>> {
  const lines = (await answer.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.lastIndexOf(' ')
      return [line.slice(0, at), Number(line.slice(at + 1))]
    }),
  )
}

describe.each(databases)('the metrics of a server on $name', ({ name, target }) => {
  test('count requests by endpoint and status, rate limits, transactions, jobs and leases', async () => {
    const place = await target()
    const { call, control } = await servedPlatform({
      ...('url' in place && { database: place.url }),
      limit: { name: 'all', max: 3, seconds: 60 },
      seed: 1,
    })
    await control('POST', '/control/clock/freeze', {})
    for (const path of ['tools', 'tools', 'tools/99', 'tools']) await call(`/api/user/${path}`)
    await call('/nowhere')
    const answer = await call('/metrics')
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const samples = await samplesOf(answer)
    expect(samples).toMatchObject({
      'parley_http_requests_total{endpoint="tools.list",status="200"}': 2,
      'parley_http_requests_total{endpoint="tools.get",status="404"}': 1,
      'parley_http_requests_total{endpoint="tools.list",status="429"}': 1,
      'parley_http_requests_total{endpoint="none",status="404"}': 1,
      'parley_http_request_duration_seconds_bucket{endpoint="tools.list",status="200",le="+Inf"}': 2,
      'parley_http_request_duration_seconds_count{endpoint="tools.list",status="200"}': 2,
      'parley_rate_limit_refusals_total{limit="all"}': 1,
      parley_http_requests_in_flight: 1,
      parley_ready: 1,
      parley_leases: 0,
      parley_jobs_oldest_due_seconds: 0,
      'parley_build_info{version="0.0.0"}': 1,
    })
    expect(samples['parley_database_transactions_total{outcome="committed"}']).toBeGreaterThan(0)
    expect('parley_database_connections{pool="transactions",state="max"}' in samples).toBe(name === 'postgres')
  })

  test('name the jobs that are due, how old the oldest one is, and how they ended', async () => {
    const place = await target()
    const { call, control } = await servedPlatform({ ...('url' in place && { database: place.url }), seed: 1 })
    await control('POST', '/control/clock/advance', { by: '40d' })
    const samples = await samplesOf(await call('/metrics'))
    const jobs = Object.keys(samples).filter((it) => it.startsWith('parley_jobs_total{'))
    expect(jobs).not.toEqual([])
    for (const job of jobs)
      expect(job).toMatch(/^parley_jobs_total\{kind="[\w.-]+",outcome="(done|failed|taken_over)"\}$/)
  })
})

describe('the page of metrics', () => {
  test('is only for this machine, also behind a proxy, unless it is public', async () => {
    const { call } = await servedPlatform()
    expect((await call('/metrics')).status).toBe(200)
    expect((await call('/metrics', { 'x-forwarded-for': '203.0.113.9' })).status).toBe(403)
    const open = await servedPlatform({ publicMetrics: true })
    expect((await open.call('/metrics', { 'x-forwarded-for': '203.0.113.9' })).status).toBe(200)
  })

  test('is answered when the database is not, says so, and counts the requests that failed', async () => {
    const dataDir = temporaryFolder()
    const { call } = await servedPlatform({ dataDir })
    const healthy = await samplesOf(await call('/metrics'))
    expect(healthy).toMatchObject({ parley_database_ready: 1, parley_jobs_oldest_due_seconds: 0 })
    rmSync(join(dataDir, 'platform.db'))
    const label = { method: 'POST', body: '{"name":"new"}' }
    expect((await call('/api/user/label', { 'content-type': 'application/json' }, label)).status).toBe(503)
    const samples = await samplesOf(await call('/metrics'))
    expect(samples).toMatchObject({
      parley_database_ready: 0,
      'parley_database_failures_total{reason="replaced"}': 1,
    })
    expect(samples).not.toHaveProperty('parley_jobs_oldest_due_seconds')
  })

  test('needs no key', async () => {
    const { url } = await servedPlatform()
    expect((await fetch(`${url}/metrics`)).status).toBe(200)
  })
})

test('the text format escapes labels and help, and has a line for each sample', () => {
  expect(
    renderMetrics([
      {
        name: 'a_total',
        help: 'Back\\slash\nline',
        type: 'counter',
        samples: [
          { labels: { kind: 'quo"te\\\n', n: 2 }, value: 1.5 },
          { suffix: '_sum', value: Number.POSITIVE_INFINITY },
        ],
      },
    ]),
  ).toBe(
    '# HELP a_total Back\\\\slash\\nline\n# TYPE a_total counter\na_total{kind="quo\\"te\\\\\\n",n="2"} 1.5\na_total_sum +Inf\n',
  )
})
