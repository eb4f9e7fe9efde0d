import type { SlotEvent } from '../../../../contract/automations/automation-records.ts'
import type { Micros } from '../../../../contract/values/micros.ts'
import { buildEventSample } from '../../../../engine/templates/event-samples.ts'
import { parseJson } from '../../../../node/json.ts'
import type { AssistantRow } from '../../../store/assistants/assistants.ts'

/** Returns a sample payload of an assistant's event, with the assistant's variables. */
export function assistantEventSample(
  event: SlotEvent,
  { uuid, settings }: AssistantRow,
  now: Micros,
): Record<string, unknown> {
  const { variables, post_call_schema } = parseJson(settings)
  return buildEventSample(event, { id: uuid, variables, post_call_schema }, now)
}
