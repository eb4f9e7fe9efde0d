import { modelTypes } from '../../../contract/resources/models.ts'
import type { AssistantFields } from '../assistants/assistant-fields.ts'
import { catalogues } from '../catalogues/catalogues.ts'

/**
 * Returns the names of the models to try, in order. Speech models leave functions to the fallback model if there is one
 * (section 4.15).
 */
export function selectModels(
  { llm_model_id, chat_llm_fallback_id, multimodal_model_id }: Partial<AssistantFields>,
  hasFunctions: boolean,
): string[] {
  const fallback = chat_llm_fallback_id ?? undefined
  const ids =
    hasFunctions && llm_model_id == null
      ? [fallback, multimodal_model_id]
      : [llm_model_id ?? multimodal_model_id, fallback]
  const all = modelTypes.flatMap((it) => catalogues.models(it))
  const names = ids.flatMap((id) => all.find((it) => it.id === id)?.name ?? [])
  return names.length > 0 ? [...new Set(names)] : ['Balanced']
}
