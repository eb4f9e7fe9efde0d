import { usageError } from '../errors/usage-error.ts'

/** Parses a whole number from 1 to 999 999 999. @throws ClientFailure `usage` */
export function parseCount(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw usageError(`Invalid ${flag} "${text}". Use a whole number from 1 to 999999999.`)
  return Number(text)
}
