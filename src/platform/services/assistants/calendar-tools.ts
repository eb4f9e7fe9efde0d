import type { BuiltInTool } from '../../../contract/assistants/built-in-tools.ts'
import { Failure } from '../../../contract/errors/failures.ts'
import type { CalendarLookup } from '../../../engine/ports/integrations.ts'
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

/** Returns the vault label of the keys of calendars of an account. */
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
export const openCalendarKeys = <T extends StoredTools | undefined>(vault: Vault, account: number, tools: T): T =>
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
