import { mkdirSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { type ExitName, exitCodes } from '../../src/contract/errors/exit-codes.ts'
import { longOnly } from '../support/case-count.ts'
import { startHost } from '../support/servers/http-hosts.ts'
import { type Finished, filledPlace, newPlace, type Place, parley, start } from './support/built-program.ts'
import { type Holdings, holdings, numbersOf } from './support/holdings.ts'
import { mishapBefore, serve } from './support/server-process.ts'

// Every row of `parley help exit-codes`, by the built program: what a script finds in $?, on stdout and on stderr.

let at: Place
let before: Holdings
beforeAll(async () => {
  at = await filledPlace()
  before = holdings(at)
})

type Env = Readonly<Record<string, string>>
/** How a command ends. */
type Way = (args: string) => Promise<Finished>

const here: Way = (args) => parley(args, { at })
const elsewhere = { PARLEY_API_KEY: '1|a' }
const answering =
  (answer: RequestListener): Way =>
  async (args) =>
    parley(`${args} --retries 0`, { at, env: { ...elsewhere, PARLEY_BASE_URL: (await startHost(answer)).url } })
const status = (code: number, body = '{"message":"Not now."}'): Way =>
  answering((_, response) => void response.writeHead(code, { 'content-type': 'application/json' }).end(body))
const among =
  (env: Env): Way =>
  (args) =>
    parley(args, { at, env })

/** After the request has arrived; it is never answered. */
const signalled =
  (signal: 'SIGHUP' | 'SIGINT' | 'SIGTERM'): Way =>
  async (args) => {
    let arrive = (): void => {}
    const received = new Promise<void>((done) => {
      arrive = done
    })
    const { url } = await startHost(() => arrive())
    const running = start(args, { at, env: { ...elsewhere, PARLEY_BASE_URL: url } })
    await received
    running.kill(signal)
    const ended = await running.ended
    // As a shell says that a signal ended a command.
    return ended.signal === 'SIGHUP' ? { ...ended, exitCode: 129 } : ended
  }

/** In a folder of its own, which holds something else than a platform. */
const broken: Way = async (args) => {
  const own = newPlace()
  mkdirSync(own.data, { mode: 0o700 })
  writeFileSync(join(own.data, 'platform.db'), 'no database '.repeat(100))
  return parley(args, { at: own })
}

const answerLost: Way = async (args) => {
  const server = await serve(await filledPlace())
  const { url } = await mishapBefore(server, 'answer lost')
  // A place of its own: the open operation of another would stop it.
  const finished = await parley(args, { at: newPlace(), env: { PARLEY_API_KEY: server.key, PARLEY_BASE_URL: url } })
  expect(numbersOf(server.at).filter((it) => it === '+15005550006')).toHaveLength(1)
  server.process.kill('SIGTERM')
  await server.process.ended
  return finished
}

interface Row {
  readonly line: string
  readonly way?: Way
}

const rows: Readonly<Partial<Record<ExitName, Row>>> = {
  done: { line: 'keys list' },
  internal: { line: 'keys list', way: broken },
  usage: { line: 'tools get' },
  auth: { line: 'keys list', way: among({ PARLEY_API_KEY: `9|${'x'.repeat(40)}` }) },
  not_found: { line: 'tools get 99' },
  conflict: { line: 'numbers buy +15005550000 --yes' },
  rejected: { line: 'tools update 1 --tool-timeout 31' },
  rate_limited: { line: 'keys list', way: status(429) },
  platform: { line: 'keys list', way: status(500) },
  connection: { line: 'keys list --retries 0', way: among({ ...elsewhere, PARLEY_BASE_URL: 'http://127.0.0.1:1' }) },
  consent: { line: 'numbers buy +15005550006' },
  unknown: { line: 'numbers buy +15005550006 --yes', way: answerLost },
  payment: { line: 'numbers buy +15005550003 --yes' },
  finding: { line: 'doctor --retries 0', way: among({ ...elsewhere, PARLEY_BASE_URL: 'http://127.0.0.1:1' }) },
  hung_up: { line: 'keys list', way: signalled('SIGHUP') },
  interrupted: { line: 'keys list', way: signalled('SIGINT') },
  terminated: { line: 'keys list', way: signalled('SIGTERM') },
}

test('every exit code has a row in this test, except partial and timed_out, which have their own tests', () => {
  expect(Object.keys(exitCodes).filter((it) => !Object.hasOwn(rows, it))).toEqual(['partial', 'timed_out'])
})

/** Their result is what a script needs: it is on stdout. */
const resultful: readonly ExitName[] = ['done', 'partial', 'finding']
/** After an interruption by the user there is no message. */
const silent: readonly ExitName[] = ['interrupted', 'terminated']

/** Codes that the built program is asked for in the long suite only: test/cli/program/commandline/exit-codes.test.ts has all of them. */
const inProcess: readonly ExitName[] = [
  'auth',
  'conflict',
  'rejected',
  'rate_limited',
  'platform',
  'connection',
  'payment',
]
const asked = (Object.entries(rows) as [ExitName, Row][]).filter(([name]) => !inProcess.includes(name))
const others = (Object.entries(rows) as [ExitName, Row][]).filter(([name]) => inProcess.includes(name))

describe.each([...asked, ...longOnly(...others)])('%s', (name, { line, way = here }) => {
  const { code } = exitCodes[name]

  if (resultful.includes(name))
    test(`is ${code}, with a result on stdout`, async () => {
      const { exitCode, stdout, stderr } = await way(`${line} --json`)
      expect({ exitCode }, stderr).toEqual({ exitCode: code })
      expect(JSON.parse(stdout)).toBeInstanceOf(Array)
    })
  else if (silent.includes(name))
    test(`is ${code}, without output`, async () => {
      expect(await way(`${line} --json`)).toMatchObject({ exitCode: code, stdout: '', stderr: '' })
    })
  else
    test(`is ${code}, with a sentence for people and one JSON object for programs, all on stderr`, async () => {
      const shown = await way(line)
      expect({ exitCode: shown.exitCode, stdout: shown.stdout }, shown.stderr).toEqual({ exitCode: code, stdout: '' })
      expect(shown.stderr).toMatch(/^error: \S/)
      expect(shown.stderr).not.toMatch(/undefined|\[object|\n {4}at /)
      const { exitCode, stdout, stderr } = await way(`${line} --json`)
      expect({ exitCode, stdout }, stderr).toEqual({ exitCode: code, stdout: '' })
      const { error } = JSON.parse(stderr)
      expect(Object.keys(error).sort()).toEqual([
        'code',
        'details',
        'hint',
        'message',
        'next',
        'request_id',
        'retry_after',
        'status',
      ])
      expect(error.message).toMatch(/\S/)
    })
})

/** Three rows, of which one is refused. */
test('partial is 11, and its result is on stdout', async () => {
  const own = await filledPlace()
  writeFileSync(
    join(own.dir, 'leads.csv'),
    'phone_number,first_name\n+14155550111,Anna\nnonsense,Ben\n+14155550112,Cleo\n',
  )
  const { exitCode, stdout, stderr } = await parley(
    'leads import --file leads.csv --campaign 1 --skip-invalid --json',
    { at: own },
  )
  expect({ exitCode }, stderr).toEqual({ exitCode: 11 })
  expect(JSON.parse(stdout)).toMatchObject({ rows: 3, done: 2, invalid: 1 })
})

test('timed_out is 14, with what was started on stdout, and one JSON object on stderr', async () => {
  const own = await filledPlace()
  // Nothing simulates that the channel delivers it.
  const { exitCode, stdout, stderr } = await parley(
    'messaging send --sender 1 --template opening_hours --to +14155550111 --wait --wait-timeout 1s --json',
    { at: own },
  )
  expect({ exitCode }, stderr).toEqual({ exitCode: 14 })
  const { id } = JSON.parse(stdout)
  const sent = JSON.parse((await parley(`messaging get ${id} --sender 1 --to +14155550111 --json`, { at: own })).stdout)
  const receipt = `parley server simulate receipt --message-sid ${sent.message_sid} --status delivered`
  expect(JSON.parse(stderr).error).toMatchObject({
    code: 'timed_out',
    message: `Message ${id} did not reach "delivered" within 1 s. It is queued, which it stays on the local platform until: ${receipt}.`,
    next: [`parley messaging get ${id} --sender 1 --to +14155550111 --wait=delivered`],
  })
})

test('after all of these commands nothing has changed', async () => {
  expect(holdings(at)).toEqual(before)
})
