import { type Mode, modeErrors } from '../contract/assistant-modes.ts'
import { answering, ownIds, type Referable } from '../store/assistant-links.ts'
import type { Query } from '../store/connection.ts'
import { findNumber } from '../store/numbers.ts'
import type { AssistantFields } from './assistant-state.ts'
import { catalogues } from './catalogues.ts'

export type FieldErrors = Record<string, string[]>

const words = (path: string): string => path.replaceAll('_', ' ')
const invalid = (path: string): string[] => [`The selected ${words(path)} is invalid.`]

/** Whether any of these fields was given: what a request leaves alone is not checked again. */
type Given = (...fields: (keyof AssistantFields)[]) => boolean

/** What no account owns: voices, languages, models, providers, and whether they go together. */
function catalogueErrors(it: AssistantFields, given: Given): FieldErrors {
  const errors: FieldErrors = {}
  const voice = catalogues.voice(it.voice_id)
  if (given('voice_id', 'mode')) {
    if (!voice) errors.voice_id = invalid('voice_id')
    else if (!voice.modes.includes(it.mode)) errors.voice_id = [`The selected voice id cannot be used when mode is ${it.mode}.`]
  }
  if (given('language_id') && !catalogues.hasLanguage(it.language_id)) errors.language_id = invalid('language_id')
  for (const [n, id] of (given('secondary_language_ids') ? (it.secondary_language_ids ?? []) : []).entries())
    if (!catalogues.hasLanguage(id)) errors[`secondary_language_ids.${n}`] = invalid(`secondary_language_ids.${n}`)

  const model = (field: 'llm_model_id' | 'multimodal_model_id' | 'chat_llm_fallback_id', type: 'llm' | Exclude<Mode, 'pipeline'>): void => {
    const id = it[field]
    if (id !== null && given(field) && !catalogues.hasModel(id, type)) errors[field] = invalid(field)
  }
  model('llm_model_id', 'llm')
  model('chat_llm_fallback_id', 'llm')
  if (it.mode !== 'pipeline') model('multimodal_model_id', it.mode)

  const { synthesizer_provider_id: synthesizer, transcriber_provider_id: transcriber } = it
  const language = catalogues.hasLanguage(it.language_id) ? it.language_id : undefined
  if (synthesizer !== null && given('synthesizer_provider_id', 'language_id', 'voice_id')) {
    const problem = !catalogues.hasSynthesizer(synthesizer)
      ? 'is invalid.'
      : !catalogues.hasSynthesizer(synthesizer, language)
        ? 'does not support the language.'
        : voice && voice.synthesizerId !== synthesizer && 'does not have the voice.'
    if (problem) errors.synthesizer_provider_id = [`The selected synthesizer provider id ${problem}`]
  }
  if (transcriber !== null && given('transcriber_provider_id', 'language_id')) {
    const problem = !catalogues.hasTranscriber(transcriber)
      ? 'is invalid.'
      : !catalogues.hasTranscriber(transcriber, language) && 'does not support the language.'
    if (problem) errors.transcriber_provider_id = [`The selected transcriber provider id ${problem}`]
  }
  return errors
}

/** An inbound assistant answers a number of its own, and not one it merely shows as its caller's (section 4.15). */
async function numberErrors(query: Query, account: number, it: AssistantFields, self: number | undefined): Promise<FieldErrors> {
  const id = it.phone_number_id
  if (id === null) return {}
  const found = await findNumber(query, account, id)
  if (!found) return { phone_number_id: invalid('phone_number_id') }
  if (it.type === 'outbound') return {}
  if (found.number.type === 'caller_id') return { phone_number_id: ['The selected phone number id is a Caller ID and cannot be used when type is inbound.'] }
  const other = await answering(query, id)
  if (other === undefined || other === self) return {}
  return { phone_number_id: ['The selected phone number id is already assigned to another inbound assistant.'] }
}

/** A reference and the path it was given at. */
type Reference = readonly [path: string, id: number]

const listed = (field: string, ids: readonly number[] | null): Reference[] => (ids ?? []).map((id, n) => [`${field}.${n}`, id])

/** Things of the account the built-in tools refer to. */
function toolReferences({ tools }: AssistantFields, type: string, field: string): Reference[] {
  return (tools ?? []).flatMap((tool, n) =>
    tool.type === type ? [[`tools.${n}.${field}`, (tool as unknown as Record<string, number>)[field] as number] as const] : [],
  )
}

/**
 * What an assistant, as it would be after a request, may not be: field and texts of each refusal. `given` are the fields of the request;
 * `self` is its id once it has one.
 */
export async function assistantErrors(query: Query, account: number, it: AssistantFields, fields: ReadonlySet<string>, self?: number): Promise<FieldErrors> {
  const given: Given = (...names) => names.some((name) => fields.has(name))
  const errors: FieldErrors = { ...catalogueErrors(it, given), ...modeErrors(it.mode, it) }
  if (it.is_webhook_active && it.webhook_url === null) errors.webhook_url = ['The webhook url field is required when is webhook active is true.']
  if (given('phone_number_id', 'type')) Object.assign(errors, await numberErrors(query, account, it, self))

  const single = (field: 'folder_id' | 'knowledgebase_id'): Reference[] => {
    const id = it[field]
    return given(field) && id !== null ? [[field, id]] : []
  }
  const transfers = given('tools') ? toolReferences(it, 'assistant_transfer', 'assistant_id') : []
  const references: readonly (readonly [Referable, readonly Reference[]])[] = [
    ['folder', single('folder_id')],
    ['knowledge_base', single('knowledgebase_id')],
    ['label', given('label_ids') ? listed('label_ids', it.label_ids) : []],
    ['tool', given('tool_ids') ? listed('tool_ids', it.tool_ids) : []],
    ['phone_number', given('tools') ? toolReferences(it, 'warm_call_transfer', 'outbound_phone_id') : []],
    ['assistant', transfers],
  ]
  for (const [table, wanted] of references) {
    const own = await ownIds(
      query,
      table,
      account,
      wanted.map(([, id]) => id),
    )
    for (const [path, id] of wanted) if (!own.has(id)) errors[path] = invalid(path)
  }
  for (const [path, id] of transfers) if (id === self) errors[path] = [`The ${words(path)} field must not be the assistant itself.`]
  return errors
}
