import { cpSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { openPlatform } from '../../src/platform/compose.ts'
import { addProgram, type Finished, newPlace, type Place, parley, run } from './support/built-program.ts'

// A day's work of an operator as an unattended script of 30 lines: it resumes after each error.

const path = newPlace().dir
beforeAll(() => addProgram(path))

function clinic(): Place {
  const at = newPlace()
  cpSync(join(import.meta.dirname, 'reminders'), at.dir, { recursive: true })
  return at
}

const env = { PATH: [path, process.env.PATH].join(delimiter), PARLEY_RETRIES: '1', PARLEY_NO_INPUT: '1' }
const script = (at: Place): Promise<Finished> => run('sh', ['reminders.sh'], { at, env })

type Ask = (method: 'GET' | 'POST' | 'DELETE', url: string, body?: object) => Promise<Record<string, unknown>>

/** Asks the platform in this process: commands would take longer than the script itself. */
async function asking<T>(at: Place, work: (ask: Ask) => Promise<T>): Promise<T> {
  const platform = await openPlatform({ dataDir: at.data, wall: Date.now, pid: process.pid, isAlive: () => true })
  try {
    const { key, control } = platform.credentials()
    const headers = { authorization: `Bearer ${key}`, 'parley-control': control, 'content-type': 'application/json' }
    return await work(async (method, url, body) => {
      const answer = await platform.handle({ method, url, headers, ...(body && { body: JSON.stringify(body) }) })
      if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.status} ${answer.body}`)
      return JSON.parse(answer.body)
    })
  } finally {
    await platform.close()
  }
}

type Item = { readonly name: string; readonly nickname: string; readonly phone_number: string; readonly kind: string }

const itemsIn = (answer: unknown): readonly Item[] =>
  (Array.isArray(answer) ? answer : Object.values(answer as object).find(Array.isArray)) as readonly Item[]

/** Everything the script is about, as the platform has it. */
const holdings = (at: Place) => asking(at, holdingsBy)

async function holdingsBy(ask: Ask) {
  const list = async (path: string): Promise<readonly Item[]> => itemsIn(await ask('GET', path))
  const [numbers, tools, assistants] = [
    await list('/api/user/phone-numbers/all'),
    await list('/api/user/tools'),
    await list('/api/user/assistants/get'),
  ]
  const [campaigns, leads] = [await list('/api/user/campaigns'), await list('/api/user/leads?per_page=100')]
  const [automations, ledger] = [await list('/api/user/automate/flows'), await list('/control/accounts/1/ledger')]
  const called = (list: readonly Item[], name: string): number => list.filter((it) => it.name === name).length
  return {
    numbers: numbers.filter((it) => it.nickname === 'Reminders').length,
    all: numbers.length,
    tools: called(tools, 'book_visit'),
    assistants: called(assistants, 'Reminder desk'),
    campaigns: called(campaigns, 'Autumn'),
    leads: leads
      .map((it) => it.phone_number)
      .filter((it) => it.startsWith('+1415555016'))
      .sort(),
    automations: called(automations, 'New patients'),
    kinds: ledger.map((it) => it.kind),
  }
}

const complete = {
  numbers: 1,
  tools: 1,
  assistants: 1,
  campaigns: 1,
  leads: ['+14155550161', '+14155550162', '+14155550163'],
  automations: 1,
}

/** What goes wrong, in the order in which the script comes to it, and the code it ends with. */
const mishaps: readonly (readonly [endpoint: string, fault: object, exitCode: number])[] = [
  ['user.me', { error: 'unauthenticated', times: 1 }, 3],
  ['numbers.search', { status: 503 }, 8],
  ['numbers.search', { drift: ['remove data.*.price'] }, 5],
  ['numbers.buy', { error: 'numbers.payment_failed', times: 1 }, 13],
  ['numbers.buy', { socket: 'drop', times: 1 }, 12],
  ['tools.create', { status: 422, times: 1 }, 6],
  ['assistants.create', { status: 500, times: 1 }, 8],
  ['campaigns.create', { socket: 'cut' }, 9],
  ['leads.create', { status: 503, where: { phone_number: '+14155550162' } }, 11],
  ['automate.apply', { error: 'automate.publish_failed', times: 1 }, 8],
  ['messaging.send', { socket: 'drop', times: 1 }, 11],
  ['automate.restore', { error: 'automate.publish_failed', times: 1 }, 8],
]

const charged = (kinds: readonly string[]): number => kinds.filter((it) => it === 'charge').length

test('the script succeeds twice in a row, and the second time changes nothing', async () => {
  const at = clinic()
  expect(await script(at)).toMatchObject({ exitCode: 0 })
  const once = await holdings(at)
  expect(once).toMatchObject(complete)
  expect(await script(at)).toMatchObject({ exitCode: 0 })
  expect(await holdings(at)).toEqual(once)
})

test(`each of ${mishaps.length} failures ends the script with its exit code, leaves nothing incomplete, and can be resumed`, async () => {
  const at = clinic()
  expect((await parley('server seed --seed 7', { at })).exitCode).toBe(0)
  const untouched = await holdings(at)
  for (const [endpoint, fault, exitCode] of mishaps) {
    const what = `${endpoint} ${JSON.stringify(fault)}`
    await asking(at, (ask) => ask('POST', '/control/faults', { endpoint, ...fault }))
    const ran = await script(at)
    expect([what, ran.exitCode, ran.stderr]).toEqual([what, exitCode, expect.stringMatching(/\S/)])
    const now = await asking(at, async (ask) => {
      await ask('DELETE', '/control/faults')
      return holdingsBy(ask)
    })
    for (const [name, limit] of Object.entries(complete)) {
      const has = now[name as keyof typeof complete]
      expect(typeof has === 'number' ? has : has.length, `${name} after ${what}`).toBeLessThanOrEqual(
        typeof limit === 'number' ? limit : limit.length,
      )
    }
    expect(now.all - untouched.all, what).toBeLessThanOrEqual(1)
  }
  expect(await script(at)).toMatchObject({ exitCode: 0 })
  const other = clinic()
  expect(await script(other)).toMatchObject({ exitCode: 0 })
  const [after, undisturbed] = [await holdings(at), await holdings(other)]
  expect(after).toMatchObject(complete)
  // Money went out as often as where nothing went wrong.
  expect(charged(after.kinds)).toBe(charged(undisturbed.kinds))
})
