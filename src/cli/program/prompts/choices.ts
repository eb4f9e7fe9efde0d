import type { Choice } from './prompts.ts'

/** Converts items to the choices of a prompt. */
export const promptChoices = <T>(items: readonly T[], label: (item: T) => string): Choice<T>[] =>
  items.map((value) => ({ value, name: label(value) }))

/** Returns the choices whose name or description contains every typed word. */
export function filterChoices<T>(choices: readonly Choice<T>[], typed: string): readonly Choice<T>[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  return choices.filter((choice) => {
    const text = `${choice.name} ${choice.description ?? ''}`.toLowerCase()
    // Phone numbers are shown in groups of digits.
    const joined = text.replaceAll(/(?<=\d\)?)[ -](?=\(?\d)/g, '').replaceAll(/[()]/g, '')
    return words.every((word) => text.includes(word) || (/^\+?\d+$/.test(word) && joined.includes(word)))
  })
}
