import type { Context } from '../context.ts'
import { usageError } from './usage-error.ts'

/** Rejects `--print-curl` for a command that sends several requests. @throws ClientFailure `usage` */
export function requireNoPrintCurl({ globals }: Context): void {
  if (globals.printCurl)
    throw usageError(
      '--print-curl cannot show several requests. Nothing was sent.',
      'To preview the changes, use --dry-run.',
    )
}
