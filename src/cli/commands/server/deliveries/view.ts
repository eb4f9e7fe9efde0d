import { type Delivery, deliveries } from '../../../../contract/control/deliveries.ts'
import type { Target } from '../../../input/resolve-target.ts'
import type { View } from '../../../output/form.ts'

export const view: View<Delivery> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'event', title: 'Event', priority: 1 },
    { key: 'status', title: 'Status', priority: 1, kind: 'status' },
    { key: 'attempts', title: 'Attempts', priority: 3, kind: 'number' },
    {
      key: (it) => it.next_attempt_at ?? (it.status === 'pending' ? 'after an earlier one' : null),
      field: 'next_attempt_at',
      title: 'Next',
      priority: 4,
      kind: 'time',
    },
    { key: (it) => it.last_error ?? it.last_status, title: 'Last response', priority: 3, flexible: true },
    { key: 'url', title: 'To', priority: 2, flexible: true },
    { key: 'created_at', title: 'Created', priority: 5, kind: 'time' },
  ],
  empty: 'No deliveries. Enable a webhook: parley assistants enable-webhook.',
}

export const target: Target = {
  singular: 'delivery',
  list: deliveries.list,
  listCommand: 'server deliveries list',
  by: ['message_id'],
  label: (it) => `${it.event} to ${it.url}, ${it.status} (${it.id})`,
}

export const argument = { name: 'id', describe: 'Id of the delivery' } as const
