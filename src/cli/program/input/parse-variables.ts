import { usageError } from '../errors/usage-error.ts'

/** Splits the value of a flag at its first `=`. `form` names the two parts for the error. @throws ClientFailure `usage` without the first */
export function splitPair(
  text: string,
  flag: string,
  form: 'name=value' | 'key=value' | 'path=value',
  hint?: string,
): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw usageError(`Invalid ${flag} "${text}". Use ${form}.`, hint)
  return [text.slice(0, at), text.slice(at + 1)]
}

/** Parses repeated `--var name=value` flags, or those of another `flag`, into an object. `hint` explains the names. */
export const parseVariables = (pairs: readonly string[], hint?: string, flag = '--var'): Record<string, string> =>
  Object.fromEntries(pairs.map((text) => splitPair(text, flag, 'name=value', hint)))
