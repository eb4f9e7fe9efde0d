import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { databases, temporaryFolder } from '../../../support/databases.ts'
import { operator } from '../../../support/operator.ts'
import { servedPlatform } from '../../server/monitoring/served-platform.ts'

type Server = Awaited<ReturnType<typeof servedPlatform>>

const nodesOf = async (server: Server) =>
  (JSON.parse((await server.control('GET', '/control/nodes')).body) as { data: { id: string; url: string }[] }).data

/** Serves the database from another folder, with the encryption key of the first one. */
const joining = (url: string, first: string): Promise<Server> =>
  servedPlatform({
    database: {
      urls: [{ url, source: 'a test', use: 'given' }],
      secretKey: { text: readFileSync(join(first, 'secret.key'), 'utf8'), source: 'a test', isStored: true },
    },
  })

describe.each(databases)('the servers of a database on $name', ({ target }) => {
  test('are listed with version, status, leases and the age of their heartbeat', async () => {
    const place = await target()
    const server = await servedPlatform({ ...('url' in place && { database: place.url }), version: '1.2.3' })
    expect(await nodesOf(server)).toEqual([
      {
        id: expect.stringContaining(`:${process.pid}:`),
        host: expect.any(String),
        pid: process.pid,
        url: server.url,
        version: '1.2.3',
        status: 'ready',
        leases: 0,
        heartbeat_age: expect.any(Number),
        started_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ])
  })

  test('drain when a command asks them to', async () => {
    const place = await target()
    const dataDir = temporaryFolder()
    const server = await servedPlatform({ dataDir, ...('url' in place && { database: place.url }) })
    const other = 'url' in place ? await joining(place.url, dataDir) : server
    const [node] = (await nodesOf(other)).filter((it) => it.url === server.url)
    const drain = (id: string) => other.control('POST', `/control/nodes/${encodeURIComponent(id)}/drain`, {})
    expect(await drain('nobody:1:x')).toMatchObject({ status: 404 })
    expect(await drain(node?.id ?? '')).toMatchObject({ status: 200 })
    // Over PostgreSQL, the server finds the request in its row with the next heartbeat.
    await server.drainRequested
    await server.stop()
    if (other !== server) expect((await nodesOf(other)).map((it) => it.url)).toEqual([other.url])
  })
})

describe('the commands', () => {
  test('list the one server of a folder, and stop it', async () => {
    const by = operator()
    expect(await by.json('server nodes')).toEqual([])
    const ended = by.run('server start --port 0')
    await expect.poll(() => by.json('server nodes')).toHaveLength(1)
    const [node] = (await by.json('server nodes')) as { url: string; status: string }[]
    expect(node).toMatchObject({ status: 'ready' })
    expect(await by.run('server drain elsewhere')).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining('No server "elsewhere" found.'),
    })
    expect(await by.run(`server drain ${node?.url}`)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('finishes its work and stops.'),
    })
    expect(await ended).toMatchObject({ exitCode: 0 })
    expect(await by.json('server nodes')).toEqual([])
  })
})
