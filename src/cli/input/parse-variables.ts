import { usageError } from '../errors/usage-error.ts'

/** What `--var name=value`, which may be repeated, gives by name. `hint` says what a name is. */
export const parseVariables = (pairs: readonly string[], hint?: string): Record<string, string> =>
  Object.fromEntries(
    pairs.map((text) => {
      const at = text.indexOf('=')
      if (at < 1) throw usageError(`--var takes name=value, not "${text}".`, hint)
      return [text.slice(0, at), text.slice(at + 1)]
    }),
  )
