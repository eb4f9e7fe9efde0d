import { clearableSettings, optionalSettings } from '../../../contract/assistants/assistant-settings.ts'
import type { BuiltInTool } from '../../../contract/assistants/built-in-tools.ts'
import {
  isSettingOfMode,
  type ModeSetting,
  modeDefaults,
  modeSettings,
} from '../../../contract/assistants/engine-modes.ts'
import type { HandlerInput } from '../../../contract/endpoint/endpoint.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import type { Assistant, assistants } from '../../../contract/resources/assistants.ts'
import type { CalendarLookup } from '../../../engine/ports.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import type { AssistantRow, LinkedAssistant } from '../../store/assistants/assistants.ts'
import type { Vault } from '../runtime/vault.ts'

/**
 * Completes and checks calendar tools with data from the calendar service: reads the name of an event, and checks that
 * an event type belongs to the account of its token (section 4.15).
 * @throws Failure 422 for an event that does not exist or an event type of another account
 */
export async function resolveCalendarTools(
  calendars: CalendarLookup,
  tools: readonly BuiltInTool[],
): Promise<BuiltInTool[]> {
  const resolved: BuiltInTool[] = []
  for (const [index, tool] of tools.entries())
    resolved.push(tool.type === 'calendar_integration' ? await resolveCalendarTool(calendars, tool, index) : tool)
  return resolved
}

type Calendar = Extract<BuiltInTool, { type: 'calendar_integration' }>
type StoredTools = readonly BuiltInTool[] | null

/** Returns the vault label of the keys of calendars of an account. Stored values open only with it, so it never changes. */
const keyLabel = (account: number): string => `calendar key of account ${account}`

const isSealed = (key: string): boolean => /^v\d+\.[0-9a-f]{8}\./.test(key)

function mapCalendarKeys<T extends StoredTools | undefined>(tools: T, change: (key: string) => string): T {
  return tools?.map((tool) => {
    if (tool.type !== 'calendar_integration') return tool
    return tool.calendar_type === 'cal_b'
      ? { ...tool, cal_b_api_key: change(tool.cal_b_api_key) }
      : { ...tool, cal_a_api_key: change(tool.cal_a_api_key) }
  }) as T
}

/** Returns the stored form of the built-in tools of an assistant: with sealed keys of calendars. */
export const sealCalendarKeys = <T extends StoredTools | undefined>(vault: Vault, account: number, tools: T): T =>
  mapCalendarKeys(tools, (key) => vault.seal(key, keyLabel(account)))

/** Returns stored built-in tools with readable keys. Keys of earlier versions are not sealed. @throws VaultError */
const openCalendarKeys = <T extends StoredTools | undefined>(vault: Vault, account: number, tools: T): T =>
  mapCalendarKeys(tools, (key) => (isSealed(key) ? vault.open(key, keyLabel(account)) : key))

async function resolveCalendarTool(calendars: CalendarLookup, tool: Calendar, index: number): Promise<Calendar> {
  if (tool.calendar_type === 'cal_b') {
    if (await calendars.ownsEventType(tool.cal_b_api_key, tool.cal_b_event_type_uri)) return tool
    throw validationFailure({ tools: ['The event type URI does not belong to the account of the token.'] })
  }
  if (tool.cal_a_event_id === undefined) return tool
  const endpoint = (tool.cal_a_endpoint === 'custom' && tool.cal_a_custom_endpoint) || tool.cal_a_endpoint
  const event = await calendars.eventName({ apiKey: tool.cal_a_api_key, endpoint }, String(tool.cal_a_event_id))
  if (event.ok) return { ...tool, cal_a_event_name: event.name }
  throw validationFailure({
    [`tools.${index}.cal_a_event_id`]: [`The selected tools.${index}.cal a event id is invalid.`],
  })
}

const validationFailure = (errors: Record<string, string[]>): Failure =>
  new Failure('invalid', { text: 'Validation failed', errors })

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
