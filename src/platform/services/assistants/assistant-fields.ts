import { clearableSettings, optionalSettings } from '../../../contract/assistants/assistant-settings.ts'
import {
  isSettingOfMode,
  type ModeSetting,
  modeDefaults,
  modeSettings,
} from '../../../contract/assistants/engine-modes.ts'
import type { HandlerInput } from '../../../contract/mechanics/endpoint.ts'
import type { Assistant, assistants } from '../../../contract/resources/assistants.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import type { AssistantRow, LinkedAssistant } from '../../store/assistants/assistants.ts'
import type { Vault } from '../runtime/vault.ts'
import { openCalendarKeys } from './calendar-tools.ts'

/** All settings of an assistant. A setting that was not given is null. */
export type AssistantFields = Omit<
  Assistant,
  'id' | 'uuid' | 'status' | 'inbound_webhook_url' | 'created_at' | 'updated_at'
>
/** The input for a new assistant, with defaults filled in (section 4.15). */
export type AssistantDraft = HandlerInput<typeof assistants.create>
/** The input for a change to an assistant (section 4.16). */
export type AssistantChange = Omit<HandlerInput<typeof assistants.update>, 'id'>

/** The settings of an assistant before any optional one is given. */
const emptyFields = {
  ...(Object.fromEntries(
    [...Object.keys(optionalSettings), ...Object.keys(clearableSettings)].map((name) => [name, null]),
  ) as Partial<AssistantFields>),
  secondary_language_ids: [],
  label_ids: [],
  tool_ids: [],
  tools: [],
  variables: {},
}

const definedFields = (change: object): object =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))

/** Returns the settings without those that do not apply to the mode. Such settings are accepted and not stored. */
function dropInapplicable(fields: AssistantFields): AssistantFields {
  const inapplicable = (Object.keys(modeSettings) as ModeSetting[]).filter(
    (name) => !isSettingOfMode(name, fields.mode),
  )
  const emptyFiller = fields.filler_config && Object.keys(fields.filler_config).length === 0 && { filler_config: null }
  return { ...fields, ...Object.fromEntries(inapplicable.map((name) => [name, null])), ...emptyFiller }
}

/** Returns the settings of a new assistant. */
export const fieldsFromDraft = (draft: AssistantDraft): AssistantFields =>
  dropInapplicable({ ...emptyFields, ...definedFields(draft) } as AssistantFields)

/**
 * Returns the settings after a change. A change of mode first resets the settings that depend on the mode to their
 * defaults (section 4.16, rule 1).
 */
export function applyChange(before: AssistantFields, change: AssistantChange): AssistantFields {
  const { mode = before.mode } = change
  const base =
    mode === before.mode
      ? before
      : { ...before, mode, ...modeDefaults(mode), ...(mode !== 'pipeline' && nonPipelineSettings(before)) }
  const after = dropInapplicable({ ...base, ...definedFields(change) } as AssistantFields)
  // Removing the URL also switches the webhook off, unless the request says that it stays on.
  return change.webhook_url === null && change.is_webhook_active === undefined
    ? { ...after, is_webhook_active: false }
    : after
}

/** The settings with a fixed value in every mode but pipeline. */
const nonPipelineSettings = ({ knowledgebase_id, knowledgebase_mode }: AssistantFields) => ({
  allow_interruptions: true,
  knowledgebase_mode:
    knowledgebase_mode === 'function_call' || knowledgebase_id !== null ? ('function_call' as const) : null,
})

/** Returns the settings of a stored assistant, gathered from its tables. @throws VaultError */
export function fieldsFromRow({ row, labels, tools, slots }: LinkedAssistant, vault: Vault): AssistantFields {
  const settings = parseJson(row.settings)
  const webhook = (event: string): string | null =>
    slots.find((it) => it.event === event && it.holder === 'webhook')?.target ?? null
  const fields = {
    ...emptyFields,
    ...settings,
    ...(settings.tools && {
      tools: openCalendarKeys(vault, row.account_id, settings.tools),
    }),
    name: row.name,
    type: row.type,
    mode: row.mode,
    phone_number_id: row.phone_number_id,
    folder_id: row.folder_id,
    knowledgebase_id: row.knowledgebase_id,
    label_ids: [...labels],
    tool_ids: [...tools],
    is_webhook_active: webhook('post_call') !== null,
    conversation_ended_webhook_url: webhook('conversation_ended'),
  }
  return fields as AssistantFields
}

/** Returns the columns of the assistant's row. Labels, tools and webhooks have separate tables. */
export function toColumns(fields: AssistantFields): Pick<
  AssistantRow,
  'name' | 'type' | 'mode' | 'phone_number_id' | 'folder_id' | 'knowledgebase_id'
> & {
  readonly settings: string
} {
  const {
    name,
    type,
    mode,
    phone_number_id,
    folder_id,
    knowledgebase_id,
    label_ids,
    tool_ids,
    is_webhook_active,
    conversation_ended_webhook_url,
    ...rest
  } = fields
  return { name, type, mode, phone_number_id, folder_id, knowledgebase_id, settings: stringifyJson(rest) }
}
