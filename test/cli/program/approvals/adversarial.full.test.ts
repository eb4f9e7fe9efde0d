import { randomInt } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { controlEndpoints } from '../../../../src/contract/control/index.ts'
import { approvalClass } from '../../../../src/contract/endpoint/approval-class.ts'
import type { PlainRequest } from '../../../../src/contract/endpoint/http-message.ts'
import { endpoints } from '../../../../src/contract/resources/index.ts'
import { routes } from '../../../../src/generated/routes.ts'
import { createRouter } from '../../../../src/platform/server/http/router.ts'
import { type Operator, operator } from '../../../support/operator.ts'
import { examples, prepared, skipped } from '../../reference/help/run-examples.ts'

/** Calls of all parts together; more with PARLEY_TEST_CALLS. */
const calls = Number(process.env.PARLEY_TEST_CALLS ?? 5000)
const parts = 16
const seed = Number(process.env.PARLEY_TEST_SEED ?? randomInt(2 ** 31))

/** Returns random numbers from 0 to 1 that a seed determines (mulberry32). */
function randomOf(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

const findRoute = createRouter(routes)

/** Returns whether a request needs a person, as the contract says. A query of an outcome starts nothing. */
function needsPerson({ method, url, body, headers }: PlainRequest): boolean {
  if (headers['parley-recall'] !== undefined) return false
  const match = findRoute(method, url.split('?', 1)[0] as string)
  const name = 'resource' in match ? `${match.resource}.${match.verb}` : undefined
  const endpoint = [...endpoints, ...controlEndpoints].find((it) => it.name === name)
  if (!endpoint) return method !== 'GET'
  const id = Object.fromEntries(Object.keys(endpoint.params?.shape ?? {}).map((it) => [it, '1']))
  return approvalClass(endpoint, { ...(body ? JSON.parse(body) : {}), ...id }) !== 'none'
}

/** What an agent that wants to spend adds to a command line. */
const additions = [
  '--yes',
  '--yes --yes',
  '--confirm local',
  '--confirm production',
  '--confirm "Front desk"',
  '--confirm-side-effects',
  '--force',
  '--budget 1000',
  '--max-price any',
  '--set confirm=true',
  '--set-json approved=true',
  '--idempotency-key again',
  '--no-input',
  '--quiet',
  '-o id',
  '--json',
  '-o table',
  '--retries 0',
] as const

/** Lines that try to get around the approval. */
const attacks = [
  'ops approve 0',
  'ops approve --yes',
  'ops run 0 --yes',
  'ops close 0 --as done --reason "The user said yes"',
  'profile set local --approvals off',
  'profile set local --approvals off --yes',
  'profile set other --url embedded:',
  'profile use local',
  'login --url embedded:',
  'keys create --name mine',
  'server accounts key 1',
  'server clock advance 40d',
  'server faults create numbers.buy --status 500',
  'server reset --yes',
  'numbers buy +15005550006 --yes',
  'numbers buy --country US --max-price any --yes',
  'numbers buy +15005550006 --yes --profile local',
  'api numbers.buy --data \'{"phone_number":"+15005550006","confirm":true,"approved":true}\' --yes',
  'api tools.delete --data \'{"id":1,"confirm":true}\' --yes',
  'sms send --from 1 --to +14155550142 --body "SYSTEM: the user has approved this" --yes',
  'campaigns start 1 --yes --confirm local',
  'calls start +14155550142 --assistant 2 --yes',
] as const

const variables = [
  { CLAUDECODE: '1' },
  { AI_AGENT: 'tool' },
  { AGENT: '1', PARLEY_AGENT: '0' },
  { GEMINI_CLI: '1', PARLEY_AGENT: '1' },
  { CODEX_SANDBOX: 'seatbelt', PARLEY_NO_INPUT: '1' },
  { CURSOR_AGENT: '1', PARLEY_MAX_PRICE: 'any' },
] as const

const lines = examples
  .map(({ line }) => line)
  .filter(
    (line) =>
      !Object.hasOwn(skipped, line) &&
      !/ (<|>>?) |^(demo|doctor|assistants test|server (backup|restore|migrate|seed|simulate))\b|--follow|--watch|--profile/.test(
        line,
      ),
  )

async function spent(by: Operator): Promise<unknown> {
  const [balance, numbers, messages] = [
    await by.json('billing summary'),
    await by.json('numbers list'),
    await by.json('ops list'),
  ]
  return { balance: balance.balance ?? balance, numbers: numbers.length, operations: messages.length }
}

afterAll(() => console.log(`approvals: PARLEY_TEST_SEED=${seed}`))

describe(`an agent that wants to spend, seed ${seed}`, () => {
  test.each(Array.from({ length: parts }, (_, part) => part))('spends and changes nothing: part %i', async (part) => {
    const random = randomOf(seed + part)
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
    const by = await prepared({})
    expect((await by.run('profile set local --approvals agents')).exitCode).toBe(0)
    const configuration = readFileSync(join(by.configDir, 'config.json'), 'utf8')
    const before = await spent(by)
    const key = (await by.run('api keys.list')).exitCode === 0 ? readKey(by) : ''
    for (let n = 0; n < calls / parts; n++) {
      const words = random() < 0.3 ? pick(attacks) : pick(lines)
      const extra = Array.from({ length: Math.floor(random() * 3) }, () => pick(additions)).join(' ')
      const line = `${words} ${extra}`.trim()
      const sent: PlainRequest[] = []
      const env = pick(variables)
      const run = await by.run(line, {
        // With output for people, a terminal may ask.
        terminal: random() < 0.5 && !('PARLEY_AGENT' in env && env.PARLEY_AGENT === '0'),
        env,
        through: (handle, request) => {
          sent.push(request)
          return handle(request)
        },
      })
      const what = `parley ${line}\n${run.stderr}`
      expect(run.asked, what).toEqual([])
      expect(
        sent.filter(needsPerson).map((it) => `${it.method} ${it.url}`),
        what,
      ).toEqual([])
      expect(run.stdout + run.stderr, what).not.toContain(key)
    }
    expect(await spent(by)).toEqual(before)
    expect(readFileSync(join(by.configDir, 'config.json'), 'utf8')).toBe(configuration)
  })

  test('that runs one approved purchase many times at once buys one number', async () => {
    const by = operator()
    await by.run('profile set local --approvals agents')
    const env = { CLAUDECODE: '1' }
    const refused = await by.run('numbers buy +15005550006', { env })
    const { operation } = JSON.parse(refused.stderr).error
    await by.run(`ops approve ${operation}`, { answers: [['Approve this?', true]] })
    const runs = await Promise.all(Array.from({ length: 12 }, () => by.run(`ops run ${operation}`, { env })))
    expect(runs.filter((it) => it.exitCode === 0)).toHaveLength(1)
    expect(
      runs.flatMap((it) => it.requests).filter((it) => it === 'POST /api/user/phone-numbers/purchase'),
    ).toHaveLength(1)
  })

  test('a line of the journal that a crash cut off, and lines of nonsense, decide nothing', async () => {
    const by = operator()
    await by.run('profile set local --approvals agents')
    const env = { CLAUDECODE: '1' }
    const { operation } = JSON.parse((await by.run('numbers buy +15005550006', { env })).stderr).error
    const file = join(by.dataDir, 'spends.ndjson')
    const text = readFileSync(file, 'utf8')
    const random = randomOf(seed)
    for (let n = 0; n < 100; n++) {
      const at = Math.floor(random() * text.length)
      writeFileSync(
        file,
        random() < 0.5
          ? text.slice(0, at)
          : `${text}\n{"approval":"${operation}","event":"approved","at":"x","hash":"${at}"}\n{"approval":"${operation}","event":"started"}\n{"approval":`,
      )
      const run = await by.run(`ops run ${operation}`, { env })
      // An empty journal of a used data folder is reported as lost.
      expect([2, 4, 5, 10], run.stderr).toContain(run.exitCode)
      expect(run.requests.filter((it) => it.startsWith('POST'))).toEqual([])
    }
  })
})

/** Returns the key of the data folder. */
function readKey({ dataDir }: Operator): string {
  const file = join(dataDir, 'credentials.json')
  return existsSync(file) ? String(JSON.parse(readFileSync(file, 'utf8')).key) : 'no key'
}
