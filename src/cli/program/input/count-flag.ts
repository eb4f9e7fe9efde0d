import type { CommandFlag } from '../commandline/command.ts'
import { usageError } from '../errors/usage-error.ts'

/** Parses a whole number from 1 to 999 999 999. @throws ClientFailure `usage` */
export function parseCount(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw usageError(`Invalid ${flag} "${text}". Use a whole number from 1 to 999999999.`)
  return Number(text)
}

/** Flag for the number of items of a list without pages, with its earlier name `--most`. */
export const limitFlags = (describe: string): readonly CommandFlag[] => [
  { flags: '--limit <n>', describe },
  { flags: '--most <n>', describe: 'Same as --limit', hidden: true },
]

/**
 * Returns the value of `--limit`, or of its earlier name.
 * @throws ClientFailure `usage` when it is above `max`
 */
export function parseLimit(
  flags: Readonly<Record<string, unknown>>,
  max = Number.POSITIVE_INFINITY,
): number | undefined {
  const limit = parseCount((flags.limit ?? flags.most) as string | undefined, '--limit')
  if (limit !== undefined && limit > max) throw usageError(`Invalid --limit "${limit}". The maximum is ${max}.`)
  return limit
}
