import { usageError } from '../errors/usage-error.ts'

/** Parses repeated `--var name=value` flags, or those of another `flag`, into an object. `hint` explains the names. */
export const parseVariables = (pairs: readonly string[], hint?: string, flag = '--var'): Record<string, string> =>
  Object.fromEntries(
    pairs.map((text) => {
      const at = text.indexOf('=')
      if (at < 1) throw usageError(`Invalid ${flag} "${text}". Use name=value.`, hint)
      return [text.slice(0, at), text.slice(at + 1)]
    }),
  )
