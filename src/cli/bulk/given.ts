import { type Invocation, repeatedFlag } from '../command.ts'
import { parseWithin } from './progress.ts'
import type { RowFormat } from './rows.ts'
import type { RowOptions } from './work-order.ts'

/** What the flags say of rows. */
export const rowOptions = ({ flags, stdin }: Pick<Invocation, 'flags' | 'stdin'>): RowOptions => ({
  stdin,
  file: String(flags.file),
  format: flags.format as RowFormat | undefined,
  map: repeatedFlag(flags, 'map'),
  failed: flags.failed as string | undefined,
  skipInvalid: flags.skipInvalid === true,
  resend: flags.resend === true || flags.again === true,
  within: parseWithin(flags.within),
})
