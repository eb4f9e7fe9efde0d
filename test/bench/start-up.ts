import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { execa } from 'execa'
import { libsqlDriver } from '../../src/platform/store/sqlite/libsql-driver.ts'
import { everyCommand } from './every-command.ts'
import { type Figure, limit, median, ratio } from './measurements.ts'
import { type Env, freePort, type Home, keyOf, makeHome, peak, program, startServer, timed } from './processes.ts'

const section = 'start-up'

/** Program that imports the package, starts a platform with a seed, and ends with its first response. */
const firstAnswer = `require(${JSON.stringify(join(program, '../../dist/platform.js'))}).startPlatform({ seed: 7 }).then((it) =>
  require('node:http').get(it.url + '/api/user/api-keys', { headers: { authorization: 'Bearer ' + it.key } }, (answer) => {
    answer.resume().on('end', () => process.exit(answer.statusCode === 200 ? 0 : 1))
  }))`

/**
 * Program that does only what any such platform must do: it copies a database, opens it, listens, and ends with the first
 * response. What `startPlatform` takes beyond it is its own.
 */
const bareAnswer = (database: string): string => {
  const { path } = libsqlDriver().copyThread.data as { readonly path: string }
  return `const native = require(${JSON.stringify(path)}), http = require('node:http'), fs = require('node:fs')
  const copy = ${JSON.stringify(`${database}.copy`)}
  fs.copyFileSync(${JSON.stringify(database)}, copy)
  const opened = native.databaseOpen(copy, '', 'aes256cbc', '', 0, '')
  native.statementGet.call(native.databasePrepareSync.call(opened, 'select * from api_key'), [])
  http.createServer((_, answer) => answer.end('{}')).listen(0, '127.0.0.1', function () {
    http.get({ port: this.address().port }, (answer) => answer.resume().on('end', () => process.exit(0)))
  })`
}

interface Subject {
  readonly what: string
  readonly args: readonly string[]
  readonly env: Env
  readonly budget?: Figure['budget']
}

/**
 * Measures the real time of commands against that of `node -e 0`, in turns, and their peak memory over it. Then every
 * command once for eight of these rounds.
 */
export async function startUp(rounds: number, say: (text: string) => void): Promise<readonly Figure[]> {
  const homes = [makeHome(), makeHome()] as const
  const [own, served] = homes
  const ended: (() => Promise<void> | void)[] = homes.map((it) => it.remove)
  try {
    for (const { env } of homes) await timed([program, 'keys', 'list'], env)
    const port = await freePort()
    const server = await startServer([program, 'server', 'start', '--port', String(port)], {
      env: served.env,
      folder: served.folder,
      port,
      path: '/healthz',
      headers: {},
    })
    ended.unshift(server.stop)
    const tls = await overTls(own)
    ended.unshift(tls.stop)
    const list = ['keys', 'list']
    const subjects: Subject[] = [
      { what: '--version', args: ['--version'], env: own.env, budget: limit(1.1) },
      { what: '--help', args: ['--help'], env: own.env, budget: limit(1.15) },
      { what: 'numbers buy --help', args: ['numbers', 'buy', '--help'], env: own.env, budget: limit(1.4) },
      { what: 'completion of a word', args: ['__complete', '--', 'nu'], env: own.env, budget: limit(1.2) },
      {
        what: 'completion of an id that was listed',
        args: ['__complete', '--', 'keys', 'delete', ''],
        env: own.env,
        budget: limit(1.3),
      },
      { what: 'keys list, embedded platform', args: list, env: own.env, budget: limit(2.8) },
      {
        what: 'keys list, embedded, no compiled code kept',
        args: list,
        env: { ...own.env, NODE_DISABLE_COMPILE_CACHE: '1' },
      },
      { what: 'keys list, server on loopback', args: list, env: served.env, budget: limit(2.6) },
      {
        what: 'startPlatform of the package, to its first answer',
        args: ['-e', firstAnswer],
        env: { ...own.env, TMPDIR: own.folder },
        budget: limit(2.2),
      },
      {
        what: 'bare node:http and libsql, to the first answer',
        args: ['-e', bareAnswer(join(own.folder, 'data', 'platform.db'))],
        env: own.env,
      },
      { what: 'keys list, https on loopback', args: list, env: tls.env, budget: limit(3.4) },
    ]
    return [
      ...(await wallTimes(subjects, own, tls.env, rounds)),
      await memory(own, rounds),
      ...(await everyCommand(Math.ceil(rounds / 8), own, served, say)),
    ]
  } finally {
    for (const end of ended) await end()
  }
}

/** Returns the arguments of a command of the program, or of a separate program. */
const argsOf = (args: readonly string[]): readonly string[] => (args[0] === '-e' ? args : [program, ...args])

async function wallTimes(subjects: readonly Subject[], { env }: Home, tlsEnv: Env, rounds: number): Promise<Figure[]> {
  const floor: number[] = []
  const tlsFloor: number[] = []
  const times = subjects.map((): number[] => [])
  for (const { args, env } of subjects) await timed(argsOf(args), env)
  for (let round = 0; round < rounds; round++) {
    floor.push(await timed(['-e', '0'], env))
    tlsFloor.push(await timed(['-e', '0'], tlsEnv))
    for (const [n, { args, env }] of subjects.entries()) times[n]?.push(await timed(argsOf(args), env))
  }
  const figures = subjects.map(
    ({ what, budget }, n): Figure => ({ section, what, ...ratio(times[n] ?? [], floor), ...(budget && { budget }) }),
  )
  const overTls = times.at(-1) ?? []
  // Node 20 reads an additional authority, and all built-in ones, before anything else. No program can avoid that.
  return [...figures, { section, what: '  the same over node -e 0 with that authority', ...ratio(overTls, tlsFloor) }]
}

async function memory({ env, folder }: Home, rounds: number): Promise<Figure> {
  const over: number[] = []
  for (let round = 0; round < Math.ceil(rounds / 4); round++)
    over.push((await peak([program, 'keys', 'list'], env, folder)) - (await peak(['-e', '0'], env, folder)))
  return {
    section,
    what: 'peak memory of keys list over node -e 0',
    value: median(over),
    unit: 'MB',
    budget: limit(20),
  }
}

/**
 * Starts an HTTPS server with the responses of the platform in `home`, and returns an environment in which commands use
 * it.
 */
async function overTls(home: Home): Promise<{ readonly env: Env; stop(): void }> {
  const { stdout: answer } = await execa(process.execPath, [program, 'keys', 'list', '--envelope', '--json'], {
    env: home.env,
    extendEnv: false,
  })
  const [key, cert] = [join(home.folder, 'key.pem'), join(home.folder, 'cert.pem')]
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  await execa('openssl', [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    cert,
    ...subject,
  ])
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(answer)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    env: { ...home.env, PARLEY_BASE_URL: url, PARLEY_API_KEY: keyOf(home), NODE_EXTRA_CA_CERTS: cert },
    stop: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
