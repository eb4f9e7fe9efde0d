import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { promptChoices } from './choices.ts'
import { recordArgument } from './equivalent-command.ts'

interface ArgumentPrompt {
  readonly question: string
  /** Error message without a terminal; `hint` says how to fix it. */
  readonly missingMessage: string
  readonly hint: string
}

/** Returns the argument, or a word selected in a prompt. @throws ClientFailure `usage` without a terminal */
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

/**
 * Returns the argument, or text typed in a prompt until `check` returns true. @throws ClientFailure `usage` without a
 * terminal
 */
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
