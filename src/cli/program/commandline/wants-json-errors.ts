import { isForAgent } from '../configuration/agent-mode.ts'
import type { Env } from '../terminal/color.ts'

/**
 * Returns whether errors are printed as JSON: with a format for programs, and for coding agents unless a flag chooses
 * another. It reads unparsed words, because the command line may be invalid.
 */
export function wantsJsonErrors(words: readonly string[], env: Env): boolean {
  if (words.includes('--json')) return true
  const at = words.findIndex((it) => it === '-o' || it === '--output')
  const flag = at >= 0 ? words[at + 1] : words.find((it) => /^(--output=|-o.)/.test(it))?.replace(/^(--output=|-o)/, '')
  if (isForAgent(env) && flag !== 'table') return true
  return /^(json|ndjson|yaml)$/.test(flag ?? env.PARLEY_OUTPUT ?? '')
}
