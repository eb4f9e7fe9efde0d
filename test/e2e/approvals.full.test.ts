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

const approver = (
  await parley('server accounts key 1 --name Ada --scope approve -o id', { at: server.at })
).stdout.trim()

/** Decides as a person does: after reading the plan, on a Parley server with a key that no machine stores. */
async function approve(at: Place, id: string, { isInJournal = false } = {}): Promise<void> {
  const key: readonly (readonly [string, string])[] = isInJournal ? [] : [['scope approve', `${approver}\r`]]
  const { exitCode, screen } = await atTerminal(
    `ops approve ${id} --profile staging`,
    [['Approve this?', 'y\r'], ...key],
    { at },
  )
  expect(exitCode, screen).toBe(0)
  expect(screen).toContain('Claude Code')
}

const run = (at: Place, id: string) => parley(`ops run ${id} --profile staging --json`, { at, env: agent })
const stateOf = async (at: Place, id: string): Promise<string> =>
  JSON.parse((await parley(`ops get ${id} --profile staging --json`, { at })).stdout).state

test('an agent asks, a person approves on a terminal, the agent runs it once', async () => {
  const number = forSale.shift() as string
  const at = await machine(server.url)
  const id = await ask(at, number)
  expect((await run(at, id)).exitCode).toBe(10)
  const refused = await atTerminal(`ops approve ${id} --profile staging`, [], { at, env: agent })
  expect(refused.exitCode, refused.screen).toBe(10)
  const waiting = start(`ops wait ${id} --profile staging --json`, { at, env: agent })
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
  // The proxy does not pass the capabilities on, so that the operation is in the journal.
  const { url, purchases } = await mishapBefore(server, 'answer lost')
  const at = await machine(url)
  const id = await ask(at, number)
  await approve(at, id, { isInJournal: true })
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
  const running = start(`ops run ${id} --profile staging`, { at, env: agent })
  while ((await stateOf(at, id)) === 'approved') await Promise.race([running.ended, Promise.resolve()])
  running.kill('SIGKILL')
  await running.ended
  for (let n = 0; n < 5 && (await stateOf(at, id)) !== 'done'; n++) await run(at, id)
  expect([await owned(number), await stateOf(at, id)]).toEqual([1, 'done'])
})

test('killed with kill -9 between approval and run, the agent finds the approval and buys once', async () => {
  const number = forSale.shift() as string
  const at = await machine(server.url)
  const id = await ask(at, number)
  const waiting = start(`ops wait ${id} --profile staging --json`, { at, env: agent })
  await approve(at, id)
  waiting.kill('SIGKILL')
  await waiting.ended
  expect([await stateOf(at, id), await owned(number)]).toEqual(['approved', 0])
  const ran = await run(at, id)
  expect(ran, ran.stderr).toMatchObject({ exitCode: 0 })
  expect([(await run(at, id)).exitCode, await owned(number)]).toEqual([5, 1])
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

test('the agent, its key and the key of the data folder decide nothing, and a declined operation is not run', async () => {
  const number = forSale.shift() as string
  const at = await machine(server.url)
  const id = await ask(at, number)
  const wrong = await atTerminal(
    `ops approve ${id} --profile staging`,
    [
      ['Approve this?', 'y\r'],
      ['scope approve', `${server.key}\r`],
    ],
    { at },
  )
  expect([wrong.exitCode, await stateOf(at, id)], wrong.screen).toEqual([3, 'pending'])
  expect((await parley(`ops decline ${id} --profile staging`, { at, env: agent })).exitCode).toBe(10)
  const declined = await atTerminal(
    `ops decline ${id} --profile staging --reason Later`,
    [['scope approve', `${approver}\r`]],
    { at },
  )
  expect(declined.exitCode, declined.screen).toBe(0)
  const ran = await run(at, id)
  expect([ran.exitCode, ran.stderr], ran.stderr).toEqual([5, expect.stringContaining('declined')])
  expect(await owned(number)).toBe(0)
})

test('another machine with the same account lists it, and runs it once', async () => {
  const number = forSale.shift() as string
  const [at, other] = [await machine(server.url), await machine(server.url)]
  const id = await ask(at, number)
  await approve(other, id)
  const listed = await parley('ops list --pending --profile staging --json', { at: other })
  expect(JSON.parse(listed.stdout)).toContainEqual(expect.objectContaining({ id, state: 'approved' }))
  const runs = await Promise.all([run(at, id), run(other, id)])
  expect(runs.map((it) => it.exitCode).sort(), runs.map((it) => it.stderr).join('\n')).toEqual([0, 5])
  expect(await owned(number)).toBe(1)
})
