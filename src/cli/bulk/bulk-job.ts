import type { ExitName } from '../../contract/errors/exit-codes.ts'
import type { Context } from '../context.ts'
import type { Source } from '../terminal/streams.ts'
import type { Ledger } from './ledger.ts'
import type { Problem, RowOperation } from './row-operation.ts'
import type { CheckResult } from './rows/check-rows.ts'
import type { Mapping } from './rows/column-mapping.ts'
import type { RowEncoding, RowFormat } from './rows/read-rows.ts'
import type { RowSource } from './rows/row-source.ts'
import type { SendPlan } from './send-plan.ts'

/** What the command line says of rows, whatever is done with them. */
export interface RowOptions {
  readonly file: string
  /** What is piped in, where some of it was read already. */
  readonly stdin?: Source | undefined
  readonly format?: RowFormat | undefined
  readonly map: readonly string[]
  readonly failed?: string | undefined
  readonly skipInvalid: boolean
  /** Whether what earlier runs did, of this file or any other, is done again. */
  readonly resend: boolean
  /** Milliseconds in which a recipient is not sent the same content again. */
  readonly within: number
}

/** Rows that are read, checked and known to the ledger, before anything is sent. */
export interface BulkJob {
  readonly context: Context
  readonly operation: RowOperation
  readonly flags: RowOptions
  readonly source: RowSource
  readonly encoding: RowEncoding
  readonly mapping: Mapping
  readonly checkResult: CheckResult
  readonly ledger: Ledger
  readonly plan: SendPlan
  /** Rows that this run is to do: good ones that are not done, as many as `--limit` lets through. */
  readonly todo: number
}

/** How a run ends that somebody interrupted. */
export const interruptedExit = (signal: AbortSignal): ExitName =>
  (signal.reason as number) === 143 ? 'terminated' : 'interrupted'

/** What is wrong with a row, in one cell. */
export const joinProblems = (problems: readonly Problem[]): string =>
  problems.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)).join(' ')
