import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { inProcessTransport } from '../../../../../src/client/transport/in-process-transport.ts'
import { TransportError } from '../../../../../src/client/transport/transport.ts'
import { openPlatform } from '../../../../../src/platform/compose.ts'
import { schemaTemplate } from '../../../../support/databases.ts'
import { type Operator, operator, type Run, type RunOptions, sampleSeed, today } from '../../../../support/operator.ts'

export const stagingUrl = 'https://staging.example'
export const productionUrl = 'https://production.example'

/** What happens to a request: it is cut before it arrives, or after the platform has answered it. */
export type Cut = 'before' | 'after'

export interface TwoPlatforms {
  readonly by: Operator
  /** Writes since the last call: `production PUT /api/user/tools/2`. */
  takeWrites(): string[]
  /** Requests to production since the last call. */
  takeRequests(): string[]
  /** Cuts the request to production with this number, counted from the next command. */
  cut(n: number, when: Cut): void
  /** Called before each request to production. */
  onProduction(hook: ((method: string, url: string) => Promise<void>) | undefined): void
  run(line: string | readonly string[], options?: RunOptions): Promise<Run>
  /** Creates a key of production that decides about operations that wait for a person. */
  approver(): Promise<string>
  /** Runs a command in one profile and returns its JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the test knows what is printed
  json(profile: 'staging' | 'production', line: string): Promise<any>
}

/**
 * Creates an operator with the profiles "staging" and "production", two platforms with the same sample data.
 * `production` and `staging` replace the data of one, and `through` the answers of production.
 */
export async function twoPlatforms(
  production?: object,
  through: RunOptions['through'] = (handle, request) => handle(request),
  staging?: object,
): Promise<TwoPlatforms> {
  const platforms = new Map([
    [stagingUrl, await open(staging)],
    [productionUrl, await open(production)],
  ])
  const by = operator()
  let writes: string[] = []
  let requests: string[] = []
  let cutAt: readonly [number, Cut] | undefined
  let hook: ((method: string, url: string) => Promise<void>) | undefined
  const connect: RunOptions['connect'] = async (base) => {
    const platform = platforms.get(base)
    if (!platform) throw new Error(`No platform at ${base}`)
    const name = base === productionUrl ? 'production' : 'staging'
    const { send, close } = inProcessTransport(
      name === 'production' ? async (request) => through(platform.handle, request) : platform.handle,
    )
    return {
      base,
      close,
      async send(request, how) {
        if (name === 'production') {
          await hook?.(request.method, request.url)
          requests.push(`${request.method} ${request.url}`)
          const isCut = cutAt?.[0] === requests.length
          if (isCut && cutAt?.[1] === 'before') throw new TransportError('refused', 'cut', false)
          if (isCut) {
            if (request.method !== 'GET') writes.push(`${name} ${request.method} ${request.url}`)
            await send(request, how)
            throw new TransportError('reset', 'cut', true)
          }
        }
        if (request.method !== 'GET') writes.push(`${name} ${request.method} ${request.url}`)
        return send(request, how)
      },
    }
  }
  const run: TwoPlatforms['run'] = (line, options = {}) =>
    by.run(line, { connect, ...options, env: { PARLEY_RETRIES: '0', ...options.env } })
  for (const [url, { key }] of platforms) {
    const name = url === productionUrl ? 'production' : 'staging'
    expect(await run(`profile set ${name} --url ${url} --api-key-stdin`, { stdin: key })).toMatchObject({ exitCode: 0 })
  }
  const take = <T>(items: T[]): T[] => items.splice(0)
  return {
    by,
    run,
    takeWrites: () => take(writes),
    takeRequests: () => take(requests),
    cut(n, when) {
      requests = []
      writes = []
      cutAt = [n, when]
    },
    onProduction(next) {
      hook = next
    },
    async approver() {
      const production = platforms.get(productionUrl)
      const { body } = await (production as NonNullable<typeof production>).createKey({ name: 'Ada', scope: 'approve' })
      return JSON.parse(String(body)).token
    },
    async json(profile, line) {
      const result = await run(`--profile ${profile} ${line} --json`)
      expect(result.exitCode, result.stderr).toBe(0)
      return JSON.parse(result.stdout)
    },
  }
}

async function open(data?: object) {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-deployment-'))
  const platform = await openPlatform({
    dataDir,
    seed: sampleSeed,
    template: schemaTemplate,
    wall: () => today,
    durable: false,
    pid: process.pid,
    isAlive: () => true,
    ...(data && { data }),
  })
  onTestFinished(async () => {
    await platform.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const createKey = (body: object) =>
    platform.handle({
      method: 'POST',
      url: '/control/accounts/1/keys',
      headers: { 'parley-control': platform.credentials().control, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  return { handle: platform.handle, key: platform.credentials().key as string, createKey }
}
