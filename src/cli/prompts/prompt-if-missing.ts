import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { promptChoices } from './choices.ts'
import { recordArgument } from './equivalent-command.ts'

export interface ArgumentPrompt {
  readonly question: string
  /** Error message without a terminal; `hint` says how to fix it. */
  readonly missingMessage: string
  readonly hint: string
}

/** The argument, or a word selected in a prompt; without a terminal, fails with exit code 2. */
export async function selectIfMissing(
  context: Context,
  given: string | undefined,
  words: readonly string[],
  { question, missingMessage, hint }: ArgumentPrompt,
): Promise<string> {
  if (given !== undefined) return given
  if (!context.interactive) throw usageError(missingMessage, hint)
  const prompts = await context.prompts()
  const picked = await prompts.select(question, promptChoices(words, String), { searchable: true })
  recordArgument(context, picked)
  return picked
}

/** The argument, or text typed in a prompt until `check` returns true; without a terminal, fails with exit code 2. */
export async function inputIfMissing(
  context: Context,
  given: string | undefined,
  check: (text: string) => true | string,
  { question, missingMessage, hint }: ArgumentPrompt,
): Promise<string> {
  if (given !== undefined) return given
  if (!context.interactive) throw usageError(missingMessage, hint)
  const prompts = await context.prompts()
  const typed = await prompts.input(question, { validate: check })
  recordArgument(context, typed)
  return typed
}
