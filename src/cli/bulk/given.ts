import type { Invocation } from '../command.ts'
import type { RowFormat } from './rows.ts'
import type { RowFlags } from './work-order.ts'

/** What the flags say of rows. */
export const rowsGiven = (flags: Invocation['flags'], map: readonly string[]): RowFlags => ({
  file: String(flags.file),
  format: flags.format as RowFormat | undefined,
  map,
  failed: flags.failed as string | undefined,
  skipInvalid: flags.skipInvalid === true,
  again: flags.again === true,
})
