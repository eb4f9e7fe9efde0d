import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { type Served, serversIn } from './server-processes.ts'

/**
 * Two servers and a number of commands write to one folder at the same time, at least twice each, independently.
 * Everything that was acknowledged must exist at the end.
 * `program` is bin/parley.js, which then opens the folder directly.
 */
export async function crowd({
  folder,
  program,
  commands,
  ms,
}: {
  readonly folder: string
  readonly program: string
  readonly commands: number
  readonly ms: number
}) {
  const start = await serversIn(folder)
  const servers = [await start(false), await start(false)] as const
  const [first] = servers
  const end = performance.now() + ms
  const made: string[] = []
  const wrong: string[] = []
  const counts = { overHttp: 0, byCommand: 0 }
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    PARLEY_DATA_DIR: first.dataDir,
    PARLEY_CONFIG_DIR: join(folder, 'config'),
    PARLEY_CACHE_DIR: join(folder, 'cache'),
  }

  async function client(server: Served, name: string): Promise<void> {
    for (let n = 0; performance.now() < end || n < 2; n++) {
      const { status, body } = await server.ask('POST', '/api/user/api-keys', { name: `${name}-${n}` })
      if (status >= 300) wrong.push(`${name}-${n}: ${status} ${JSON.stringify(body)}`)
      else made.push(`${name}-${n}`)
      counts.overHttp++
    }
  }
  async function commander(name: string): Promise<void> {
    for (let n = 0; performance.now() < end || n < 2; n++) {
      const child = spawn(process.execPath, [program, 'keys', 'create', '--name', `${name}-${n}`, '--json'], {
        env,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      let errors = ''
      child.stderr.on('data', (chunk: Buffer) => (errors += String(chunk)))
      const code = await new Promise((resolve) => child.once('close', resolve))
      if (code === 0) made.push(`${name}-${n}`)
      else wrong.push(`${name}-${n}: exit ${code}, ${errors}`)
      counts.byCommand++
    }
  }
  try {
    const clients = servers.map((it, n) => client(it, `server${n}`))
    await Promise.all([...clients, ...Array.from({ length: commands }, (_, n) => commander(`command${n}`))])
    const saved = new Set(
      ((await first.ask('GET', '/api/user/api-keys')).body.api_keys as { name: string }[]).map((it) => it.name),
    )
    for (const key of made) if (!saved.has(key)) wrong.push(`${key} was made and is lost`)
    return { wrong, ...counts }
  } finally {
    for (const server of servers) await server.worker.kill()
  }
}
