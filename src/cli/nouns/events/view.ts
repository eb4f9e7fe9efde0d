import { events, type PlatformEvent } from '../../../contract/control/events.ts'
import { stringifyJson } from '../../../node/json.ts'
import { spelledAs } from '../../program/commandline/spelling.ts'
import type { View } from '../../program/output/format.ts'

type TriggerKind = (typeof events.fire.body.shape.kind.options)[number]

/** Kinds of assistant events by the recorded kinds. Those are kinds of contract/control/events.ts. */
const triggerKinds: Readonly<Record<string, TriggerKind>> = {
  'call.ended': 'post_call',
  'conversation.started': 'conversation',
  'conversation.ended': 'conversation_ended',
}

/** Recorded kinds that are events of an assistant. */
export const recordedKinds = Object.keys(triggerKinds)

/**
 * Returns the event of an assistant of a kind, in any spelling: `conversation-ended`, `call_ended`; undefined
 * if an assistant has no such event.
 */
export function triggerKindOf(kind: string): TriggerKind | undefined {
  const { options } = events.fire.body.shape.kind
  const recorded = spelledAs(kind, recordedKinds)
  const fired = spelledAs(kind.replace(/^fired[._-]/i, ''), options)
  return recorded === undefined ? options.find((it) => it === fired) : triggerKinds[recorded]
}

/** How events are shown to people: titles and columns may change. Scripts read JSON, or what `id` returns with `-o id`. */
export const view: View<PlatformEvent> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'created_at', title: 'When', priority: 2, kind: 'time' },
    { key: 'kind', title: 'Event', priority: 1, kind: 'choice' },
    { key: 'subject', title: 'Subject', priority: 2 },
    {
      key: (it) => (it.handled ? 'processed' : 'pending'),
      field: 'handled',
      title: 'State',
      priority: 3,
      kind: 'status',
    },
    { key: (it) => stringifyJson(it.payload), field: 'payload', title: 'Payload', priority: 4, flexible: true },
  ],
  empty: 'No events yet.',
}
