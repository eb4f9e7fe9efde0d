import type { PlatformEvent } from '../../../contract/control/events.ts'
import { stringifyJson } from '../../../node/json.ts'
import type { View } from '../../output/form.ts'

export const view: View<PlatformEvent> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'created_at', title: 'When', priority: 2, kind: 'time' },
    { key: 'kind', title: 'Event', priority: 1 },
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
