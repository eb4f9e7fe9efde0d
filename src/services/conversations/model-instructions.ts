import type { AssistantFields } from '../assistants/assistant-fields.ts'
import { fillVariables, type Variables } from '../assistants/assistant-variables.ts'
import { languages } from '../catalogues/languages.ts'

const languageName = (id: number | null | undefined): string | undefined => languages.find((it) => it.id === id)?.name

/** Returns the instruction about languages. Secondary languages apply only when the customer writes in them. */
function languageInstruction({ language_id, secondary_language_ids }: Partial<AssistantFields>): string {
  const main = languageName(language_id)
  const secondary = (secondary_language_ids ?? []).map(languageName).filter((it) => it !== undefined && it !== main)
  if (main === undefined) return ''
  if (secondary.length === 0) return `Answer in ${main}.`
  return `Answer in ${main}. When the customer writes in ${secondary.join(' or ')}, answer in that language instead.`
}

/**
 * Returns the instructions of the model: the assistant's prompt, its languages and its knowledge. Variables are filled
 * in the prompt only.
 */
export const buildInstructions = (
  settings: Partial<AssistantFields>,
  variables: Variables,
  knowledge: string,
): string =>
  [fillVariables(settings.system_prompt ?? '', variables), languageInstruction(settings), knowledge]
    .filter((it) => it !== '')
    .join('\n\n')
