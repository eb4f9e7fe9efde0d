import type { Choice } from './prompts.ts'

/** Those whose name or description holds every word that was typed. */
export function filterChoices<T>(choices: readonly Choice<T>[], typed: string): readonly Choice<T>[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  return choices.filter((it) => {
    const text = `${it.name} ${it.description ?? ''}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
