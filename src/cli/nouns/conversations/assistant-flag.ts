import type { Context } from '../../program/context.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { uuidPattern } from '../../program/input/ids.ts'
import { parseVariables } from '../../program/input/parse-variables.ts'
import { findAssistant } from '../assistants/assistant-record.ts'

export const variableFlag = {
  flags: '--var <name=value>',
  describe: 'Variable for the assistant; repeatable',
  repeatable: true,
  field: 'variables',
} as const

/** Returns the UUID of the assistant given with `--assistant`, or prompts for it. */
export async function assistantUuid(context: Context, given: unknown): Promise<string> {
  if (given !== undefined && uuidPattern.test(String(given))) return String(given)
  if (given === undefined && !context.interactive)
    throw usageError('Missing --assistant.', 'List assistants: parley assistants list.')
  return String((await findAssistant(context, given === undefined ? undefined : String(given))).uuid)
}

/**
 * Combines variables from the body and from `--var`, which takes precedence. Undefined if there are none. Calls and replies
 * use it, too, so that --var means the same everywhere.
 */
export function mergeVariables(given: unknown, pairs: readonly string[]): Record<string, unknown> | undefined {
  return given === undefined && pairs.length === 0
    ? undefined
    : { ...(given as Record<string, unknown> | undefined), ...parseVariables(pairs) }
}
