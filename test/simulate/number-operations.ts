import { contract } from '../../src/contract/resources/index.ts'
import type { AccountModel } from './model.ts'
import type { StepRun, World } from './world.ts'

const { numbers } = contract

const ownerOf = ({ accounts }: World, number: string): AccountModel | undefined =>
  accounts.find((it) => it.numbers.has(number))

const isUncertain = ({ accounts }: World, number: string): boolean =>
  accounts.some((it) => it.uncertainNumbers.has(number) || it.leaving.has(number))

function bought(world: World, account: AccountModel, number: string, id: number): void {
  const owner = ownerOf(world, number)
  if (owner) world.wrong.push(`${number} was sold to account ${account.id}, and account ${owner.id} has it`)
  account.numbers.set(number, id)
  account.uncertainNumbers.delete(number)
  account.leaving.delete(number)
}

/** Buys a number, once or until the outcome is known. */
export async function buy(run: StepRun): Promise<void> {
  const { account, world, random } = run
  const number = random.pick(run.world.numbersForSale)
  const wasFree = !ownerOf(world, number) && !isUncertain(world, number)
  const input = { phone_number: number }
  const answer =
    random.between(0, 2) > 0 ? await run.sendUntilKnown(numbers.buy, input) : await run.send(numbers.buy, input)
  if (answer === undefined) account.uncertainNumbers.add(number)
  else if (answer.status === 201) bought(world, account, number, answer.body.data.id)
  else if (wasFree && answer.status !== 402) run.complain(`${number} was free, and its purchase`, answer)
}

/** Two accounts buy one number at the same moment. */
export async function race(run: StepRun): Promise<void> {
  const { world, random } = run
  const number = random.pick(run.world.numbersForSale)
  const buyers = random.shuffled(world.accounts).slice(0, 2)
  const answers = await Promise.all(
    buyers.map((account) => run.send(numbers.buy, { phone_number: number }, { account, key: run.newKey() })),
  )
  for (const [n, answer] of answers.entries()) {
    const account = buyers[n] as AccountModel
    if (answer === undefined) account.uncertainNumbers.add(number)
    else if (answer.status === 201) bought(world, account, number, answer.body.data.id)
  }
}

/** Releases a number. */
export async function release(run: StepRun): Promise<void> {
  const { account, random } = run
  const [number, id] = random.pick([...account.numbers]) ?? []
  if (number === undefined || id === undefined) return
  const answer = await run.send(numbers.release, { id })
  if (answer === undefined || answer.status < 300) {
    account.numbers.delete(number)
    account.leaving.add(number)
  } else run.complain(`the release of ${number}`, answer)
}

/** Compares the numbers of all accounts with what their clients know, and resolves what was uncertain. */
export async function checkNumbers(run: StepRun): Promise<void> {
  const { world } = run
  for (const account of world.accounts) {
    const answer = await run.read(numbers.list, {}, account)
    const rows = answer.body.data as { id: number; phone_number: string }[]
    const there = new Map(rows.map((it) => [it.phone_number, it.id]))
    for (const [number, id] of account.numbers)
      if (there.get(number) !== id) world.wrong.push(`${number} of account ${account.id} was acknowledged and is lost`)
    for (const [number, id] of there) {
      if (!world.numbersForSale.includes(number) || account.numbers.has(number)) continue
      if (account.leaving.has(number)) continue
      if (!account.uncertainNumbers.has(number))
        world.wrong.push(`${number} belongs to account ${account.id}, which did not buy it`)
      account.numbers.set(number, id)
    }
    for (const number of account.leaving) if (!there.has(number)) account.leaving.delete(number)
    account.uncertainNumbers.clear()
  }
}
