import { buildEventSample } from '../../automation/triggers/samples.ts'
import type { Micros } from '../../events/clock.ts'
import type { AssistantRow } from '../../store/assistants.ts'
import type { SlotEvent } from '../../store/slots.ts'
import type { AssistantFields } from '../assistant-state.ts'

/** What an event of an assistant brings, made up from the assistant's own variables. */
export function assistantEventSample(event: SlotEvent, { uuid, settings }: AssistantRow, now: Micros): Record<string, unknown> {
  const { variables, post_call_schema } = JSON.parse(settings) as Partial<AssistantFields>
  return buildEventSample(event, { id: uuid, variables, post_call_schema }, now)
}
