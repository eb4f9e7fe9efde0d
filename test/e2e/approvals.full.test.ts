import { expect, test } from 'vitest'
import { newPlace, type Place, parley, start } from './support/built-program.ts'
import { listedNumbers } from './support/holdings.ts'
import { atTerminal } from './support/program-terminal.ts'
import { mishapBefore, numbersForSale, serve } from './support/server-process.ts'

// A coding agent and a person share a machine, and use a server elsewhere. Only what the person approves is bought, and once.

const server = await serve(newPlace())
const forSale = await numbersForSale(server.at)
const agent = { CLAUDECODE: '1' }

/** Returns a machine with a profile of a server. */
async function machine(url: string): Promise<Place> {
  const at = newPlace()
  const set = await parley(`profile set staging --url ${url} --api-key-stdin`, { at, input: server.key })
  expect(set, set.stderr).toMatchObject({ exitCode: 0 })
  return at
}

const owned = async (number: string): Promise<number> =>
  (await listedNumbers(server.at)).filter((it) => it === number).length

/** Asks for a purchase as an agent on a terminal, and returns the id of the operation. */
async function ask(at: Place, number: string): Promise<string> {
  const { exitCode, screen } = await atTerminal(`numbers buy ${number} --yes --profile staging`, [], {
    at,
    env: agent,
    columns: 0,
  })
  expect(exitCode, screen).toBe(10)
  return (/"operation":"([^"]+)"/.exec(screen.replace(/\s+/g, '')) as RegExpExecArray)[1] as string
}

async function approve(at: Place, id: string): Promise<void> {
  const { exitCode, screen } = await atTerminal(`ops approve ${id}`, [['Approve this?', 'y\r']], { at })
  expect(exitCode, screen).toBe(0)
  expect(screen).toContain('Claude Code')
}

const run = (at: Place, id: string) => parley(`ops run ${id} --json`, { at, env: agent })
const stateOf = async (at: Place, id: string): Promise<string> =>
  JSON.parse((await parley(`ops get ${id} --json`, { at })).stdout).state

test('an agent asks, a person approves on a terminal, the agent runs it once', async () => {
  const number = forSale.shift() as string
  const at = await machine(server.url)
  const id = await ask(at, number)
  expect((await run(at, id)).exitCode).toBe(10)
  const refused = await atTerminal(`ops approve ${id}`, [], { at, env: agent })
  expect(refused.exitCode, refused.screen).toBe(10)
  const waiting = start(`ops wait ${id} --json`, { at, env: agent })
  await approve(at, id)
  expect(JSON.parse((await waiting.ended).stdout).state).toBe('approved')
  expect(await owned(number)).toBe(0)
  const ran = await run(at, id)
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 })
  expect(await owned(number)).toBe(1)
  expect((await run(at, id)).exitCode).toBe(5)
  expect(await owned(number)).toBe(1)
})

test('a purchase whose answer was lost is found by its key, and not repeated', async () => {
  const number = forSale.shift() as string
  const { url, purchases } = await mishapBefore(server, 'answer lost')
  const at = await machine(url)
  const id = await ask(at, number)
  await approve(at, id)
  const lost = await run(at, id)
  expect(lost.exitCode, lost.stderr).toBe(12)
  expect(await stateOf(at, id)).toBe('interrupted')
  const again = await run(at, id)
  expect(again, again.stderr).toMatchObject({ exitCode: 0 })
  expect([purchases(), await owned(number), await stateOf(at, id)]).toEqual([1, 1, 'done'])
})

test('killed with kill -9 while it runs, it is resumed and buys once', async () => {
  const number = forSale.shift() as string
  const at = await machine(server.url)
  const id = await ask(at, number)
  await approve(at, id)
  const running = start(`ops run ${id}`, { at, env: agent })
  while ((await stateOf(at, id)) === 'approved') await Promise.race([running.ended, Promise.resolve()])
  running.kill('SIGKILL')
  await running.ended
  for (let n = 0; n < 5 && (await stateOf(at, id)) !== 'done'; n++) await run(at, id)
  expect([await owned(number), await stateOf(at, id)]).toEqual([1, 'done'])
})

test('five runs at once buy one number', async () => {
  const number = forSale.shift() as string
  const at = await machine(server.url)
  const id = await ask(at, number)
  await approve(at, id)
  const runs = await Promise.all(Array.from({ length: 5 }, () => run(at, id)))
  expect(runs.filter((it) => it.exitCode === 0)).toHaveLength(1)
  expect(await owned(number)).toBe(1)
})
