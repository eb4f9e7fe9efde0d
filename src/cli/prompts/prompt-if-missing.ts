import type { Context } from '../context.ts'
import { usageError } from '../errors/usage-error.ts'
import { promptChoices } from './choices.ts'
import { recordArgument } from './equivalent-command.ts'

export interface ArgumentPrompt {
  readonly question: string
  /** What is said where nobody can be asked; the way out after it. */
  readonly missingMessage: string
  readonly hint: string
}

/** The argument, or one of a few words picked on a terminal; elsewhere exit 2. */
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

/** The argument, or what is typed on a terminal until `check` says true; elsewhere exit 2. */
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
