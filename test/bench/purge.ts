import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { purgeJobKind } from '../../src/platform/store/runtime/purge-batches.ts'
import { startPostgres } from '../support/servers/postgres-process.ts'
import { databaseUrl, order } from '../support/servers/postgres-server.ts'
import { type Figure, limit, median, quantile } from './measurements.ts'
import { freePort, makeHome, program, startServer, timed } from './processes.ts'

const section = 'purge'
/** Number of requests at the same time. */
const lanes = 4
/** Rows that one statement adds. */
const step = 1_000_000
/** Milliseconds after which the bench does not wait until all old rows are deleted: 30 million of them need hours. */
const maxDeletionMs = 10 * 60_000

/** Statements that add old rows of account 1 from `first` to `last`: half of them events, the others deliveries and steps of runs. */
const fill = (first: number, last: number): string[] => {
  const at = `(extract(epoch from now() - interval '60 days') * 1000000)::bigint + n`
  const series = (divisor: number): string =>
    `generate_series(${Math.ceil(first / divisor)}, ${Math.ceil(last / divisor) - 1}) n`
  return [
    `insert into outbox (account_id, kind, subject, payload, created_at, handled_at)
      select 1, 'message.sent', 'message ' || n, '{"text":"' || repeat('x', 100) || '"}', ${at}, ${at} from ${series(2)}`,
    `insert into delivery (account_id, message_id, event, lane, url, payload, status, attempts, tries_left, created_at)
      select 1, 'old-' || n, 'post_call', 'old', 'https://x.example', '{"text":"' || repeat('x', 100) || '"}', 'delivered', 1, 3, ${at}
      from ${series(4)}`,
    `insert into automation_run (id, account_id, automation_id, version_id, testing, status, payload, claims, held, mark, stalls, round, active, created_at, finished_at)
      select 'old-' || n, 1, a.id, a.live_version, 0, 'SUCCEEDED', '{}', 1, 0, 0, 0, 1, 0, ${at}, ${at}
      from ${series(16)}, (select id, live_version from automation where account_id = 1 limit 1) a`,
    `insert into automation_step (run, path, account_id, name, position, status, attempt, failures, started_at, finished_at)
      select r.number, 'step_' || p, 1, 'step_' || p, p, 'SUCCEEDED', 1, 0, 1, 1
      from automation_run r, generate_series(1, 4) p
      where r.id = any (select 'old-' || n from ${series(16)})`,
  ]
}

/**
 * Measures the latency of a POST while old rows of its account are deleted, in turns with the same server that deletes
 * nothing, and after all of them are deleted.
 */
export async function purge(
  rounds: number,
  roundMs: number,
  rows: number,
  say: (text: string) => void,
): Promise<readonly Figure[]> {
  const home = makeHome()
  const postgres = await startPostgres({ isDurable: true })
  const port = await freePort()
  await order(postgres.url, 'create database parley_purge')
  const url = databaseUrl(postgres.url, 'parley_purge')
  const env = { ...home.env, PARLEY_DATA_DIR: join(home.folder, 'data'), PARLEY_DATABASE: url }
  await timed([program, 'campaigns', 'list'], env)
  const args = [program, 'server', 'start', '--port', String(port), '--database', url]
  const server = await startServer(args, { env, folder: home.folder, port, path: '/readyz', headers: {} })
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [program, 'server', 'accounts', 'key', '1', '--json'],
      { env },
    )
    const { key } = JSON.parse(stdout) as { key: string }
    say(`Creating ${rows} old rows ...`)
    for (let first = 0; first < rows; first += step)
      for (const statement of fill(first, Math.min(rows, first + step))) await order(url, statement)
    for (const table of ['outbox', 'delivery', 'automation_run', 'automation_step'])
      await order(url, `vacuum analyze ${table}`)
    const start = (): Promise<unknown> =>
      order(
        url,
        `insert into due (account_id, kind, subject, due_at, attempts, lease_until)
          values (1, '${purgeJobKind}', '1', (extract(epoch from now()) * 1000000)::bigint, 0, 0)`,
      )
    const stop = (): Promise<unknown> => order(url, `delete from due where kind = '${purgeJobKind}'`)
    const measure = (): Promise<number[]> => latencies(port, key, roundMs)
    await measure()
    const [resting, purging]: [number[], number[]] = [[], []]
    say('Measuring in turns ...')
    for (let round = 0; round < rounds; round++) {
      resting.push(quantile(await measure(), 0.99))
      await start()
      purging.push(quantile(await measure(), 0.99))
      await stop()
    }
    const left = await oldRows(url)
    say(`Deleting the rest, ${left} rows ...`)
    const began = performance.now()
    await start()
    const isPurging = async (): Promise<boolean> =>
      (await order(url, `select id from due where kind = '${purgeJobKind}'`)).length > 0
    while ((await isPurging()) && performance.now() - began < maxDeletionMs) await sleep(500)
    await stop()
    const seconds = (performance.now() - began) / 1000
    const leftAtEnd = await oldRows(url)
    const after: number[] = []
    for (let round = 0; round < rounds; round++) after.push(quantile(await measure(), 0.99))
    const isEnough = seconds * 1000 >= maxDeletionMs
    return [
      ratioOf(`p99 of POST lead, ${rows} old rows: while purging / without`, purging, resting),
      ratioOf('p99 of POST lead: after purging / before', after, resting),
      { section, what: '  p99 without a purge', value: median(resting), unit: 'ms' },
      {
        section,
        what: `  old rows left ${isEnough ? `after ${maxDeletionMs / 60_000} minutes` : 'at the end'}`,
        value: leftAtEnd,
        unit: 'x',
        ...(!isEnough && { budget: limit(0) }),
      },
      ...(left > leftAtEnd
        ? [{ section, what: '  rows deleted in a second', value: (left - leftAtEnd) / seconds, unit: '/s' as const }]
        : []),
    ]
  } finally {
    await server.stop()
    await postgres.stop()
    home.remove()
  }
}

const ratioOf = (what: string, ours: readonly number[], floor: readonly number[]): Figure => ({
  section,
  what,
  value: median(ours) / median(floor),
  unit: 'x',
  budget: limit(1.2),
})

async function oldRows(url: string): Promise<number> {
  const [row] = await order(
    url,
    `select (select count(*) from outbox where kind = 'message.sent' and subject like 'message %' and created_at < extract(epoch from now() - interval '30 days') * 1000000)
      + (select count(*) from delivery where lane = 'old')
      + (select count(*) from automation_run where id like 'old-%') as n`,
  )
  return Number(row?.n)
}

/** Sends requests for some time, and returns the milliseconds until each was answered. */
async function latencies(port: number, key: string, ms: number): Promise<number[]> {
  const took: number[] = []
  const end = performance.now() + ms
  const body = JSON.stringify({ campaign_id: 1, phone_number: '+14155550142', allow_dupplicate: true })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const lane = async (): Promise<void> => {
    while (performance.now() < end) {
      const start = performance.now()
      const response = await fetch(`http://127.0.0.1:${port}/api/user/lead`, { method: 'POST', headers, body })
      await response.text()
      if (response.status !== 200) throw new Error(`POST lead: ${response.status}`)
      took.push(performance.now() - start)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return took
}
