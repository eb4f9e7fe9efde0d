import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, startServer } from '../bench/processes.ts'
import { startPostgres } from '../support/servers/postgres-process.ts'
import { databaseUrl, order } from '../support/servers/postgres-server.ts'

export interface BulkSoak {
  readonly folder: string
  /** Path of the built program. */
  readonly program: string
  readonly rows: number
  readonly kills: number
  readonly of: 'leads' | 'messages'
  /** Variables that name a server, if the platform is not that of the folder. */
  readonly platform?: Readonly<Record<string, string>>
}

interface Sent {
  readonly done: number
  readonly kills: number
  readonly wrong: string[]
}

const numberOf = (n: number): string => `+1415${5_000_000 + n}`

/**
 * Runs one bulk command repeatedly and kills each run with `kill -9` at a different time. The last run finishes, and
 * the result is checked.
 */
export async function bulkSoak({ folder, program, rows, kills, of, platform }: BulkSoak): Promise<Sent> {
  const file = join(folder, 'rows.csv')
  writeFileSync(file, `phone\n${Array.from({ length: rows }, (_, n) => `${numberOf(n)}\n`).join('')}`)
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    PARLEY_DATA_DIR: join(folder, 'data'),
    PARLEY_CONFIG_DIR: join(folder, 'config'),
    ...platform,
  }
  const parley = (...args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
      env,
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
    })
    if (status !== 0) throw new Error(`parley ${args.join(' ')} ended with ${status}: ${stderr}`)
    return stdout
  }
  parley('campaigns', 'list')
  const line =
    of === 'leads'
      ? ['leads', 'import', '--campaign', '1', '--file', file]
      : ['messaging', 'send', '--sender', '1', '--template', 'opening_hours', '--file', file, '--yes']
  let killed = 0
  for (let n = 0; n < kills; n++) {
    const run = spawn(process.execPath, [program, ...line, '-o', 'ndjson'], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await afterItems(run, 1 + Math.floor((rows / kills) * 0.8 * Math.random()))
    if (run.kill('SIGKILL')) killed += 1
    if (run.exitCode === null && run.signalCode === null) await once(run, 'close')
  }
  const last = JSON.parse(parley(...line, '--json')) as Record<string, number>
  const there =
    of === 'leads'
      ? parley('leads', 'list', '--campaign', '1', '--all', '-o', 'tsv', '--fields', 'phone_number', '--no-header')
          .trim()
          .split('\n')
      : (JSON.parse(parley('server', 'accounts', 'ledger', '1', '--json')) as { reason: string }[]).map((entry) =>
          entry.reason.replace('Message to ', ''),
        )
  const times = new Map<string, number>()
  for (const key of there) times.set(key, (times.get(key) ?? 0) + 1)
  const wrong = Array.from({ length: rows }, (_, n) => numberOf(n)).filter((it) => times.get(it) !== 1)
  const done = (last.done ?? 0) + (last.done_before ?? 0)
  if (done !== rows) wrong.push(`the last run says ${JSON.stringify(last)}`)
  return {
    done,
    kills: killed,
    wrong: wrong.map((it) => (times.has(it) ? `${it} is there ${times.get(it)} times` : it)),
  }
}

/** The same for leads that a server over PostgreSQL receives, many in each request. */
export async function batchSoak(options: Omit<BulkSoak, 'of' | 'platform'>): Promise<Sent> {
  const { folder, program } = options
  const postgres = await startPostgres()
  try {
    await order(postgres.url, 'create database parley_batches')
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      PARLEY_DATA_DIR: join(folder, 'server'),
      PARLEY_CONFIG_DIR: join(folder, 'config'),
      PARLEY_DATABASE: databaseUrl(postgres.url, 'parley_batches'),
    }
    const parley = (...args: readonly string[]): string => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { env, encoding: 'utf8' })
      if (status !== 0) throw new Error(`parley ${args.join(' ')} ended with ${status}: ${stderr}`)
      return stdout
    }
    parley('campaigns', 'list')
    const port = await freePort()
    const start = [program, 'server', 'start', '--port', String(port)]
    const server = await startServer(start, { env, folder, port, path: '/readyz', headers: {} })
    try {
      const { key } = JSON.parse(parley('server', 'accounts', 'key', '1', '--json')) as { key: string }
      const platform = { PARLEY_BASE_URL: `http://127.0.0.1:${port}`, PARLEY_API_KEY: key }
      return await bulkSoak({ ...options, of: 'leads', platform })
    } finally {
      await server.stop()
    }
  } finally {
    await postgres.stop()
  }
}

/** Resolves after a number of reported items, or when the run has ended. */
async function afterItems(run: ChildProcess, items: number): Promise<void> {
  let seen = 0
  await new Promise<void>((resolve) => {
    run.stdout?.on('data', (chunk: Buffer) => {
      seen += String(chunk).split('"type":"item"').length - 1
      if (seen >= items) resolve()
    })
    run.once('close', () => resolve())
  })
}
