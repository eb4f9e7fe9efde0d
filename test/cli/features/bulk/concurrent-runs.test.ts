import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { identify } from '../../../../src/node/process-identity.ts'
import { controlTime, releaseTime } from '../../../support/fake-timers.ts'
import { type Operator, operator, type Run, type RunOptions } from '../../../support/operator.ts'

type Through = NonNullable<RunOptions['through']>

const sending = (file: string): string =>
  `messaging send --sender 1 --template appointment_reminder --file ${file} --yes`
const write = (by: Operator, name: string, ...rows: readonly string[]): void =>
  writeFileSync(join(by.cwd, name), `${['phone,1,2', ...rows].join('\n')}\n`)
const sends = ({ requests }: Run): number => requests.filter((it) => it === 'POST /api/user/messaging/send').length

const [anna, bob, cleo] = ['+14155550111,Anna,Monday', '+14155550112,Bob,Tuesday', '+14155550113,Cleo,Friday'] as const

test('a run that was suspended until another process took over its lock sends no further row', async () => {
  const by = operator()
  write(by, 'people.csv', anna, bob, cleo)
  onTestFinished(releaseTime)
  const through: Through = async (handle, request) => {
    if (request.method === 'POST') {
      const folder = join(by.dataDir, 'bulk')
      const lock = readdirSync(folder).find((it) => it.endsWith('.ledger.lock')) as string
      writeFileSync(join(folder, lock), JSON.stringify({ id: 'other', ...identify(process.ppid) }))
      controlTime({ now: Date.now() + 60_000, toFake: ['Date'] })
    }
    return handle(request)
  }
  const run = await by.run(sending('people.csv'), { through })
  expect([sends(run), run.exitCode]).toEqual([1, 11])
  expect(run.stderr).toContain('another one sends the rows of people.csv now. The remaining rows were not sent.')
})

const charges = async ({ json }: Operator): Promise<number> => (await json('server accounts ledger 1')).length

/** More rows than are in flight at once. */
const many = Array.from({ length: 15 }, (_, n) => `+1415555${1000 + n},Anna,Monday`)

/** Lets time pass before each message, because the platform accepts five a second. */
const slowly =
  (by: Operator, before: () => Promise<unknown> = async () => {}): Through =>
  async (handle, request) => {
    if (request.method !== 'POST') return handle(request)
    await before()
    by.wait(1000)
    return handle(request)
  }

test('two files with the same messages, sent at the same time, send each message once', async () => {
  const by = operator()
  write(by, 'v1.csv', ...many)
  write(by, 'v2.csv', ...many.toReversed())
  const before = await charges(by)
  let second: Promise<Run> | undefined
  // The first messages are on their way while the other run reads its file.
  const through = slowly(by, () => (second ??= by.run(sending('v2.csv'), { through: slowly(by) })))
  const first = await by.run(`${sending('v1.csv')} --json`, { through })
  const other = (await second) as Run
  expect([first.exitCode, (await charges(by)) - before]).toEqual([0, many.length])
  expect(sends(other)).toBeGreaterThan(0)
  expect(JSON.parse(first.stdout)).toMatchObject({ reached_before: sends(other), done: many.length - sends(other) })
  // The outcome of what the first run was sending was not known to the second one.
  expect(other.exitCode).toBe(11)
  const again = await by.run(sending('v2.csv'))
  expect([again.exitCode, sends(again)]).toEqual([0, 0])
})

test('a message that another command sends during the run counts as already sent, also after a purge of the journal', async () => {
  const by = operator()
  write(by, 'people.csv', ...many)
  const single = (phone: string): Promise<Run> =>
    by.run(`messaging send --sender 1 --template appointment_reminder --to ${phone} --var 1=Anna --var 2=Monday`)
  await single('+14155551999')
  by.wait(60_000)
  let isDone = false
  const meanwhile = async (): Promise<void> => {
    if (isDone) return
    isDone = true
    expect((await single('+14155551014')).exitCode).toBe(0)
    expect((await by.run('server purge --older-than 30s --yes')).exitCode).toBe(0)
  }
  const run = await by.run(`${sending('people.csv')} --json`, { through: slowly(by, meanwhile) })
  expect([run.exitCode, JSON.parse(run.stdout)]).toEqual([
    0,
    expect.objectContaining({ done: many.length - 1, reached_before: 1, left: 0 }),
  ])
  expect(run.stderr).toContain('+14155551014')
})

test('a file with an invalid row, sent to two targets at the same time, has a file of failed rows for each', async () => {
  const by = operator()
  write(by, 'people.csv', anna, '+1415,Bob,Tuesday')
  const line = (template: string): string =>
    `messaging send --sender 1 --template ${template} --file people.csv --skip-invalid --yes --json`
  let second: Promise<Run> | undefined
  const through: Through = async (handle, request) => {
    if (request.method === 'POST') await (second ??= by.run(`${line('opening_hours')} --map nothing=1 --map nothing=2`))
    return handle(request)
  }
  const first = await by.run(line('appointment_reminder'), { through })
  const other = (await second) as Run
  expect([first.exitCode, other.exitCode]).toEqual([11, 11])
  expect(readdirSync(by.cwd).sort()).toEqual(['people.csv', 'people.failed-2.csv', 'people.failed.csv'])
})
