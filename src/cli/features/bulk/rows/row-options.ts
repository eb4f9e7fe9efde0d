import { type Invocation, repeatedFlag } from '../../../program/commandline/command.ts'
import type { RowOptions } from '../bulk-job.ts'
import { parseWithin } from '../earlier-sends.ts'
import type { RowFormat } from './read-rows.ts'

/** Returns the row options from the command-line flags. */
export const rowOptions = ({ flags, stdin }: Pick<Invocation, 'flags' | 'stdin'>): RowOptions => ({
  stdin,
  file: String(flags.file),
  format: flags.format as RowFormat | undefined,
  map: repeatedFlag(flags, 'map'),
  failed: flags.failed as string | undefined,
  country: flags.country as string | undefined,
  skipInvalid: flags.skipInvalid === true,
  resend: flags.resend === true || flags.again === true,
  within: parseWithin(flags.within),
})
