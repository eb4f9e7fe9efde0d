import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { TransportError } from '../../../../src/client/transport/transport.ts'
import { type ExitName, exitCodes } from '../../../../src/contract/errors/exit-codes.ts'
import { type Operator, operator, type RunOptions } from '../../../support/operator.ts'
import { ctrlC } from '../../../support/scripted-prompts.ts'

interface Case {
  readonly what: string
  readonly line: string
  readonly options?: RunOptions
  readonly prepare?: (by: Operator) => unknown
}

const answering = (status: number, body = '{}', headers = {}): RunOptions => ({
  through: async () => ({ status, headers, body }),
})
const magic = 'numbers buy +15005550006'

const hook = {
  name: 'trigger',
  type: 'PIECE_TRIGGER',
  settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: { authType: 'none' } },
}
/** Builds an automation of one step. */
function automate(code: string): string {
  const steps = [
    {
      type: 'CODE',
      settings: {
        sourceCode: { code: `export const code = async (inputs) => (${code})`, packageJson: '{}' },
        input: {},
      },
    },
  ]
  return `automate create --name Greeting --flow '${JSON.stringify({ trigger: hook, steps })}'`
}

function stopping(code: number): RunOptions {
  const interrupt = new AbortController()
  return {
    interrupt,
    through: async (handle, request) => {
      interrupt.abort(code)
      return handle(request)
    },
  }
}

/** Every way to end that a script may meet, each with lines that end so. */
const cases: Readonly<Partial<Record<ExitName, readonly Case[]>>> = {
  done: [
    { what: 'done', line: 'keys list' },
    { what: 'nothing found', line: 'numbers search --country IT --contains 0000000000' },
    { what: 'a dry run', line: `${magic} --dry-run` },
  ],
  internal: [
    {
      what: 'data that is no database',
      line: 'keys list',
      prepare: (by) => writeFileSync(join(by.dataDir, 'platform.db'), 'no database '.repeat(100)),
    },
    {
      what: 'a data folder that cannot be made',
      line: 'keys list',
      options: { env: { PARLEY_DATA_DIR: '/dev/null/parley' } },
    },
    {
      what: 'a data folder below /proc, where nothing can be made',
      line: 'keys list',
      options: { env: { PARLEY_DATA_DIR: '/proc/parley/data' } },
    },
  ],
  usage: [
    { what: 'a flag nobody knows', line: 'keys list --nope' },
    { what: 'a missing argument', line: 'tools get' },
    { what: 'a noun alone', line: 'keys' },
    { what: 'a number that is none', line: 'numbers buy 123 --yes' },
  ],
  auth: [
    { what: 'a key nobody has', line: 'keys list', options: { env: { PARLEY_API_KEY: `9|${'x'.repeat(40)}` } } },
    { what: 'no key', line: 'keys list --base-url https://platform.example' },
    {
      what: 'a platform that forbids it',
      line: 'keys list',
      options: answering(403, '{"message":"This action is unauthorized."}'),
    },
  ],
  not_found: [
    { what: 'an id nobody has', line: 'tools get 99' },
    { what: 'a name nobody has', line: 'keys delete nobody --yes' },
  ],
  conflict: [
    { what: 'a number that is taken', line: 'numbers buy +15005550000 --yes' },
    { what: 'a price above the cap', line: 'numbers buy --country US --max-price 1 --yes' },
    { what: 'a platform that is full already', line: 'server seed' },
    { what: 'no version to restore', line: 'automate restore Greeting --yes', prepare: (by) => by.run(automate('1')) },
  ],
  rejected: [
    { what: 'a field out of bounds', line: 'tools update 1 --tool-timeout 31' },
    { what: 'a country without numbers', line: 'numbers search --country FR' },
  ],
  rate_limited: [
    { what: 'a limit that stays', line: 'keys list', options: answering(429, '{"message":"Too Many Attempts."}') },
  ],
  platform: [
    { what: 'a platform that fails', line: 'keys list', options: answering(500, '{"message":"Server Error"}') },
    { what: 'a gateway without a platform', line: 'keys list', options: answering(502, '<h1>Bad gateway</h1>') },
    { what: 'an answer that is none', line: 'keys list', options: answering(200, '<h1>Welcome</h1>') },
    { what: 'the specification’s own failure of a purchase', line: 'numbers buy +15005550004 --yes' },
  ],
  connection: [
    {
      what: 'nobody there',
      line: 'keys list --base-url http://127.0.0.1:1 --retries 0',
      options: { env: { PARLEY_API_KEY: '1|x' } },
    },
    {
      what: 'no such host',
      line: 'keys list --base-url https://nowhere.invalid --retries 0',
      options: { env: { PARLEY_API_KEY: '1|x' } },
    },
    {
      what: 'a read that takes too long',
      line: 'keys list --timeout 0.05 --retries 0',
      options: { through: () => new Promise(() => {}) },
    },
  ],
  consent: [
    { what: 'no consent in a script', line: magic },
    { what: 'a No on a terminal', line: 'keys delete 2', options: { answers: [['Delete', false]] } },
  ],
  unknown: [
    {
      what: 'a purchase whose answer was lost',
      line: `${magic} --yes`,
      options: {
        through: async () => {
          throw new TransportError('reset', 'reset', true)
        },
      },
    },
  ],
  payment: [
    { what: 'a payment that is declined', line: 'numbers buy +15005550003 --yes' },
    { what: 'no payment method', line: 'numbers buy +15005550002 --yes' },
  ],
  timed_out: [
    {
      what: 'a condition that is not reached in time',
      line: 'messaging send --sender 1 --template opening_hours --to +14155550111 --wait --wait-timeout 1s',
    },
  ],
  finding: [
    { what: 'a doctor who finds nobody at the address', line: 'doctor --base-url http://127.0.0.1:1 --retries 0' },
    { what: 'an automation whose test fails', line: automate('inputs.missing.field') },
  ],
  hung_up: [{ what: 'a closed terminal in a request', line: 'keys list', options: stopping(129) }],
  interrupted: [
    { what: 'Ctrl-C in a question', line: magic, options: { answers: [['Buy', ctrlC]] } },
    { what: 'Ctrl-C in a request', line: 'keys list', options: stopping(130) },
  ],
  terminated: [{ what: 'SIGTERM in a request', line: 'keys list', options: stopping(143) }],
}

/** Codes that nothing built so far ends with. This list may only shrink. */
const notYet: readonly ExitName[] = ['partial']

test('every exit code is produced in this test', () => {
  expect([...Object.keys(cases), ...notYet].sort()).toEqual(Object.keys(exitCodes).sort())
})

describe.each(Object.entries(cases))('%s', (name, lines) => {
  test.each(lines)(`is ${exitCodes[name as ExitName].code}: $what`, async ({ line, options = {}, prepare }) => {
    const by = operator()
    await by.run('help')
    await prepare?.(by)
    const { exitCode, stdout, stderr } = await by.run(line, options)
    expect({ exitCode, stderr }).toMatchObject({ exitCode: exitCodes[name as ExitName].code })
    // What a check found is its result, and so is what was started and awaited: a script needs both.
    if (name !== 'done' && name !== 'finding' && name !== 'timed_out') expect(stdout).toBe('')
  })
})

test('a reader that closes the output early is not a failure', async () => {
  const { ClosedPipe } = await import('../../../../src/cli/program/terminal/streams.ts')
  const { toErrorReport } = await import('../../../../src/cli/program/errors/error-report.ts')
  expect(toErrorReport(new ClosedPipe())).toEqual({ exit: 'done' })
})

test('the README and the page of exit codes say how many there are', () => {
  const others = Object.keys(exitCodes).length - 1
  expect(readFileSync('README.md', 'utf8')).toContain(`ends with 0 or one of ${others} other [exit codes]`)
  expect(readFileSync('docs/exit-codes.md', 'utf8')).toContain(`ends with 0 or one of the ${others} other codes`)
})
