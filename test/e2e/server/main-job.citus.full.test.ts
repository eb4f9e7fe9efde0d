import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sharded } from '../../support/databases.ts'
import { answering, file } from '../support/automations.ts'
import { newPlace, type Place, parley } from '../support/built-program.ts'
import { serve } from '../support/server-process.ts'

// The main job of an operator, by the command line: the same script on one server with a file, and on three servers over a database
// whose tables are spread over nodes. Both say, charge and count the same.

const leads = Number(process.env.PARLEY_TEST_LEADS ?? 200)
const webhookRuns = 20
const secondPurchase = 'numbers buy +15005550006 --max-price 5 --yes'

/** The exit code of each command and its output, without times and random ids. */
type Answers = readonly (readonly [command: string, exitCode: number, output: unknown])[]

/**
 * Replaces what differs between two platforms: times, random ids, addresses, what `doctor` says about them, and which server has run a job.
 */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(
      Object.entries(value).flatMap(([name, field]) => (changing.has(name) ? [] : [[name, comparable(field)]])),
    )
  if (typeof value !== 'string') return value
  return (
    value
      .replace(/\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z| ?[+-]\d\d:\d\d)?)?/g, 'TIME')
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
      .replace(/\b(?:[0-9A-Za-z]{21}|MM[0-9a-f]{32})\b/g, 'ID')
      // The platform time of a purchase or message is part of its reference.
      .replace(/-\d{16}-/g, '-TIME-')
      .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'URL')
  )
}
const changing = new Set([
  'detail',
  'done',
  'duration_ms',
  'entry',
  'undo',
  'month_charged',
  'offset_seconds',
  'seconds',
])

const parsed = (stdout: string): unknown => {
  const lines = stdout.trim()
  if (lines === '') return ''
  try {
    return JSON.parse(lines)
  } catch {
    return lines.split('\n').map((it) => JSON.parse(it) as unknown)
  }
}

/** Runs the script at the places of several servers in turns. */
async function mainJob(places: readonly Place[]): Promise<Answers> {
  const [first] = places as readonly [Place]
  const given: (readonly [string, number, unknown])[] = []
  let turn = 0
  const run = async (command: string, at: Place = places[turn++ % places.length] as Place): Promise<unknown> => {
    const { exitCode, stdout, stderr } = await parley(`${command} --json`, { at })
    const output = stdout.trim() === '' ? stderr : parsed(stdout)
    given.push([command.replace(/undo \d+/, 'undo'), exitCode, comparable(output)])
    return output
  }
  for (const at of places) {
    const rows = Array.from({ length: leads }, (_, n) => `+1415${5_000_000 + n},Anna ${n},Monday\n`)
    writeFileSync(join(at.dir, 'leads.csv'), `phone,first_name,appointment_day\n${rows.join('')}`)
    file(at, 'first.json', answering('Hello'))
    file(at, 'second.json', answering('Good day'))
  }
  await run('numbers search --country US')
  await run('numbers buy +15005550006 --max-price 5 --yes -q')
  await run(secondPurchase)
  await run('numbers list')
  await run('leads import --campaign 1 --file leads.csv')
  await run('leads list --campaign 1 --all --sort phone_number --fields phone_number,status,variables')
  await run('campaigns start 3 --yes')
  // Its messages and the following one are charged in this order.
  const charged = async () => (await parley('server accounts ledger 1 --json', { at: first })).stdout
  await expect.poll(charged, { timeout: 60_000 }).toContain('SMS to')
  await run('messaging send --sender 2 --template 9 --to +14155550111 --yes')
  const made = (await run('automate create --name Greeting --file first.json')) as { readonly webhook_url: string }
  for (let n = 0; n < webhookRuns; n++) {
    const answer = await fetch(`${made.webhook_url}/sync`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: `Ada ${n}` }),
    })
    given.push(['webhook', answer.status, await answer.json()])
  }
  await run('automate update Greeting --file second.json --yes')
  await run('automate versions list Greeting')
  await run('automate restore Greeting --yes')
  await run('automate runs list Greeting --all --fields status')
  // The history of changes is in the folders of one operator.
  await run('assistants update 1 --set name=Reception', first)
  const [{ entry }] = (await run('history list --limit 1', first)) as readonly [{ readonly entry: number }]
  await run(`history undo ${entry} --yes`, first)
  await run('assistants get 1')
  await run('keys create --name second')
  await run('keys list')
  await run('conversations list')
  await run('server clock advance 2h')
  await run('campaigns get 3')
  await run('billing summary')
  await run('server accounts ledger 1')
  await run('server accounts list')
  await run('server check')
  await run('doctor')
  return given
}

// Citus is needed: the project `citus`.
describe.runIf(process.env.PARLEY_TEST_CITUS)('the main job against three servers on shards', () => {
  test('says, charges and counts what it does on one server with a file', async () => {
    const alone = newPlace()
    await serve(alone, { flags: '--seed 7' })
    const target = await sharded.target()
    const { url } = target as { readonly url: string }
    const first = newPlace()
    await serve(first, { flags: `--seed 7 --database ${url}` })
    const secret = { PARLEY_SECRET_KEY: readFileSync(join(first.data, 'secret.key'), 'utf8').trim() }
    const others = [newPlace(), newPlace()]
    for (const at of others) await serve(at, { flags: `--database ${url}`, env: secret })
    const [expected, answers] = [await mainJob([alone]), await mainJob([first, ...others])]
    expect(answers).toEqual(expected)
    const failed = expected.filter(([, exitCode]) => exitCode !== 0 && exitCode !== 200)
    expect(failed.map(([command, exitCode]) => [command, exitCode])).toEqual([[secondPurchase, 5]])
  }, 1_800_000)
})
