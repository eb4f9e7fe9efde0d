import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execPath } from 'node:process'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrations } from '../../src/platform/store/migrations/all.ts'
import { bin, launch, newFolder, newPlace, type Place, type Running, run } from '../e2e/support/built-program.ts'
import { credentialsOf } from '../e2e/support/server-process.ts'
import { type Server, startPostgres } from '../support/servers/postgres-process.ts'
import { databaseUrl, order } from '../support/servers/postgres-server.ts'

// Two builds share one PostgreSQL: this one, and one of a later version, whose schema has an additive step more.

const root = join(import.meta.dirname, '../..')

/** Versions of the schema of this build and of the later one. */
const schema = migrations.length
const laterSchema = schema + 1
const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version as string
const laterFile = `${String(laterSchema).padStart(4, '0')}-next.ts`

/** Columns in tables that every request reads, a table and an index. */
const nextMigration = `import type { Migration } from '../database/connection.ts'

export const next: Migration = {
  version: ${laterSchema},
  name: 'next',
  up: [
    ...['account', 'api_key', 'tool', 'lead', 'campaign', 'due', 'outbox', 'server_node', 'automation_version', 'automation_run'].map(
      (table) => \`alter table \${table} add column next_note text\`,
    ),
    'create table next_table (id {{bigint}} primary key not null) {{strict}}',
    'create index next_lead on lead (next_note)',
  ],
}
`

/** Builds the later version in a copy of the sources. Returns its program. */
async function buildNext(): Promise<string> {
  const folder = newFolder()
  for (const name of ['src', 'bin', 'scripts', 'man', 'completions', 'package.json', 'tsconfig.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true })
  mkdirSync(join(folder, 'test/golden'), { recursive: true })
  cpSync(join(root, 'test/golden/openapi.json'), join(folder, 'test/golden/openapi.json'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const change = (name: string, pattern: RegExp, by: string): void => {
    const path = join(folder, 'src/platform/store/migrations', name)
    const text = readFileSync(path, 'utf8')
    expect(text).toMatch(pattern)
    writeFileSync(path, text.replace(pattern, by))
  }
  change('index.ts', new RegExp(`schemaVersion = ${schema}\\b`), `schemaVersion = ${schema + 1}`)
  change('all.ts', /^/, `import { next } from './${laterFile}'\n`)
  change('all.ts', /\]\s*$/, '  next,\n]\n')
  writeFileSync(join(folder, 'src/platform/store/migrations', laterFile), nextMigration)
  const manifest = join(folder, 'package.json')
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace(/"version": "[^"]+"/, '"version": "9.0.0"'))
  const { exitCode, stderr } = await run(execPath, [join(folder, 'scripts/build.mjs'), folder])
  expect(exitCode, stderr).toBe(0)
  return join(folder, 'bin/parley.js')
}

interface RunningServer {
  readonly at: Place
  readonly url: string
  readonly process: Running
}

async function serve(program: string, at: Place, database: string): Promise<RunningServer> {
  const process = launch(execPath, [program, 'server', 'start', '--port', '0', '--database', database], { at })
  return { at, process, url: await process.until('Listening on ') }
}

/** Requests to a server until it is stopped: every status, and the phone numbers of leads that were created. */
function loadOn({ url, at }: RunningServer, prefix: string) {
  const { key } = credentialsOf(at)
  const statuses: number[] = []
  const created: string[] = []
  const texts: string[] = []
  let isOver = false
  const ask = async (method: string, path: string, body?: object): Promise<number> => {
    const answer = await fetch(`${url}/api/user/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    statuses.push(answer.status)
    if (answer.status >= 400) texts.push(`${method} ${path}: ${answer.status} ${text}`)
    return answer.status
  }
  const ended = (async () => {
    for (let n = 0; !isOver; n++) {
      const number = `+1415${prefix}${String(n).padStart(4, '0')}`
      if ((await ask('POST', 'lead', { campaign_id: 2, phone_number: number })) < 300) created.push(number)
      for (const path of ['tools/1', 'leads?per_page=5', 'campaigns', 'automate/flows', 'api-keys'])
        await ask('GET', path)
    }
  })()
  return {
    created,
    texts,
    count: () => statuses.length,
    async stop() {
      isOver = true
      await ended
    },
  }
}

async function ask(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

const schemaOf = async (url: string): Promise<string> =>
  String((await ask(url, "select value from meta where key = 'schema_version'"))[0]?.value)

let next: string
beforeAll(async () => {
  next = await buildNext()
})

describe('two versions on one data folder with SQLite', () => {
  const later = (at: Place, ...words: string[]) => run(execPath, [next, ...words], { at })
  const earlier = (at: Place, ...words: string[]) => run(execPath, [bin, ...words], { at })

  test('the older one refuses the folder once the newer one has used it, names both, and changes nothing', async () => {
    const at = newPlace()
    expect(await earlier(at, 'keys', 'create', '--name', 'old', '--json')).toMatchObject({ exitCode: 0 })
    const { exitCode, stdout } = await later(at, 'keys', 'list', '--json')
    expect([exitCode, JSON.parse(stdout).map((it: { name: string }) => it.name)]).toEqual([
      0,
      expect.arrayContaining(['old']),
    ])
    const before = readFileSync(join(at.data, 'platform.db'))
    for (const words of [
      ['keys', 'list'],
      ['keys', 'create', '--name', 'lost'],
      ['server', 'start', '--port', '0'],
    ]) {
      const refused = await earlier(at, ...words)
      expect(refused.exitCode, words.join(' ')).not.toBe(0)
      expect(refused.stderr).toContain(
        `newer version of Parley (9.0.0, schema ${laterSchema}). This is ${own}, schema ${schema}. Upgrade Parley to 9.0.0 or later`,
      )
    }
    expect(readFileSync(join(at.data, 'platform.db')).equals(before)).toBe(true)
    // The upgrade saved a copy to return to.
    expect(existsSync(join(at.data, `platform.db.v${schema}.bak`))).toBe(true)
  })

  test('a command of the newer one goes through a server of the older one, whose schema does not change', async () => {
    const at = newPlace()
    const server = launch(execPath, [bin, 'server', 'start', '--port', '0'], { at })
    const url = await server.until('Listening on ')
    expect(await later(at, 'keys', 'create', '--name', 'new', '--json')).toMatchObject({ exitCode: 0 })
    const { key } = credentialsOf(at)
    const keys = await fetch(`${url}/api/user/api-keys`, { headers: { authorization: `Bearer ${key}` } })
    expect(await keys.text()).toContain('"new"')
    server.kill('SIGTERM')
    expect((await server.ended).exitCode).toBe(0)
    expect((await earlier(at, 'keys', 'list', '--json')).stdout).toContain('"new"')
  })
})

describe('a rolling upgrade of servers over PostgreSQL', () => {
  let postgres: Server
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.stop())

  async function firstServers(name: string): Promise<{ url: string; servers: RunningServer[]; place(): Place }> {
    await order(postgres.url, `create database ${name}`)
    const url = databaseUrl(postgres.url, name)
    const first = await serve(bin, newPlace(), url)
    const place = (): Place => {
      const at = newPlace()
      mkdirSync(at.data, { recursive: true })
      cpSync(join(first.at.data, 'secret.key'), join(at.data, 'secret.key'))
      return at
    }
    return { url, place, servers: [first, await serve(bin, place(), url)] }
  }

  test('servers of the previous version keep working under load and after a restart, until a version after the next refuses them', async () => {
    const { url, servers, place } = await firstServers('rolling')
    expect(await schemaOf(url)).toBe(String(schema))
    const loads = servers.map((it, n) => loadOn(it, String(200 + n)))
    await expect.poll(() => loads.every((it) => it.count() > 60)).toBe(true)

    const upgraded = await serve(next, place(), url)
    expect(await schemaOf(url)).toBe(String(laterSchema))
    const before = loads.map((it) => it.count())
    await expect.poll(() => loads.every((it, n) => it.count() > (before[n] ?? 0) + 60)).toBe(true)
    for (const load of loads) await load.stop()
    expect(loads.flatMap((it) => it.texts)).toEqual([])
    const stored = (await ask(url, 'select phone_number from lead')).map((it) => it.phone_number)
    expect(loads.flatMap((it) => it.created).filter((it) => !stored.includes(it))).toEqual([])

    // A server of the previous version survives a restart, and writes.
    const [remaining, stopped] = servers as [RunningServer, RunningServer]
    stopped.process.kill('SIGTERM')
    expect((await stopped.process.ended).exitCode).toBe(0)
    const restarted = await serve(bin, stopped.at, url)
    const again = loadOn(restarted, '400')
    await expect.poll(() => again.count() > 60).toBe(true)
    await again.stop()
    expect(again.texts).toEqual([])
    expect(again.created.length).toBeGreaterThan(0)
    expect(await schemaOf(url)).toBe(String(laterSchema))
    // It does not know every table, so it erases none.
    const reset = await run(execPath, [bin, 'server', 'reset', '--yes'], { at: restarted.at })
    expect(reset.exitCode).not.toBe(0)
    expect(await ask(url, 'select 1 from lead limit 1')).toHaveLength(1)

    // Once the next but one has been there, it is refused by name.
    restarted.process.kill('SIGTERM')
    expect((await restarted.process.ended).exitCode).toBe(0)
    await ask(url, `update meta set value = '${laterSchema}' where key = 'schema_oldest'`)
    for (const words of [
      ['server', 'start', '--port', '0'],
      ['tools', 'list'],
    ]) {
      const { exitCode, stderr } = await run(execPath, [bin, ...words], { at: restarted.at })
      expect(exitCode).not.toBe(0)
      expect(stderr).toContain(
        `newer version of Parley (9.0.0, schema ${laterSchema}). This is ${own}, schema ${schema}. Upgrade Parley to 9.0.0 or later`,
      )
    }
    // The one that still runs is not affected; the other continues as the new version.
    expect((await fetch(`${remaining.url}/readyz`)).status).toBe(200)
    const replaced = await serve(next, restarted.at, url)
    const nodes = await run(execPath, [next, 'server', 'nodes', '--json'], { at: replaced.at })
    expect(
      JSON.parse(nodes.stdout)
        .map((it: { version: string }) => it.version === '9.0.0')
        .sort(),
    ).toEqual([false, true, true])
    const check = await run(execPath, [next, 'server', 'check'], { at: replaced.at })
    expect(check.exitCode, check.stdout).toBe(0)
    for (const server of [remaining, upgraded, replaced]) server.process.kill('SIGTERM')
    for (const server of [remaining, upgraded, replaced]) expect((await server.process.ended).exitCode).toBe(0)
  })

  test('a schema change waits for a long transaction without blocking the previous version', async () => {
    const { url, servers, place } = await firstServers('waiting')
    const holder = new pg.Client({ connectionString: url })
    await holder.connect()
    await holder.query('begin')
    await holder.query('select count(*) from lead')
    const starting = launch(execPath, [next, 'server', 'start', '--port', '0', '--database', url], { at: place() })
    holder.on('error', () => {})
    const isWaiting = async () =>
      (
        await ask(
          postgres.url,
          "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'alter table lead%'",
        )
      ).length === 1
    await expect.poll(isWaiting).toBe(true)
    // Requests behind the waiting change are answered as soon as it gives up its turn.
    const load = loadOn(servers[0] as RunningServer, '300')
    await expect.poll(() => load.count() > 60).toBe(true)
    expect(starting.stdout()).toBe('')
    expect(await schemaOf(url)).toBe(String(schema))
    await load.stop()
    expect(load.texts).toEqual([])
    await holder.query('commit')
    await holder.end()
    await starting.until('Listening on ')
    expect(await schemaOf(url)).toBe(String(laterSchema))
    expect(existsSync(join(servers[0]?.at.data ?? '', 'database.json'))).toBe(true)
    for (const process of [...servers.map((it) => it.process), starting]) process.kill('SIGTERM')
    for (const process of [...servers.map((it) => it.process), starting]) expect((await process.ended).exitCode).toBe(0)
  })
})
