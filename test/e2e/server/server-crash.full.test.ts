import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { hangMs } from '../../support/hang-timeout.ts'
import { newPlace, type Place, parley } from '../support/built-program.ts'
import { listedNumbers } from '../support/holdings.ts'
import { type Served, serve } from '../support/server-process.ts'

// The server is killed, or its disk is full, in the middle of purchases: what was acknowledged is there, once, and nothing is half done.

/** At least this many numbers for sale, all different. */
async function stock(server: Served, least: number): Promise<string[]> {
  const found = new Set<string>()
  for (let digits = 20; found.size < least && digits < 99; digits++) {
    const { body } = await server.fetch('GET', `phone-numbers/search?country_code=US&contains=${digits}`)
    for (const number of body.data) found.add(number.phone_number)
  }
  return [...found]
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** What the account paid for each number, charges less refunds, in purchases. */
async function paidFor(at: Place): Promise<Record<string, number>> {
  const moves = JSON.parse((await parley('server accounts ledger 1 --json', { at })).stdout) as {
    kind: string
    reason: string
  }[]
  const paid: Record<string, number> = {}
  for (const { kind, reason } of moves) {
    const number = /\+\d+/.exec(reason)?.[0]
    if (number && kind.startsWith('card_')) paid[number] = (paid[number] ?? 0) + (kind === 'card_charge' ? 1 : -1)
  }
  return Object.fromEntries(Object.entries(paid).filter(([, times]) => times !== 0))
}

/** Numbers that are paid for and not owned, or owned and not paid for. */
async function unmatched(at: Place, before: readonly string[]): Promise<string[]> {
  const [numbers, paid] = await Promise.all([listedNumbers(at), paidFor(at)])
  const owned = numbers.filter((it) => !before.includes(it))
  return [...owned.filter((it) => !(it in paid)), ...Object.keys(paid).filter((it) => !owned.includes(it))]
}

test('kill -9 while four clients buy loses no acknowledged purchase, and every payment has its number', async () => {
  const at = newPlace()
  let server = await serve(at)
  const before = await listedNumbers(at)
  const numbers = await stock(server, 150)
  const acknowledged: string[] = []
  const asked: string[] = []

  for (let round = 0; round < 2; round++) {
    const { process: serving, fetch: ask } = server
    const goal = acknowledged.length + 24
    const next = (): string => {
      const number = numbers.shift() as string
      asked.push(number)
      return number
    }
    const overHttp = async (): Promise<void> => {
      while (isAlive(serving.pid)) {
        const number = next()
        const answer = await ask('POST', 'phone-numbers/purchase', { phone_number: number }).catch(() => undefined)
        if (answer?.status === 200 || answer?.status === 201) acknowledged.push(number)
      }
    }
    const overTheCommandLine = async (): Promise<void> => {
      while (isAlive(serving.pid)) {
        const number = next()
        const { exitCode, stderr } = await parley(`numbers buy ${number} --yes`, { at })
        if (exitCode === 0) acknowledged.push(number)
        else expect([exitCode, stderr]).toEqual([12, expect.stringContaining('unknown')])
      }
    }
    const clients = Promise.all([overHttp(), overHttp(), overTheCommandLine(), overTheCommandLine()])
    const killer = (async () => {
      for (const late = Date.now() + hangMs; acknowledged.length < goal && Date.now() < late; ) await sleep(1)
      serving.kill('SIGKILL')
    })()
    await Promise.all([killer, serving.ended, clients])
    server = await serve(at)
  }

  expect(acknowledged.length).toBeGreaterThanOrEqual(48)
  // Work in progress of a killed process is finished by the next one that serves.
  const own = async (): Promise<string[]> => (await listedNumbers(at)).filter((it) => !before.includes(it))
  await expect.poll(() => unmatched(at, before), { interval: 100 }).toEqual([])
  const owned = await own()
  expect(owned).toEqual(expect.arrayContaining(acknowledged))
  expect(new Set(owned).size).toBe(owned.length)
  expect(asked).toEqual(expect.arrayContaining(owned))
  expect(Object.values(await paidFor(at)).every((times) => times === 1)).toBe(true)

  // The outcome of an unanswered request can be found out.
  await expect
    .poll(async () => (await parley('ops reconcile', { at })).exitCode)
    .toSatisfy((code) => code === 0 || code === 12)
  const settled = JSON.parse((await parley('ops list --json', { at })).stdout) as {
    state: string
    input: { phone_number: string }
  }[]
  expect(
    settled
      .filter((it) => it.state === 'done')
      .map((it) => it.input.phone_number)
      .filter((it) => !owned.includes(it)),
  ).toEqual([])
  expect(settled.filter((it) => it.state !== 'done' && owned.includes(it.input.phone_number))).toEqual([])
})

test('a full disk makes purchases fail and loses no acknowledged one; with space everything continues', async () => {
  const at = newPlace()
  const before = await listedNumbers(at)
  const full = await serve(at, { env: { PARLEY_MAX_PAGES: '1' } })
  const numbers = await stock(full, 200)
  const acknowledged: string[] = []
  const refused: string[] = []
  while (refused.length < 3 && numbers.length > 0) {
    const number = numbers.shift() as string
    const { status, body } = await full.fetch('POST', 'phone-numbers/purchase', { phone_number: number })
    if (status < 300) acknowledged.push(number)
    else {
      expect([status, JSON.stringify(body)]).toEqual([503, expect.stringContaining('disk of the database is full')])
      refused.push(number)
    }
  }
  expect(refused).toHaveLength(3)
  expect((await full.fetch('GET', 'phone-numbers/all')).status).toBe(200)
  full.process.kill('SIGTERM')
  expect((await full.process.ended).exitCode).toBe(0)

  const roomy = await serve(at)
  const again = await roomy.fetch('POST', 'phone-numbers/purchase', { phone_number: refused[0] })
  // It may have started before the disk was full; then it is finished by now.
  expect([200, 201, 409, 422, 400]).toContain(again.status)
  await expect.poll(() => unmatched(at, before), { interval: 100 }).toEqual([])
  const owned = await listedNumbers(at)
  expect(owned).toEqual(expect.arrayContaining([...acknowledged, refused[0]]))
  expect(Object.values(await paidFor(at)).every((times) => times === 1)).toBe(true)
})
