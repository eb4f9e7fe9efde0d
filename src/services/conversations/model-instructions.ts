import type { AssistantFields } from '../assistants/assistant-fields.ts'
import { fillVariables, type Variables } from '../assistants/assistant-variables.ts'
import { languages } from '../catalogues/languages.ts'

const languageName = (id: number | null | undefined): string | undefined => languages.find((it) => it.id === id)?.name

/** In which languages to answer; the further ones only where the customer writes in them. */
function languageInstruction({ language_id, secondary_language_ids }: Partial<AssistantFields>): string {
  const main = languageName(language_id)
  const secondary = (secondary_language_ids ?? []).map(languageName).filter((it) => it !== undefined && it !== main)
  if (main === undefined) return ''
  if (secondary.length === 0) return `Answer in ${main}.`
  return `Answer in ${main}. When the customer writes in ${secondary.join(' or ')}, answer in that language instead.`
}

/** All a model is told before a conversation: the assistant's own prompt, its languages, what it knows. Variables are filled in the prompt alone. */
export const buildInstructions = (
  settings: Partial<AssistantFields>,
  variables: Variables,
  knowledge: string,
): string =>
  [fillVariables(settings.system_prompt ?? '', variables), languageInstruction(settings), knowledge]
    .filter((it) => it !== '')
    .join('\n\n')
