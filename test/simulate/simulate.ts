import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../src/platform/store/database/open-store.ts'
import { auditSends } from '../support/platform/audit-messages.ts'
import { audit } from '../support/platform/audit-purchases.ts'
import { openApi } from '../support/platform/platform-api.ts'
import { Machine } from './machine.ts'
import { AccountModel } from './model.ts'
import { buy, checkNumbers, race, release } from './number-operations.ts'
import { planOf, type Step } from './plan.ts'
import {
  addFault,
  advance,
  customerWrites,
  holdClock,
  removeFaults,
  restart,
  sendMessage,
} from './platform-operations.ts'
import { checkResources, create, remove, update } from './resource-operations.ts'
import { StepRun, World } from './world.ts'

/** Operations of a simulation, each with its weight. */
const operations: Readonly<Record<string, readonly [weight: number, run: (step: StepRun) => Promise<void>]>> = {
  create: [6, create],
  update: [4, update],
  remove: [3, remove],
  buy: [6, buy],
  race: [2, race],
  release: [3, release],
  send_message: [3, sendMessage],
  customer_writes: [3, customerWrites],
  advance: [3, advance],
  hold_clock: [1, holdClock],
  add_fault: [2, addFault],
  restart: [1, restart],
}

/** Number of accounts beside the sample account. */
const otherAccounts = 3

/** Returns the plan of a seed. */
export const planFor = (seed: number, days: number): Step[] =>
  planOf(seed, days, Object.fromEntries(Object.entries(operations).map(([name, [weight]]) => [name, weight])))

/** Creates a data folder with the sample data, which simulations copy. */
export async function createTemplate(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-simulated-'))
  const api = await openApi({ dataDir: folder }, { seed: 7, wall: () => Date.UTC(2027, 2, 1, 9) })
  await api.platform.close()
  return folder
}

/**
 * Runs a plan. Resolves to the contradictions that were found; stops at the first step that has some. `more` are further
 * operations.
 */
export async function simulate(
  template: string,
  plan: readonly Step[],
  more: Readonly<Record<string, (step: StepRun) => Promise<void>>> = {},
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-simulation-'))
  const machine = new Machine(folder, template)
  const world = new World(machine)
  try {
    const first = await machine.process(0)
    world.accounts.push(new AccountModel(1, first.platform.credentials().key ?? ''))
    for (let n = 0; n < otherAccounts; n++) {
      const { id, key } = await first.account({ name: `Account ${n}` })
      world.accounts.push(new AccountModel(id, key))
    }
    const search = await first.ask('GET', '/api/user/phone-numbers/search?country_code=US')
    world.numbersForSale = (search.body.data as { phone_number: string }[]).slice(0, 24).map((it) => it.phone_number)
    for (const [n, step] of plan.entries()) {
      const run = new StepRun(world, step)
      await (operations[step.operation]?.[1] ?? more[step.operation])?.(run)
      const isEndOfDay = plan[n + 1]?.day !== step.day
      if (isEndOfDay) await checkWorld(run)
      if (world.wrong.length > 0) return world.wrong.map((it) => `after step ${n} (${describe(step)}): ${it}`)
    }
    return []
  } catch (error) {
    return [`the simulation broke: ${(error as Error).stack}`]
  } finally {
    await machine.close().catch(() => {})
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns a step as a line. */
export const describe = ({ day, operation, roll, trouble }: Step): string =>
  `day ${day} ${operation} ${roll}${trouble === 'none' ? '' : ` ${trouble}`}`

/** Lets the day end, then checks every invariant. */
async function checkWorld(last: StepRun): Promise<void> {
  const { world } = last
  const run = new StepRun(world, { day: 0, operation: 'check', roll: 1, trouble: 'none' })
  await removeFaults(run)
  await world.control('POST', '/control/clock/advance', { by: '1d' })
  await world.control('POST', '/control/drain', {})
  const check = (await world.control('GET', '/control/check')).body
  for (const problem of check.problems) world.wrong.push(`the database is damaged: ${problem}`)
  for (const list of check.lists)
    if (list.wrong !== 0) world.wrong.push(`${list.wrong ?? 'all'} counters of ${list.list} differ from the rows`)
  for (const account of check.balances?.wrong ?? [])
    world.wrong.push(`account ${account.account} has ${account.balance}, its ledger says ${account.ledger}`)
  const { read, close } = await openStore({ file: join(world.machine.dataDir, 'platform.db') })
  world.wrong.push(...(await audit(read)), ...(await auditSends(read)))
  await close()
  await checkNumbers(run)
  await checkResources(run)
}
