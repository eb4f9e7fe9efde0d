// Which progress file belongs to the rows of a command. Rows with another content are another job, also if they are in the same file.

import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { JournalEntry } from '../../../client/journal/open-operations.ts'
import { scanJournal } from '../../../client/journal/scan-journal.ts'
import { progressEnds } from '../../program/configuration/purge-bulk-progress.ts'
import type { Context } from '../../program/context.ts'
import type { BulkJob, CheckResult } from './bulk-job.ts'
import { formatCount } from './progress-bar.ts'
import { openProgressFile, type ProgressFile, progressPath } from './progress-file.ts'
import type { RowOperation } from './row-operation.ts'

/** Characters of the name that say which file goes to which target, and those that say what its recipients get. */
const nameLengths = { rows: 20, content: 12 } as const

interface ProgressOptions {
  readonly operation: RowOperation
  readonly checkResult: CheckResult
  readonly folder: string
  readonly baseUrl: string
  /** Hash of the file, the target and the account. */
  readonly name: string
}

/** The progress file of a job. */
export interface ProgressPath {
  readonly file: string
  /** Progress files of the same rows with another content. */
  readonly others: readonly string[]
}

/**
 * Returns the progress file of the rows, and those of the same rows with another content. Earlier versions had one for all contents: it
 * is continued unless the journal shows that its rows had another one, because a row must never be sent twice.
 */
export async function findProgress(
  context: Context,
  { operation, checkResult, folder, baseUrl, name }: ProgressOptions,
): Promise<ProgressPath> {
  const rowsName = name.slice(0, nameLengths.rows)
  const own = progressPath(folder, baseUrl, `${rowsName}${contentName(checkResult)}${progressEnds.progress}`)
  const earlier = progressPath(
    folder,
    baseUrl,
    `${name.slice(0, nameLengths.rows + nameLengths.content)}${progressEnds.progress}`,
  )
  const isContinued =
    !existsSync(own) && existsSync(earlier) && !(await hadOtherContent(context, operation, checkResult, earlier))
  const file = isContinued ? earlier : own
  const start = basename(own).slice(0, -`${contentName(checkResult)}${progressEnds.progress}`.length)
  const names = existsSync(folder) ? readdirSync(folder) : []
  const others = names
    .filter((it) => it.startsWith(start) && it.endsWith(progressEnds.progress) && it !== basename(file))
    .map((it) => join(folder, it))
  return { file, others }
}

/** Hashes what the recipients of all rows get. */
function contentName({ rows, numbers }: CheckResult): string {
  const digest = createHash('sha256')
  const perBlock = 8192
  for (let from = 0; from < rows; from += perBlock) {
    const block = new Uint32Array(Math.min(perBlock, rows - from) * 2)
    for (let n = 0; n < block.length / 2; n++) {
      const { high, low } = numbers.contentOf(from + n)
      block[n * 2] = high
      block[n * 2 + 1] = low
    }
    digest.update(block)
  }
  return digest.digest('hex').slice(0, nameLengths.content)
}

/** Reads a progress file. Nothing is written before a row begins. */
const readProgress = (file: string, rows: number): ProgressFile =>
  openProgressFile({
    file,
    head: { nonce: '', endpoint: '', target: '', file: '', rows, at: '' },
    reset: false,
    durable: false,
  })

/** Returns whether the journal has rows of a progress file, and all of them with another content. */
async function hadOtherContent(
  context: Context,
  { endpoint, rowOf }: RowOperation,
  { rows, numbers }: CheckResult,
  file: string,
): Promise<boolean> {
  const { nonce, at } = readProgress(file, rows).head
  if (!rowOf || nonce === '') return false
  let [same, other] = [0, 0]
  const compare = ({ idempotencyKey, input }: JournalEntry): void => {
    if (!idempotencyKey.startsWith(`${nonce}-`)) return
    const content = rowOf(input)?.content
    const { high, low } = numbers.contentOf(Number(idempotencyKey.slice(idempotencyKey.lastIndexOf('-') + 1)))
    if (content?.high === high && content.low === low) same += 1
    else if (content) other += 1
  }
  const journal = await context.journal()
  for (const entry of scanJournal(journal.lines(), { endpoint: endpoint.name, since: at, done: compare }))
    compare(entry)
  return other > 0 && same === 0
}

/**
 * Returns that a job with the same rows and another content has not sent all of them, in sentences; empty if there is none. `isLacking`
 * returns whether a row that was not sent counts.
 */
export function unfinishedJobText(
  others: readonly string[],
  { checkResult: { rows }, source }: Pick<BulkJob, 'checkResult' | 'source'>,
  isLacking: (row: number) => boolean,
): string {
  for (const file of others) {
    const { head, isFinished, finished } = readProgress(file, rows)
    for (let row = 0; head.nonce !== '' && row < rows; row++)
      if (isLacking(row) && !isFinished(row))
        return `An earlier run, of ${head.at.slice(0, 16).replace('T', ' ')} UTC, has sent ${formatCount(finished())} of ${formatCount(rows)} rows of ${source.name} with another content. This is another job, for all its rows. To finish the other one, run its command again.`
  }
  return ''
}
