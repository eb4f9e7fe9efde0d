import { type Invocation, repeated } from '../command.ts'
import { withinOf } from './progress.ts'
import type { RowFormat } from './rows.ts'
import type { RowFlags } from './work-order.ts'

/** What the flags say of rows. */
export const rowsGiven = ({ flags, stdin }: Pick<Invocation, 'flags' | 'stdin'>): RowFlags => ({
  stdin,
  file: String(flags.file),
  format: flags.format as RowFormat | undefined,
  map: repeated(flags, 'map'),
  failed: flags.failed as string | undefined,
  skipInvalid: flags.skipInvalid === true,
  resend: flags.resend === true || flags.again === true,
  within: withinOf(flags.within),
})
