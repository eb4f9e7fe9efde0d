import { readFileSync, writeFileSync } from 'node:fs'
import { get, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Figure, limit, median, quantile } from './measurements.ts'
import { freePort, keyOf, makeHome, program, startServer, timed } from './processes.ts'

const section = 'inspector'
/** Milliseconds after which memory is read, so that work of the start has ended. */
const settleMs = 2000

interface Reply {
  readonly ms: number
  readonly status: number
  readonly cookie: string
  readonly body: string
}

/** Measures the inspector: first byte, a change until the page has it, searches, and memory of the server. */
export async function inspector(rounds: number, entries: number): Promise<readonly Figure[]> {
  const home = makeHome()
  const { env, folder, remove } = home
  const data = join(folder, 'data')
  await timed([program, 'keys', 'list'], env)
  writeFileSync(join(data, 'requests.ndjson'), requestLog(entries))
  const port = await freePort()
  const server = await startServer([program, 'server', 'start', '--port', String(port)], {
    env,
    folder,
    port,
    path: '/healthz',
    headers: {},
  })
  const ask = (method: string, path: string, headers: Record<string, string> = {}): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const start = performance.now()
      const sent = request({ port, host: '127.0.0.1', path, method, headers }, (response) => {
        const ms = performance.now() - start
        let body = ''
        response.on('data', (chunk: Buffer) => {
          body += chunk.toString()
        })
        response.on('end', () =>
          resolve({
            ms,
            status: response.statusCode ?? 0,
            cookie: String(response.headers['set-cookie']).split(';')[0] ?? '',
            body,
          }),
        )
      })
      sent.on('error', reject).end()
    })
  const figure = (what: string, values: readonly number[], at: number): Figure => ({
    section,
    what,
    value: median(values),
    unit: 'ms',
    spread: [quantile(values, 0.25), quantile(values, 0.75)],
    budget: limit(at),
  })
  try {
    await sleep(settleMs)
    const before = (await server.usage()).rssMb
    const first = await ask('GET', '/_parley/')
    const { control } = JSON.parse(readFileSync(join(data, 'credentials.json'), 'utf8')) as { control: string }
    const { path } = JSON.parse(
      (await ask('POST', '/control/inspector/logins', { 'parley-control': control })).body,
    ) as { path: string }
    const { cookie } = await ask('GET', path)
    const headers = { cookie, 'parley-inspector': '1' }
    const read = async (url: string): Promise<number> => {
      const { ms, status } = await ask('GET', `/_parley/api${url}`, headers)
      if (status !== 200) throw new Error(`${url} was answered with ${status}.`)
      return ms
    }
    const repeated = async (work: () => Promise<number>): Promise<number[]> => {
      await work()
      const all: number[] = []
      for (let n = 0; n < rounds; n++) all.push(await work())
      return all
    }
    const page = await repeated(async () => (await ask('GET', '/_parley/')).ms)
    const search = await repeated(() => read('/control/timeline?kinds=request&search=nowhere'))
    const newest = await repeated(() => read('/control/timeline'))
    const overview = await repeated(() => read('/control/overview?account=1'))
    const authorization = `Bearer ${keyOf(home)}`
    const changes = await follow(port, headers, async (next) => {
      const all: number[] = []
      for (let n = 0; n < rounds; n++) {
        const start = performance.now()
        const seen = next()
        await ask('GET', '/api/user/tools', { authorization })
        await seen
        all.push(performance.now() - start)
      }
      return all
    })
    await sleep(settleMs)
    const after = (await server.usage()).rssMb
    return [
      { section, what: 'first byte of the first page', value: first.ms, unit: 'ms', budget: limit(300) },
      figure('first byte of a page', page, 300),
      figure('request until the page has its change', changes, 200),
      figure(`search of ${entries} requests without a match`, search, 300),
      figure('newest entries of every kind', newest, 300),
      figure('overview with the findings of doctor', overview, 300),
      { section, what: 'memory of the idle server', value: before, unit: 'MB' },
      { section, what: 'memory after the pages were used', value: after, unit: 'MB' },
    ]
  } finally {
    await server.stop()
    remove()
  }
}

/** Follows the changes of a server. `work` gets a function that waits for the next change of a request. */
async function follow<T>(
  port: number,
  headers: Record<string, string>,
  work: (next: () => Promise<void>) => Promise<T>,
): Promise<T> {
  let onChange = (): void => {}
  const connection = await new Promise<ReturnType<typeof get>>((resolve) => {
    const sent = get({ port, host: '127.0.0.1', path: '/_parley/changes', headers }, (response) => {
      response.on('data', (chunk: Buffer) => {
        if (chunk.toString().includes('"kind":"request"')) onChange()
      })
      resolve(sent)
    })
  })
  try {
    return await work(
      () =>
        new Promise((resolve) => {
          onChange = resolve
        }),
    )
  } finally {
    connection.destroy()
  }
}

/** Returns a log of requests, as a server writes it. */
function requestLog(entries: number): string {
  const start = Date.now() - entries * 100
  const lines: string[] = []
  for (let id = 1; id <= entries; id++)
    lines.push(
      JSON.stringify({
        id,
        at: new Date(start + id * 100).toISOString(),
        method: 'GET',
        path: `/api/user/calls/${id}`,
        status: id % 50 === 0 ? 404 : 200,
        ms: 1.2,
        headers: { accept: 'application/json', authorization: 'Bearer 1|…', 'user-agent': 'bench' },
        body: null,
        answer: `{"id":${id},"status":"completed","duration":61,"client_phone_number":"+14155550142"}`,
      }),
    )
  return `${lines.join('\n')}\n`
}
