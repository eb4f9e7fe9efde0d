import type { Fault } from '../../../../contract/control/faults.ts'
import { stringifyJson } from '../../../../node/json.ts'
import type { View } from '../../../output/form.ts'

/** Describes the effect of a fault rule. */
function does({ error, code, status, socket, drift, latency_ms }: Fault): string {
  const parts = [
    ...(latency_ms > 0 ? [`wait ${latency_ms} ms`] : []),
    ...(error === null ? [] : [code === null ? error : `${error} ${code}`]),
    ...(status === null ? [] : [`status ${status}`]),
    ...(socket === null ? [] : [socket]),
    ...drift,
  ]
  return parts.join(', ')
}

/** Describes the requests that a fault rule applies to. */
function about({ account, where, probability }: Fault): string {
  const parts = [
    ...(account === null ? [] : [`account ${account}`]),
    ...Object.entries(where).map(
      ([path, value]) => `${path}=${typeof value === 'object' ? stringifyJson(value) : value}`,
    ),
    ...(probability < 1 ? [`${Math.round(probability * 1000) / 10} %`] : []),
  ]
  return parts.join(', ') || 'all requests'
}

/** Describes how often a fault rule can still trigger; `exhausted` if it cannot. */
const stateOf = ({ times, fired }: Fault): string =>
  times === null ? 'active' : fired < times ? `${times - fired} left` : 'exhausted'

export const view: View<Fault> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'endpoint', title: 'Endpoint', priority: 1 },
    { key: does, title: 'Effect', priority: 1, flexible: true },
    { key: about, title: 'Applies to', priority: 2, flexible: true },
    { key: stateOf, title: 'State', priority: 2 },
    { key: 'fired', title: 'Triggered', priority: 2, kind: 'number' },
    { key: 'met', title: 'Matched', priority: 4, kind: 'number' },
    { key: 'created_at', title: 'Since', priority: 5, kind: 'time' },
  ],
  empty: 'No fault rules. Create one: parley server faults create --help.',
}
