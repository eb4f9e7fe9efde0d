import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { execPath } from 'node:process'
import { beforeAll, expect, test } from 'vitest'
import { bin, type Finished, newPlace, type Place, parley, run } from './program.ts'

// A day's work of an operator as a script of 30 lines that nobody watches: what an error leaves, it goes on from.

const path = newPlace().dir
beforeAll(() => {
  writeFileSync(join(path, 'parley'), `#!/bin/sh\nexec "${execPath}" "${bin}" "$@"\n`)
  chmodSync(join(path, 'parley'), 0o755)
})

function clinic(): Place {
  const at = newPlace()
  cpSync(join(import.meta.dirname, 'reminders'), at.dir, { recursive: true })
  return at
}

const env = { PATH: [path, process.env.PATH].join(delimiter), PARLEY_RETRIES: '1', PARLEY_NO_INPUT: '1' }
const script = (at: Place): Promise<Finished> => run('sh', ['reminders.sh'], { at, env })
const json = async (at: Place, line: string) => JSON.parse((await parley(`${line} --json`, { at })).stdout)

/** Everything the script is about, as the platform has it. */
async function holdings(at: Place) {
  const [numbers, tools, assistants, campaigns, leads, automations, ledger] = await Promise.all(
    ['numbers list', 'tools list', 'assistants list', 'campaigns list', 'leads list --all', 'automate list', 'server accounts ledger 1 --all'].map((it) =>
      json(at, it),
    ),
  )
  const called = (list: { name: string }[], name: string): number => list.filter((it) => it.name === name).length
  const numberOf = (it: { phone_number: string }): string => it.phone_number
  return {
    numbers: numbers.filter((it: { nickname: string }) => it.nickname === 'Reminders').length,
    all: numbers.length,
    tools: called(tools, 'book_visit'),
    assistants: called(assistants, 'Reminder desk'),
    campaigns: called(campaigns, 'Autumn'),
    leads: leads
      .map(numberOf)
      .filter((it: string) => it.startsWith('+1415555016'))
      .sort(),
    automations: called(automations, 'New patients'),
    kinds: ledger.map((it: { kind: string }) => it.kind) as string[],
  }
}

const complete = { numbers: 1, tools: 1, assistants: 1, campaigns: 1, leads: ['+14155550161', '+14155550162', '+14155550163'], automations: 1 }

/** What goes wrong, in the order in which the script comes to it, and the code it ends with. */
const mishaps: readonly (readonly [fault: string, exitCode: number])[] = [
  ['user.me --error unauthenticated --times 1', 3],
  ['numbers.search --status 503', 8],
  ['numbers.search --drift "remove data.*.price"', 5],
  ['numbers.buy --error numbers.payment_failed --times 1', 13],
  ['numbers.buy --socket drop --times 1', 12],
  ['tools.create --status 422 --times 1', 6],
  ['assistants.create --status 500 --times 1', 8],
  ['campaigns.create --socket cut --times 1', 9],
  ['leads.create --status 503 --where phone_number=+14155550162', 11],
  ['automate.apply --error automate.publish_failed --times 1', 8],
  ['messaging.send --socket drop --times 1', 11],
  ['automate.restore --error automate.publish_failed --times 1', 8],
]

const charged = (kinds: readonly string[]): number => kinds.filter((it) => it === 'charge').length

test('it passes twice in a row, and the second time changes nothing', async () => {
  const at = clinic()
  expect(await script(at)).toMatchObject({ exitCode: 0 })
  const once = await holdings(at)
  expect(once).toMatchObject(complete)
  expect(await script(at)).toMatchObject({ exitCode: 0 })
  expect(await holdings(at)).toEqual(once)
}, 120_000)

test(`each of ${mishaps.length} mishaps ends it with its code, leaves nothing half-done, and is gone on from`, async () => {
  const at = clinic()
  const untouched = await holdings(at)
  mkdirSync(join(at.dir, 'elsewhere'))
  for (const [fault, exitCode] of mishaps) {
    const words = fault.split(/ (?=--)/).flatMap((it) => it.split(/ (.*)/).filter(Boolean))
    expect((await run('parley', ['server', 'faults', 'add', ...words.map((it) => it.replaceAll('"', ''))], { at, env })).exitCode, fault).toBe(0)
    const ran = await script(at)
    expect([fault, ran.exitCode, ran.stderr]).toEqual([fault, exitCode, expect.stringMatching(/\S/)])
    const now = await holdings(at)
    for (const [name, most] of Object.entries(complete)) {
      const has = now[name as keyof typeof complete]
      expect(typeof has === 'number' ? has : has.length, `${name} after ${fault}`).toBeLessThanOrEqual(typeof most === 'number' ? most : most.length)
    }
    expect(now.all - untouched.all, fault).toBeLessThanOrEqual(1)
    await run('parley', ['server', 'faults', 'clear'], { at, env })
  }
  expect(await script(at)).toMatchObject({ exitCode: 0 })
  const other = clinic()
  expect(await script(other)).toMatchObject({ exitCode: 0 })
  const [after, undisturbed] = [await holdings(at), await holdings(other)]
  expect(after).toMatchObject(complete)
  // Money went out as often as where nothing went wrong.
  expect(charged(after.kinds)).toBe(charged(undisturbed.kinds))
}, 240_000)
