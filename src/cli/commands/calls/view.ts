import { type Call, calls } from '../../../contract/resources/calls.ts'
import { stateText } from '../../../contract/values/states.ts'
import type { LatestTarget } from '../../input/resolve-latest.ts'
import type { Target } from '../../input/resolve-target.ts'
import type { View } from '../../output/form.ts'

export const view: View<Call> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'type', title: 'Type', priority: 3 },
    { key: 'status', title: 'Status', priority: 1, kind: 'status' },
    { key: 'client_phone_number', title: 'Customer', priority: 1 },
    { key: 'assistant_name', title: 'Assistant', priority: 4, flexible: true },
    { key: 'campaign_name', title: 'Campaign', priority: 6, flexible: true },
    { key: 'duration', title: 'Duration', priority: 2, kind: 'duration' },
    { key: 'answered_by', title: 'Answered by', priority: 5 },
    { key: 'total_cost', title: 'Cost', priority: 2, kind: 'money' },
    { key: 'created_at', title: 'Started', priority: 2, kind: 'time' },
  ],
  empty: 'No calls.',
}

export const latest: LatestTarget<Call> = {
  singular: 'call',
  list: calls.list,
  id: (it) => it.id,
  label: (it) =>
    `${it.type} ${it.client_phone_number ?? ''}, ${stateText(String(it.status))}, ${it.created_at} (${it.id})`,
}

/** Target of deletions. Calls have no names; the newest hundred are read for the question. */
export const target: Target = {
  singular: 'call',
  list: calls.list,
  limit: 100,
  by: [],
  label: (it) =>
    `${it.type} ${it.client_phone_number ?? ''}, ${stateText(String(it.status))}, ${it.created_at} (${it.id})`,
}
