import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { usd } from '../../../contract/values/money.ts'
import { compareWithBudget } from '../../program/operations/budget.ts'
import type { BulkJob, RowsBudget } from './bulk-job.ts'
import { formatCount } from './progress-bar.ts'
import { buildBody } from './rows/check-rows.ts'
import { readRows } from './rows/read-rows.ts'

const millionths = (amount: number): number => Math.round(amount * 1_000_000)

/**
 * Compares the prices of all rows to send with `--budget`. Undefined without the flag. A price is reserved before its row
 * is sent, and settled with the cost: rows in flight never cost more together.
 * @throws ClientFailure `conflict` if they cost more, or their price is not known
 */
export async function openRowsBudget(job: BulkJob): Promise<RowsBudget | undefined> {
  const { budgetUsd } = job.context.writeSettings
  if (budgetUsd === undefined) return undefined
  const budget = millionths(budgetUsd)
  let [total, rows, affordable] = [0, 0, 0]
  for await (const price of rowPrices(job)) {
    rows++
    total += millionths(compareWithKnown(job, price))
    if (total <= budget) affordable = rows
  }
  if (total > budget) throw tooExpensive(job, total / 1_000_000, budgetUsd, affordable)
  let spent = 0
  return {
    reserve(body) {
      const price = compareWithKnown(job, rowPrice(job, body))
      if (spent + millionths(price) > budget) throw exhausted(spent / 1_000_000, budgetUsd)
      spent += millionths(price)
      return price
    },
    settle(priceUsd, costUsd) {
      spent += millionths(costUsd) - millionths(priceUsd)
    },
  }
}

/** Returns the price of a row in USD; undefined if it is not known. */
export const rowPrice = (
  { billing, operation }: Pick<BulkJob, 'billing' | 'operation'>,
  body: Readonly<Record<string, unknown>>,
): number | undefined => (billing?.prices ? operation.priceOf?.(body, billing.prices) : undefined)

/** Reads the prices of the rows that this run sends. */
async function* rowPrices(job: BulkJob): AsyncIterable<number | undefined> {
  const { operation, mapping, checkResult, source, encoding } = job
  let rows = 0
  for await (const some of readRows(source, encoding))
    for (const row of some) {
      if (rows === job.todo || !job.isToSend(row.at)) continue
      rows++
      yield rowPrice(job, buildBody(row, mapping, operation, checkResult.numbers))
    }
}

/** Returns the price of all rows that this run sends, in USD; undefined if one of them is not known. */
export async function sumRowPrices(job: BulkJob): Promise<number | undefined> {
  if (!job.billing?.prices || !job.operation.priceOf) return undefined
  let total = 0
  for await (const price of rowPrices(job)) {
    if (price === undefined || !Number.isFinite(price)) return undefined
    total += millionths(price)
  }
  return total / 1_000_000
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
