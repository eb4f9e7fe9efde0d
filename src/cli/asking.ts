import { gaveArgument } from './answered.ts'
import { choices } from './choices.ts'
import type { Context } from './context.ts'
import { usage } from './usage.ts'

export interface WhichOne {
  readonly question: string
  /** What is said where nobody can be asked; the way out after it. */
  readonly missing: string
  readonly hint: string
}

/** The argument, or one of a few words picked on a terminal; elsewhere exit 2. */
export async function givenOrPicked(
  context: Context,
  given: string | undefined,
  words: readonly string[],
  { question, missing, hint }: WhichOne,
): Promise<string> {
  if (given !== undefined) return given
  if (!context.interactive) throw usage(missing, hint)
  const prompts = await context.prompts()
  const picked = await prompts.select(question, choices(words, String), { searchable: true })
  gaveArgument(context, picked)
  return picked
}

/** The argument, or what is typed on a terminal until `check` says true; elsewhere exit 2. */
export async function givenOrTyped(
  context: Context,
  given: string | undefined,
  check: (text: string) => true | string,
  { question, missing, hint }: WhichOne,
): Promise<string> {
  if (given !== undefined) return given
  if (!context.interactive) throw usage(missing, hint)
  const prompts = await context.prompts()
  const typed = await prompts.input(question, { validate: check })
  gaveArgument(context, typed)
  return typed
}
