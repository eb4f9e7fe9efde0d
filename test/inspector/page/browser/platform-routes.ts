import type { TestPlatform } from '../../../../src/platform.ts'
import type { FakeAnswer, FakeOptions } from './fake-inspector.ts'

const hours = (n: number): readonly number[] => Array.from({ length: 24 }, (_, at) => (at * n) % 7)

const entry = (kind: string, id: number, title: string, text: string, status: string, minutes: number) => ({
  id: `${kind}:${id}`,
  kind,
  at: new Date(Date.UTC(2026, 10, 23, 10, 0) - minutes * 60_000).toISOString(),
  account: 1,
  status,
  title,
  text,
  subject: null,
})

/** Entries of a timeline, newest first. */
export const sampleEntries = [
  entry('request', 41, 'GET /api/user/phone-numbers/all', 'numbers list', '200', 0),
  entry('delivery', 7, 'post_call to https://hooks.example/calls', 'HTTP 500 from the receiver', 'failed', 2),
  entry('run', 12, 'Opening hours', 'TypeError: inputs.day.toLowerCase is not a function', 'failed', 3),
  entry('message', 9, '+1 415 555 0142', 'When are you open today?', 'delivered', 9),
  entry('call', 3, 'Front desk, inbound', '+1 415 555 0143, 41 s', 'ended_by_assistant', 160),
  entry('ledger', 5, 'Charge', 'Renewal of +1 415 750 8612', '', 1400),
  entry('event', 2, 'conversation.ended', 'Front desk', 'handled', 1500),
]

const overview = {
  counts: {
    requests: { total: 1284, hourly: hours(3) },
    messages: { total: 92, hourly: hours(5) },
    calls: { total: 14, hourly: hours(2) },
    runs: { total: 37, hourly: hours(4) },
    deliveries: { total: 51, hourly: hours(6) },
    failed: { total: 3, hourly: Array.from({ length: 24 }, (_, at) => (at === 20 ? 3 : 0)) },
  },
  next_charges: [
    { at: '2026-12-03T10:36:50Z', amount: 1.3, text: 'Renewal of +1 415 750 8612', subject: { noun: 'number', id: 4 } },
    {
      at: '2026-12-08T10:36:50Z',
      amount: 2.1,
      text: 'Renewal of +44 20 7809 1450',
      subject: { noun: 'number', id: 2 },
    },
  ],
  attention: [
    {
      code: 'automation_runs',
      severity: 'warning',
      text: 'Automation "Opening hours" failed in 1 of its last 2 runs.',
      command: 'parley automate runs list "Opening hours" --status FAILED',
    },
  ],
}

const shownOverview = Object.fromEntries(
  overview.next_charges.map((it, at) => [`/next_charges/${at}/amount`, `${it.amount.toFixed(2)} USD`]),
)

const due = {
  data: [
    { kind: 'delivery', subject: '7', due_at: '2026-11-23T10:05:00.000000Z', attempts: 3 },
    { kind: 'automation.schedule', subject: 'Weekly count', due_at: '2026-11-30T16:00:00.000000Z', attempts: 0 },
    { kind: 'subscription', subject: '4', due_at: '2026-12-03T10:36:50.000000Z', attempts: 0 },
    { kind: 'subscription', subject: '2', due_at: '2026-12-08T10:36:50.000000Z', attempts: 0 },
  ].map((it) => ({ ...it, text: `${it.kind} ${it.subject}` })),
  next: null,
}

/**
 * Answers of the gateway: those of a test platform, without formatted values. Timeline, due jobs and overview are
 * fixed.
 */
export function platformRoutes(
  platform: TestPlatform,
  own: NonNullable<FakeOptions['route']> = () => undefined,
): NonNullable<FakeOptions['route']> {
  return async (method, path, body, headers): Promise<FakeAnswer> => {
    const special = await own(method, path, body, headers)
    if (special) return special
    if (path.startsWith('/control/timeline')) return { body: { data: sampleEntries, next: null } }
    if (path === '/received') return { body: { data: [] } }
    if (path.startsWith('/control/due')) return { body: due, command: 'parley server clock due' }
    if (path.startsWith('/control/overview')) return { body: overview, shown: shownOverview, command: 'parley doctor' }
    try {
      if (path.startsWith('/control/'))
        return { body: await platform.control(method, path.slice(9), body as object | undefined) }
    } catch (error) {
      const { status = 500, message } = error as { status?: number; message: string }
      return { status, body: { message } }
    }
    const response = await platform.fetch(path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(typeof headers['parley-details'] === 'string' && { 'parley-details': headers['parley-details'] }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text ? JSON.parse(text) : null, command: 'parley commands' }
  }
}
