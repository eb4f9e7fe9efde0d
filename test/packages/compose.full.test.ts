import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { parseEnv } from 'node:util'
import { expect, test } from 'vitest'
import { blocksOf, linesOf, page } from '../docs/documentation-pages.ts'
import { bin, launch, newFolder, newPlace, parley, run } from '../e2e/support/built-program.ts'
import { createServersDatabase, startHaproxy, startPgBouncer } from '../soak/cluster/system-services.ts'
import { composeServices, dockerfileInstructions, imageVariables, listOf } from '../support/container-files.ts'
import { startPostgres } from '../support/servers/postgres-process.ts'

// The services of compose.yaml without containers: an empty PostgreSQL, PgBouncer, the three servers with the variables of the file, and HAProxy. The commands
// are those of docs/operations.md, without `docker compose`.

const documented = linesOf(
  blocksOf(page('docs/operations.md')).find((it) => it.text.includes('docker compose'))?.text ?? '',
)
/** What the documentation runs inside a service. */
const inside = documented.flatMap((line) => {
  const [, service, words] = /^docker compose exec ([\w-]+) parley (.+)$/.exec(line) ?? []
  return service && words ? [{ service, words }] : []
})

/** Runs the documented command that writes .env. Resolves to its variables. */
async function writeEnv(): Promise<Record<string, string | undefined>> {
  const folder = newFolder()
  const command = documented.find((line) => line.endsWith('> .env')) as string
  const { exitCode, stderr } = await run('bash', ['-c', `cd "$0" && ${command}`, folder])
  expect(exitCode, stderr).toBe(0)
  return parseEnv(readFileSync(join(folder, '.env'), 'utf8'))
}

test('from an empty database, every server behind the proxy is ready and a request is answered', async (context) => {
  const { PARLEY_SECRET_KEY = '', POSTGRES_PASSWORD } = await writeEnv()
  expect(POSTGRES_PASSWORD).toMatch(/^[0-9a-f]{48}$/)
  const postgres = await startPostgres()
  const stops: (() => unknown)[] = [() => postgres.stop()]
  try {
    const pooler = await startPgBouncer(await createServersDatabase(postgres.url))
    if (!pooler) return context.skip('PgBouncer is not installed')
    stops.unshift(() => pooler.stop())
    const command = listOf(dockerfileInstructions().find((it) => it.name === 'CMD'))
    const listening = Object.entries(imageVariables()).filter(([name]) => /^PARLEY_L/.test(name))
    const services = Object.entries(composeServices()).filter(([name]) => name.startsWith('parley-'))
    const servers = []
    for (const [, { environment = {} }] of services) {
      const at = newPlace()
      const env = {
        ...Object.fromEntries(listening),
        ...environment,
        PARLEY_DATABASE: pooler.url,
        PARLEY_SECRET_KEY,
        PARLEY_LISTEN_PORT: '0',
        PARLEY_DRAIN_DELAY: '0',
      }
      const server = launch(execPath, [bin, ...command], { at, env })
      stops.unshift(() => {
        server.kill('SIGTERM')
        return server.ended
      })
      servers.push({ at, env, url: (await server.until('Listening on ')).trim(), said: server.stderr })
    }
    const [first] = servers
    if (!first) throw new Error('compose.yaml has no server')
    const key = JSON.parse((await parley('server accounts key 1 --json', { at: first.at, env: first.env })).stdout).key
    const proxy = await startHaproxy(servers)
    stops.unshift(() => proxy?.stop())
    for (const { url } of proxy ? [proxy, ...servers] : servers) {
      expect((await fetch(`${url}/readyz`)).status).toBe(200)
      const answer = await fetch(`${url}/api/user/api-keys`, { headers: { authorization: `Bearer ${key}` } })
      expect(answer.status, url).toBe(200)
    }
    expect(inside.length).toBeGreaterThan(1)
    for (const { service, words } of inside) {
      expect(service).toBe(services[0]?.[0])
      expect(await parley(words, { at: first.at, env: first.env }), words).toMatchObject({ exitCode: 0 })
    }
    for (const { said } of servers) expect(said()).not.toContain('pgbouncer.ini')
    const findings = JSON.parse((await parley('doctor --json', { at: first.at, env: first.env })).stdout)
    expect(findings.filter((it: { check: string }) => it.check === 'database_settings')).toEqual([])
    const nodes = JSON.parse((await parley('server nodes --json', { at: first.at, env: first.env })).stdout)
    expect(nodes).toHaveLength(services.length)
  } finally {
    for (const stop of stops) await stop()
  }
})
