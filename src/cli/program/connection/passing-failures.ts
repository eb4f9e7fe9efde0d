import type { ExitName } from '../../../contract/errors/exit-codes.ts'

/** Failures of a read after which a later one may succeed. */
export const passingFailures: ReadonlySet<unknown> = new Set<ExitName>(['connection', 'platform', 'rate_limited'])
