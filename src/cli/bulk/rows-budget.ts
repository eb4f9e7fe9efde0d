import { ClientFailure } from '../../client/failures/client-failure.ts'
import { compareWithBudget, platformPrices } from '../operations/budget.ts'
import { usd } from '../output/usd.ts'
import type { BulkJob } from './bulk-job.ts'
import { formatCount } from './progress-bar.ts'
import { buildBody } from './rows/check-rows.ts'
import { readRows } from './rows/read-rows.ts'

/** Keeps the cost of a run within `--budget`. */
export interface RowsBudget {
  /**
   * Reserves the price of a row before it is sent, and returns it. @throws ClientFailure `conflict` if the budget does
   * not suffice
   */
  reserve(body: Readonly<Record<string, unknown>>): number
  /** Replaces a reserved price by what the row cost. */
  settle(priceUsd: number, costUsd: number): void
}

const millionths = (amount: number): number => Math.round(amount * 1_000_000)

/**
 * Compares the prices of all rows to send with `--budget`. Undefined without the flag.
 * @throws ClientFailure `conflict` if they cost more, or their price is not known
 */
export async function openRowsBudget(job: BulkJob): Promise<RowsBudget | undefined> {
  const { context, operation, mapping, checkResult, source, encoding } = job
  const { budgetUsd } = context.spending
  if (budgetUsd === undefined) return undefined
  const prices = await platformPrices(context)
  const priceOf = (body: Readonly<Record<string, unknown>>): number | undefined =>
    prices && operation.priceOf?.(body, prices)
  const budget = millionths(budgetUsd)
  let [total, rows, affordable] = [0, 0, 0]
  for await (const some of readRows(source, encoding))
    for (const row of some) {
      if (rows === job.todo || !job.isToSend(row.at)) continue
      rows++
      total += millionths(compareWithKnown(job, priceOf(buildBody(row, mapping, operation, checkResult.numbers))))
      if (total <= budget) affordable = rows
    }
  if (total > budget) throw tooExpensive(job, total / 1_000_000, budgetUsd, affordable)
  let spent = 0
  return {
    reserve(body) {
      const price = compareWithKnown(job, priceOf(body))
      if (spent + millionths(price) > budget) throw exhausted(spent / 1_000_000, budgetUsd)
      spent += millionths(price)
      return price
    },
    settle(priceUsd, costUsd) {
      spent += millionths(costUsd) - millionths(priceUsd)
    },
  }
}

/** Returns a price that is known. @throws ClientFailure `conflict` otherwise */
const compareWithKnown = ({ context }: BulkJob, price: number | undefined): number =>
  price !== undefined && Number.isFinite(price) ? price : compareWithBudget(context, undefined)

const conflict = (message: string, hint: string): ClientFailure =>
  new ClientFailure({ exit: 'conflict', code: 'price', message, hint, sent: false })

const tooExpensive = ({ operation }: BulkJob, total: number, budget: number, affordable: number): ClientFailure =>
  conflict(
    `This can cost ${usd(total)}, more than --budget ${budget}. Nothing was sent.`,
    affordable === 0
      ? 'Raise --budget.'
      : `Raise --budget, or pass --limit ${affordable} to send the first ${formatCount(affordable)} ${operation.nouns[affordable === 1 ? 0 : 1]}. Run the same command again for the next ones.`,
  )

const exhausted = (spent: number, budget: number): ClientFailure =>
  conflict(
    `The rows that were sent cost ${usd(spent)}, and the next one can exceed --budget ${budget}.`,
    'The platform charged more than the price that it reports. Check: parley billing usage.',
  )
