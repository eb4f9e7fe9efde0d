import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { createRandom } from '../soak/cluster/seeded-random.ts'
import { newPlace, type Place, parley } from './support/built-program.ts'
import { drawMoment, killingRelay, type Moment } from './support/killed-command.ts'
import { type Served, serve } from './support/server-process.ts'

// Commands that stop, resume, block and replace keys die from SIGKILL at seeded moments: at a request, at its answer or while they
// write a file. What they leave works, and the same command again ends the job. PARLEY_TEST_SEED repeats a run.

const seed = Number(process.env.PARLEY_TEST_SEED ?? Date.now() % 1_000_000)
const rounds = 6

let server: Served = await serve(newPlace())
const [parleyServer, elsewhere] = [
  await killingRelay(() => server.url, { isParleyServer: true }),
  await killingRelay(() => server.url, { isParleyServer: false }),
]

/** Says how to repeat a round when it fails. */
const called = (round: number, moment: Moment): string => `seed ${seed}, round ${round}: ${JSON.stringify(moment)}`

/** The operator of the server, on its machine. */
async function own(line: string): Promise<string> {
  const { exitCode, stdout, stderr } = await parley(line, { at: server.at })
  expect([0, 11], `${line}: ${stderr}`).toContain(exitCode)
  return stdout
}
// biome-ignore lint/suspicious/noExplicitAny: rows of lists, as a script reads them
const rows = async (line: string): Promise<any[]> => JSON.parse(await own(`${line} --json`))

/** A machine with a profile of a platform. */
async function machine(url: string, key = server.key): Promise<Place> {
  const at = newPlace()
  const set = await parley(`profile set far --url ${url} --api-key-stdin`, { at, input: key })
  expect(set, set.stderr).toMatchObject({ exitCode: 0 })
  const used = await parley('profile use far', { at })
  expect(used, used.stderr).toMatchObject({ exitCode: 0 })
  return at
}

/** Creates a campaign that runs and waits for its hours. */
async function runningCampaign(name: string): Promise<number> {
  const day = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'][
    (new Date().getUTCDay() + 3) % 7
  ]
  const create = await parley(
    [
      'campaigns',
      'create',
      '--name',
      name,
      '--assistant',
      '2',
      '--timezone',
      'UTC',
      '--allowed-days',
      `["${day}"]`,
      '-o',
      'id',
    ],
    { at: server.at },
  )
  expect(create, create.stderr).toMatchObject({ exitCode: 0 })
  const id = Number(create.stdout)
  await own(`leads create --campaign ${id} --phone-number +14155550199`)
  await own(`campaigns start ${id} --yes`)
  return id
}

/** What runs, as the platform says it. */
async function runningNow(): Promise<string[]> {
  const [campaigns, automations] = [await rows('campaigns list'), await rows('automate list')]
  return [
    ...campaigns
      .filter((it) => it.status === 'in-progress' || it.status === 'scheduled')
      .map((it) => `campaign ${it.id}`),
    ...automations.filter((it) => it.status === 'enabled').map((it) => `automation ${it.id}`),
  ].toSorted()
}

test('keys rotate leaves a key that works at any moment, and ends the job when it is run again', async () => {
  const random = createRandom(seed)
  const count = async (name: string): Promise<number> =>
    (await rows('keys list')).filter((it) => it.name === name).length
  const line = 'keys rotate --yes --json'
  const newKey = async (name: string): Promise<string> => (await own(`keys create --name ${name} -o id`)).trim()
  const whole = await parleyServer.killed(
    line,
    { at: await machine(parleyServer.url, await newKey('whole')) },
    undefined,
  )
  expect(whole, whole.stderr).toMatchObject({ exitCode: 0, isKilled: false })
  let killed = 0
  for (let round = 0; round < rounds; round++) {
    const name = `deploy-${round}`
    const key = await newKey(name)
    const at = await machine(parleyServer.url, key)
    const moment = drawMoment(random, whole.moments)
    const first = await parleyServer.killed(line, { at }, moment)
    if (first.isKilled) killed++
    else expect(first.exitCode, `${called(round, moment)} ${first.stderr}`).toBe(0)
    const works = await parley('whoami', { at })
    expect(works.exitCode, `${called(round, moment)} ${works.stderr}`).toBe(0)
    const again = await parley(line, { at })
    expect(again.exitCode, `${called(round, moment)} ${again.stderr}`).toBe(0)
    expect((await parley('whoami', { at })).exitCode).toBe(0)
    // A key whose creation was not answered is named, because its token was lost.
    const named = [...again.stderr.matchAll(/parley keys delete (\d+)/g)].length
    expect(
      [await count(name), readFileSync(join(at.config, 'config.json'), 'utf8').includes(key)],
      called(round, moment),
    ).toEqual([1 + named, false])
  }
  expect(killed, `seed ${seed}`).toBeGreaterThan(rounds / 3)
})

beforeAll(async () => {
  for (const name of ['Spring', 'Summer', 'Autumn']) await runningCampaign(name)
})

test('stop --all elsewhere leaves nothing that resume does not start again', async () => {
  const random = createRandom(seed + 1)
  const before = await runningNow()
  expect(before.length).toBeGreaterThan(3)
  for (let round = 0; round < rounds; round++) {
    const at = await machine(elsewhere.url)
    const moments = [drawMoment(random, 24), drawMoment(random, 24)] as const
    const text = moments.map((it) => called(round, it)).join('; ')
    await elsewhere.killed('stop --all --yes --json', { at }, moments[0])
    const stopped = await parley('stop --all --yes --json', { at })
    expect(stopped.exitCode, `${text} ${stopped.stderr}`).toBe(0)
    expect(await runningNow(), text).toEqual([])
    await elsewhere.killed('resume --yes --json', { at }, moments[1])
    const resumed = await parley('resume --yes --json', { at })
    // A start may cost money: one that was in transit is not repeated before somebody has found out about it.
    if (resumed.exitCode === 11) {
      expect(resumed.stderr, text).toContain('parley ops reconcile')
      for (const { id } of JSON.parse((await parley('ops list --open --json', { at })).stdout) as { id: string }[])
        await parley(['ops', 'close', id, '--as', 'refused', '--reason', 'The campaign is paused'], { at })
      expect((await parley('resume --yes --json', { at })).exitCode, text).toBe(0)
    } else expect(resumed.exitCode, `${text} ${resumed.stderr}`).toBe(0)
    expect(await runningNow(), text).toEqual(before)
    expect((await parley('resume --yes', { at })).stdout, text).toContain('Nothing is stopped.')
  }
})

test('stop --all and resume of a Parley server are whole, also when the server dies with the command', async () => {
  const random = createRandom(seed + 2)
  const before = await runningNow()
  for (let round = 0; round < rounds; round++) {
    const at = await machine(parleyServer.url)
    const moments = [drawMoment(random, 8), drawMoment(random, 8)] as const
    const text = moments.map((it) => called(round, it)).join('; ')
    const first = await parleyServer.killed('stop --all --yes --json', { at }, moments[0])
    if (round % 3 === 0) await restart()
    const { stopped_at } = (
      JSON.parse(await own('api user.activity --json')) as { data: { stopped_at: string | null } }
    ).data
    // What was answered is stored.
    if (!first.isKilled) expect(stopped_at, text).not.toBe(null)
    const stopped = await parley('stop --all --yes --json', { at })
    expect(JSON.parse(stopped.stdout), text).toMatchObject({ stopped: true, by: 'platform' })
    await parleyServer.killed('resume --yes --json', { at }, moments[1])
    if (round % 3 === 1) await restart()
    expect((await parley('resume --yes', { at })).exitCode, text).toBe(0)
    expect(await runningNow(), text).toEqual(before)
    const again = await parley('resume --yes', { at })
    expect(again.stdout, text).toContain('Nothing is stopped.')
  }
})

test('campaigns stop --filter ends the job when it is run again, and its entries restore what they stopped', async () => {
  const random = createRandom(seed + 3)
  const before = await runningNow()
  for (let round = 0; round < rounds; round++) {
    const at = await machine(parleyServer.url)
    const moment = drawMoment(random, 12)
    const line = ['campaigns', 'stop', '--filter', 'name~u', '--yes', '--json']
    await parleyServer.killed(line.join(' '), { at }, moment)
    const again = await parley(line, { at })
    expect(again.exitCode, `${called(round, moment)} ${again.stderr}`).toBe(0)
    expect((await runningNow()).length, called(round, moment)).toBe(before.length - 2)
    const entries = JSON.parse((await parley('history list --json', { at })).stdout) as {
      entry: number
      noun: string
    }[]
    for (const { entry } of entries.filter((it) => it.noun === 'groups')) {
      const undone = await parley(`history undo ${entry} --yes`, { at })
      expect(undone.exitCode, `${called(round, moment)} ${undone.stderr}`).toBe(0)
    }
    expect(await runningNow(), called(round, moment)).toEqual(before)
  }
})

const numbersOf = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `+1415${5_000_000 + from + n}`)

/** Ends the server with SIGKILL, and starts it again in its folder. */
async function restart(): Promise<void> {
  server.process.kill('SIGKILL')
  await server.process.ended
  server = await serve(server.at)
}

test.each([
  ['a Parley server', parleyServer],
  ['a platform elsewhere', elsewhere],
])(
  'contacts block and import on %s lose nothing that was answered, and are whole when they are run again',
  async (_, relay) => {
    const random = createRandom(seed + (relay === elsewhere ? 5 : 4))
    const at = await machine(relay.url)
    const listed = async (): Promise<string[]> => {
      const { exitCode, stdout, stderr } = await parley('contacts list --all --channel sms -o ndjson', { at })
      expect(exitCode, stderr).toBe(0)
      return stdout.split('\n').flatMap((it) => (it === '' ? [] : [JSON.parse(it).phone_number as string]))
    }
    const expected = new Set(await listed())
    for (let round = 0; round < rounds; round++) {
      const base = (relay === elsewhere ? 1_000_000 : 0) + round * 10_000
      const [single] = numbersOf(base, 1) as [string]
      const moments = [drawMoment(random, 5), drawMoment(random, 8)] as const
      const text = moments.map((it) => called(round, it)).join('; ')
      const block = `contacts block ${single} --channel sms --json`
      const blocked = await relay.killed(block, { at }, moments[0])
      if (round % 3 === 0) await restart()
      if (!blocked.isKilled) expect(await listed(), text).toContain(single)
      expect((await parley(block, { at })).exitCode, text).toBe(0)
      const many = numbersOf(base + 1, 1200)
      writeFileSync(join(at.dir, 'rows.csv'), ['phone_number', ...many, ''].join('\n'))
      const imported = 'contacts import --file rows.csv --channel sms --yes'
      await relay.killed(imported, { at }, moments[1])
      if (round % 3 === 1) await restart()
      const again = await parley(imported, { at })
      expect(again.exitCode, `${text} ${again.stderr}`).toBe(0)
      for (const number of [single, ...many]) expected.add(number)
      expect(await listed(), text).toEqual([...expected].toSorted())
    }
  },
)
