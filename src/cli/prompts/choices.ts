import type { Choice } from './prompts.ts'

/** Items as the choices of a picker. */
export const promptChoices = <T>(items: readonly T[], label: (item: T) => string): Choice<T>[] =>
  items.map((value) => ({ value, name: label(value) }))
