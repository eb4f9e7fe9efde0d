import type { Choice } from './prompts.ts'

/** Converts items to the choices of a prompt. */
export const promptChoices = <T>(items: readonly T[], label: (item: T) => string): Choice<T>[] =>
  items.map((value) => ({ value, name: label(value) }))
