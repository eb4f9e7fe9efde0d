import type { BuiltInTool } from '../../../contract/assistants/built-in-tools.ts'
import { type EngineMode, modeErrors } from '../../../contract/assistants/engine-modes.ts'
import { selectionText } from '../../../contract/errors/failures.ts'
import { findAnsweringAssistant, findOwnedIds, type ReferencedTable } from '../../store/assistants/assistants.ts'
import { accountQuery } from '../../store/database/account-query.ts'
import type { AccountQuery } from '../../store/database/connection.ts'
import { findNumber } from '../../store/numbers/numbers.ts'
import { catalogues } from '../catalogues/catalogues.ts'
import type { AssistantFields } from './assistant-fields.ts'

/** Validation errors: texts by the path of the field. */
export type FieldErrors = Record<string, string[]>

const toWords = (path: string): string => path.replaceAll('_', ' ')
const invalidSelection = (path: string): string[] => [selectionText(path)]

/** Returns whether any of these fields is in the request. Fields that the request omits are not validated again. */
type IsGiven = (...fields: (keyof AssistantFields)[]) => boolean

/** Validates references to the catalogues (voices, languages, models, providers) and whether they are compatible. */
function validateCatalogueIds(fields: AssistantFields, given: IsGiven): FieldErrors {
  const errors: FieldErrors = {}
  const voice = catalogues.voice(fields.voice_id)
  if (given('voice_id', 'mode')) {
    if (!voice) errors.voice_id = invalidSelection('voice_id')
    else if (!voice.modes.includes(fields.mode))
      errors.voice_id = [`The selected voice id cannot be used when mode is ${fields.mode}.`]
  }
  if (given('language_id') && !catalogues.hasLanguage(fields.language_id))
    errors.language_id = invalidSelection('language_id')
  for (const [n, id] of (given('secondary_language_ids') ? (fields.secondary_language_ids ?? []) : []).entries())
    if (!catalogues.hasLanguage(id))
      errors[`secondary_language_ids.${n}`] = invalidSelection(`secondary_language_ids.${n}`)

  const model = (
    field: 'llm_model_id' | 'multimodal_model_id' | 'chat_llm_fallback_id',
    type: 'llm' | Exclude<EngineMode, 'pipeline'>,
  ): void => {
    const id = fields[field]
    if (id !== null && given(field) && !catalogues.hasModel(id, type)) errors[field] = invalidSelection(field)
  }
  model('llm_model_id', 'llm')
  model('chat_llm_fallback_id', 'llm')
  if (fields.mode !== 'pipeline') model('multimodal_model_id', fields.mode)

  const { synthesizer_provider_id: synthesizer, transcriber_provider_id: transcriber } = fields
  const language = catalogues.hasLanguage(fields.language_id) ? fields.language_id : undefined
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

/**
 * Validates the phone number: an inbound assistant needs an owned number that no other inbound assistant answers, and
 * not a Caller ID (section 4.15).
 */
async function validatePhoneNumber(
  query: AccountQuery,
  account: number,
  fields: AssistantFields,
  ownId: number | undefined,
): Promise<FieldErrors> {
  const id = fields.phone_number_id
  if (id === null) return {}
  const ownedNumber = await findNumber(accountQuery(query, account), id)
  if (!ownedNumber) return { phone_number_id: invalidSelection('phone_number_id') }
  if (fields.type === 'outbound') return {}
  if (ownedNumber.number.type === 'caller_id')
    return { phone_number_id: ['The selected phone number id is a Caller ID and cannot be used when type is inbound.'] }
  const answeringAssistant = await findAnsweringAssistant(query, id)
  if (answeringAssistant === undefined || answeringAssistant === ownId) return {}
  return { phone_number_id: ['The selected phone number id is already assigned to another inbound assistant.'] }
}

/** A referenced id with the path of the field it was given in. */
type Reference = readonly [path: string, id: number]

const toReferences = (field: string, ids: readonly number[] | null): Reference[] =>
  (ids ?? []).map((id, n) => [`${field}.${n}`, id])

/** Returns the ids that built-in tools have in a field, as `idOf` reads them. */
function toolReferences(
  { tools }: AssistantFields,
  field: string,
  idOf: (tool: BuiltInTool) => number | undefined,
): Reference[] {
  return (tools ?? []).flatMap((tool, n) => {
    const id = idOf(tool)
    return id === undefined ? [] : [[`tools.${n}.${field}`, id] as const]
  })
}

/**
 * Validates an assistant as it would be after a request, and returns the error texts by field. `fields` are the fields
 * of the request; `ownId` is the id of an assistant that exists already.
 */
export async function validateAssistant(
  query: AccountQuery,
  account: number,
  assistant: AssistantFields,
  fields: ReadonlySet<string>,
  ownId?: number,
): Promise<FieldErrors> {
  const given: IsGiven = (...names) => names.some((name) => fields.has(name))
  const errors: FieldErrors = { ...validateCatalogueIds(assistant, given), ...modeErrors(assistant.mode, assistant) }
  if (assistant.is_webhook_active && assistant.webhook_url === null)
    errors.webhook_url = ['The webhook url field is required when is webhook active is true.']
  if (given('phone_number_id', 'type'))
    Object.assign(errors, await validatePhoneNumber(query, account, assistant, ownId))

  const single = (field: 'folder_id' | 'knowledgebase_id'): Reference[] => {
    const id = assistant[field]
    return given(field) && id !== null ? [[field, id]] : []
  }
  const transfers = given('tools')
    ? toolReferences(assistant, 'assistant_id', (tool) =>
        tool.type === 'assistant_transfer' ? tool.assistant_id : undefined,
      )
    : []
  const references: readonly (readonly [ReferencedTable, readonly Reference[]])[] = [
    ['folder', single('folder_id')],
    ['knowledge_base', single('knowledgebase_id')],
    ['label', given('label_ids') ? toReferences('label_ids', assistant.label_ids) : []],
    ['tool', given('tool_ids') ? toReferences('tool_ids', assistant.tool_ids) : []],
    [
      'phone_number',
      given('tools')
        ? toolReferences(assistant, 'outbound_phone_id', (tool) =>
            tool.type === 'warm_call_transfer' ? tool.outbound_phone_id : undefined,
          )
        : [],
    ],
    ['assistant', transfers],
  ]
  for (const [table, wanted] of references) {
    const ownedIds = await findOwnedIds(
      query,
      table,
      wanted.map(([, id]) => id),
    )
    for (const [path, id] of wanted) if (!ownedIds.has(id)) errors[path] = invalidSelection(path)
  }
  for (const [path, id] of transfers)
    if (id === ownId) errors[path] = [`The ${toWords(path)} field must not be the assistant itself.`]
  return errors
}
