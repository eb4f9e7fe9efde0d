import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { execPath } from 'node:process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  addProgram,
  type Finished,
  filledPlace,
  launch,
  type Place,
  parley,
  type Running,
  run,
  start,
} from '../e2e/support/built-program.ts'
import { freePort, type Server, startPostgres, systemPostgres } from '../support/servers/postgres-process.ts'
import { order } from '../support/servers/postgres-server.ts'
import { blocksOf, linesOf, page } from './documentation-pages.ts'

// Every script of docs/operations.md runs line by line, with the built program and PostgreSQL. Only ports and the host of the database differ. Lines that start a
// server run beside the others.

const scripts = blocksOf(page('docs/operations.md')).filter((it) => it.kind === 'bash')
const scriptWith = (text: string): string[] => linesOf(scripts.find((it) => it.text.includes(text))?.text ?? '')
/** Programs of PostgreSQL, if the machine has them. */
const tools = systemPostgres()

/** What the lines need of programs that are not installed: a new database, a copied file, a page. */
const stubs: Readonly<Record<string, string>> = {
  createdb: `#!/bin/sh\nfor name in "$@"; do :; done\nexec "${execPath}" --input-type=module -e '
import pg from "${join(import.meta.dirname, '../../node_modules/pg/esm/index.mjs')}"
const client = new pg.Client({ connectionString: process.env.ADMIN_URL })
await client.connect()
await client.query("create database " + process.argv[1] + " template template0")
await client.end()' "$name"\n`,
  scp: '#!/bin/sh\ncp "$PARLEY_DATA_DIR/$(basename "$1")" "$2"\n',
  curl: `#!/bin/sh\nfor url in "$@"; do :; done\nexec "${execPath}" -e 'fetch(process.argv[1]).then(async (it) => { console.log(await it.text()); process.exit(it.ok ? 0 : 22) })' "$url"\n`,
}

interface Reader {
  readonly at: Place
  readonly servers: Running[]
  /** Runs a line as it is written, and returns how it ended. */
  type(line: string): Promise<Finished>
}

async function readerOf(postgres: Server): Promise<Reader> {
  const at = await filledPlace(7)
  const path = join(at.dir, 'bin')
  addProgram(path)
  const isInstalled = (name: string): boolean =>
    (process.env.PATH ?? '').split(delimiter).some((it) => existsSync(join(it, name)))
  for (const [name, text] of Object.entries(stubs))
    if (name === 'scp' || !isInstalled(name)) writeFileSync(join(path, name), text)
  for (const name of readdirSync(path)) chmodSync(join(path, name), 0o755)
  const { port } = new URL(postgres.url)
  const env = {
    PATH: [path, dirname(execPath), at.env.PATH].join(delimiter),
    PGHOST: '127.0.0.1',
    PGPORT: port,
    PGUSER: 'app',
    ADMIN_URL: postgres.url,
  }
  const ports = new Map<string, number>()
  const servers: Running[] = []
  return {
    at,
    servers,
    async type(line) {
      for (const [port] of line.matchAll(/\b401\d\b/g)) if (!ports.has(port)) ports.set(port, await freePort())
      const actual = line
        .replaceAll(/\b401\d\b/g, (it) => String(ports.get(it)))
        .replaceAll(/@(127\.0\.0\.1|db\.example)\//g, `@127.0.0.1:${port}/`)
      if (!line.includes('server start')) return run('bash', ['-c', actual], { at, env })
      const server = launch('bash', ['-c', line.includes('--port') ? actual : `${actual} --port 0`], { at, env })
      await server.until('Listening on ')
      servers.push(server)
      return { exitCode: 0, stdout: server.stdout(), stderr: server.stderr() }
    },
  }
}

async function typeAll(reader: Reader, lines: readonly string[]): Promise<Finished[]> {
  const results: Finished[] = []
  for (const line of lines) {
    const result = await reader.type(line)
    expect(`${line}: ${result.exitCode}`, result.stderr).toBe(`${line}: 0`)
    results.push(result)
  }
  return results
}

async function stopAll({ servers }: Reader): Promise<void> {
  for (const server of servers) server.kill('SIGTERM')
  expect(await Promise.all(servers.map(async (it) => (await it.ended).exitCode))).toEqual(servers.map(() => 0))
}

test('every script of the page is run in this test', () => {
  expect(scripts.map((it) => linesOf(it.text)[0])).toEqual([
    expect.stringMatching(/^pg_dump /),
    'parley server stop',
    expect.stringMatching(/^createdb /),
    'parley server stop',
    expect.stringMatching(/^scp /),
  ])
})

describe('with PostgreSQL from npm', () => {
  let postgres: Server
  beforeAll(async () => {
    postgres = await startPostgres()
    await order(postgres.url, 'create role parley superuser login')
  })
  afterAll(() => postgres.stop())
  const dropDatabase = () => order(postgres.url, 'drop database if exists parley with (force)')

  test('ten commands turn one folder into three servers', async () => {
    await dropDatabase()
    const lines = scriptWith('4012')
    expect(lines).toHaveLength(10)
    const reader = await readerOf(postgres)
    const before = JSON.parse(
      (await parley('tools list --fields id,name,description --json', { at: reader.at })).stdout,
    )
    const old = start('server start --port 0', { at: reader.at })
    await old.until('Listening on ')
    const results = await typeAll(reader, lines)
    expect((await old.ended).exitCode).toBe(0)
    const [nodes, ready] = results.slice(-2)
    expect(nodes?.stdout.match(/http:\/\/127\.0\.0\.1:\d+/g)).toHaveLength(3)
    expect(JSON.parse(ready?.stdout ?? '')).toMatchObject({ status: 'ready' })
    for (const folder of ['second', 'third']) {
      const env = { PARLEY_DATA_DIR: join(reader.at.dir, folder) }
      expect(
        JSON.parse((await parley('tools list --fields id,name,description --json', { at: reader.at, env })).stdout),
      ).toEqual(before)
    }
    await stopAll(reader)
  })

  test('a folder is moved and moved back', async () => {
    await dropDatabase()
    const reader = await readerOf(postgres)
    await order(postgres.url, 'create database parley template template0')
    const old = start('server start --port 0', { at: reader.at })
    await old.until('Listening on ')
    await typeAll(reader, scriptWith('--to sqlite'))
    expect(existsSync(join(reader.at.data, 'database.json'))).toBe(false)
    expect((await parley('server check', { at: reader.at })).exitCode).toBe(0)
  })

  test('a new folder starts with a database, and another one joins it with the copied key', async () => {
    await dropDatabase()
    const reader = await readerOf(postgres)
    const empty = join(reader.at.dir, 'empty')
    const first: Reader = { ...reader, type: (line) => reader.type(`export PARLEY_DATA_DIR=${empty}; ${line}`) }
    await typeAll(first, scriptWith('createdb --encoding UTF8 --template template0 parley\nPGPASSWORD'))
    const [copy = '', start = ''] = scriptWith('scp ')
    await typeAll(first, [copy])
    expect(readFileSync(join(reader.at.dir, 'shared.key'), 'utf8')).toBe(
      readFileSync(join(empty, 'secret.key'), 'utf8'),
    )
    await typeAll(reader, [`PARLEY_DATA_DIR=joined ${start}`])
    const env = { PARLEY_DATA_DIR: empty }
    expect(JSON.parse((await parley('server nodes --json', { at: reader.at, env })).stdout)).toHaveLength(2)
    await stopAll(reader)
  })
})

if (!tools) console.warn('NOT RUN: the pg_dump script of docs/operations.md, because PostgreSQL is not installed.')

test.skipIf(!tools)('with the PostgreSQL of this machine, a dump and its key restore everything', async () => {
  const postgres = await startPostgres({ binaries: tools })
  try {
    await order(postgres.url, 'create role parley superuser login')
    const reader = await readerOf(postgres)
    for (const name of ['parley', 'restored']) await order(postgres.url, `create database ${name} template template0`)
    await typeAll(reader, ['parley server migrate --to postgres://parley@127.0.0.1/parley --switch'])
    await typeAll(reader, scriptWith('pg_dump'))
    const env = { PARLEY_DATA_DIR: join(reader.at.dir, 'restored') }
    const compared = await reader.type(
      'mkdir restored && cp parley.secret.key restored/secret.key && PARLEY_DATA_DIR=restored parley server migrate --from postgres://parley@127.0.0.1/restored --to postgres://parley@127.0.0.1/parley --verify --json',
    )
    expect(compared.exitCode, compared.stderr).toBe(0)
    const start = 'parley server start --port 4010 --database postgres://parley@127.0.0.1/restored'
    await typeAll(reader, [`PARLEY_DATA_DIR=restored ${start}`])
    const listTools = (options: object) =>
      parley('tools list --fields id,name,description --json', { at: reader.at, ...options })
    expect(await listTools({ env })).toEqual(await listTools({}))
    await stopAll(reader)
  } finally {
    await postgres.stop()
  }
})
