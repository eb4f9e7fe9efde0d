import { webhookPath } from '../contract/automations/webhook-path.ts'
import type { TourPlatform } from './tour-platform.ts'

type Call = readonly [method: string, url: string, body?: unknown]

/**
 * Calls of a new platform with sample data, in an order in which each one succeeds: ids such as 2 are those that calls before
 * it got, and what deletes or restores comes after what needs it. The answers are the examples of the control API.
 */
const calls: readonly Call[] = [
  ['GET', '/control/status'],
  ['GET', '/control/check'],
  ['GET', '/control/export'],
  ['POST', '/control/check/recount'],
  ['GET', '/control/clock'],
  ['POST', '/control/clock/freeze', { at: '2027-01-15T09:30:00Z' }],
  ['GET', '/control/accounts'],
  [
    'POST',
    '/control/accounts',
    { name: 'North clinic', email: 'owner@example.com', balance: 50, payment_method: 'pm_card_visa' },
  ],
  ['PUT', '/control/accounts/2', { top_up: 25 }],
  ['POST', '/control/accounts/2/keys', { name: 'laptop' }],
  ['DELETE', '/control/accounts/2'],
  ['POST', '/control/accounts/1/senders'],
  ['GET', '/control/accounts/1/ledger'],
  ['POST', '/control/accounts/1/connections', { kind: 'spreadsheet', name: 'leads' }],
  ['GET', '/control/accounts/1/connections'],
  ['POST', '/control/accounts/1/connections/{connection}/break'],
  ['DELETE', '/control/accounts/1/connections/{connection}'],
  ['GET', '/control/accounts/1/mails'],
  ['POST', '/control/accounts/1/sheets/contacts', { columns: ['Name', 'Phone'] }],
  ['POST', '/control/accounts/1/sheets/contacts/rows', { values: { Name: 'Ada', Phone: '+14155550142' } }],
  ['PUT', '/control/accounts/1/sheets/contacts/rows/2', { values: { Name: 'Ada Lovelace' } }],
  ['GET', '/control/accounts/1/sheets/contacts/rows'],
  ['GET', '/control/accounts/1/sheets'],
  ['DELETE', '/control/accounts/1/sheets/contacts/rows/2'],
  ['GET', '/control/accounts/1/webhook-secret'],
  ['POST', '/control/accounts/1/webhook-secret'],
  ['PUT', '/control/accounts/1/run-webhook', { webhook_url: 'https://example.com/runs' }],
  ['PUT', '/control/accounts/1/senders/1/webhook', { webhook_url: 'https://example.com/status' }],
  ['POST', '/control/faults', { endpoint: 'numbers.buy', error: 'numbers.payment_failed', times: 1 }],
  ['GET', '/control/faults'],
  ['DELETE', '/control/faults/1'],
  ['DELETE', '/control/faults'],
  ['POST', '/control/simulate/message', { sender: 1, from: '+14155550142', text: 'Are you open today?' }],
  ['POST', '/control/simulate/end', { conversation: '{conversation}' }],
  ['POST', '/control/simulate/receipt', { message_sid: '{message}', status: 'delivered' }],
  ['POST', '/control/simulate/template', { sender: 1, template: 1, status: 'approved' }],
  ['POST', '/control/simulate/sender', { sender: 1, quality_rating: 'GREEN' }],
  [
    'POST',
    '/control/simulate/call',
    {
      direction: 'outbound',
      assistant: 1,
      phone_number: '+14155550142',
      turns: [{ assistant: 'How can I help?' }, { customer: 'Are you open today?' }],
    },
  ],
  ['POST', '/control/simulate/payment', { outcome: 'accepted' }],
  ['POST', '/control/simulate/failure', { provider: 'payments.charge', times: 1 }],
  ['POST', '/control/simulate/run', { steps: [{ advance: '30m' }] }],
  ['POST', '/control/clock/advance', { by: '24h' }],
  ['POST', '/control/clock/until', { what: 'next' }],
  ['POST', '/control/events', { kind: 'inbound', account: 1, assistant_id: 1 }],
  ['GET', '/control/events'],
  ['GET', '/control/accounts/1/events/signed'],
  ['POST', '/control/drain'],
  ['GET', '/control/deliveries'],
  ['GET', '/control/deliveries/1'],
  ['POST', '/control/deliveries/replay', { id: 1 }],
  ['GET', '/control/turns/example?wait=0'],
  ['GET', '/control/requests'],
  ['GET', '/control/nodes'],
  ['GET', '/control/timeline?kinds=call'],
  ['GET', '/control/due'],
  ['GET', '/control/overview'],
  ['POST', '/control/simulate/release', { number: '{number}' }],
  ['POST', '/control/snapshots', { name: 'before' }],
  ['GET', '/control/snapshots'],
  ['POST', '/control/accounts', { name: 'Later' }],
  ['GET', '/control/snapshots/before/compare'],
  ['POST', '/control/snapshots/before/restore'],
  ['DELETE', '/control/snapshots/before'],
  ['POST', '/control/clock/resume'],
  ['POST', '/control/purge', { older_than: '30d' }],
  ['POST', '/control/reset', { seed: 1 }],
]

/** An automation that fails for a request without a day. */
const failingFlow = {
  trigger: {
    name: 'trigger',
    type: 'PIECE_TRIGGER',
    settings: { pieceName: '@engine/piece-webhook', triggerName: 'catch_webhook', input: { authType: 'none' } },
  },
  steps: [
    {
      type: 'CODE',
      displayName: 'Find the opening hours',
      settings: {
        sourceCode: {
          code: "export const code = async (inputs) => ({ monday: '8:00 to 17:00' })[inputs.day].split(' to ')",
          packageJson: '{}',
        },
        input: { day: "{{trigger['body']['day']}}" },
      },
    },
  ],
}

/**
 * Calls every endpoint of the control API that a platform in one process can answer. Returns the calls that failed, and
 * the payloads of the events by their kind.
 */
export async function controlTour(
  ask: TourPlatform['ask'],
  control: TourPlatform['control'],
): Promise<{ readonly failed: readonly string[]; readonly events: Readonly<Record<string, unknown>> }> {
  const failed: string[] = []
  const events: Record<string, unknown> = {}
  const values = new Map<string, string>()
  const fill = (text: string): string => text.replace(/\{(\w+)\}/g, (all, name: string) => values.get(name) ?? all)
  // What the steps refer to: a conversation and a message of the sample data.
  const numbers = await ask('GET', '/api/user/phone-numbers/all')
  values.set('number', String(numbers.body.data[0].phone_number))
  const [template] = (await ask('GET', '/api/user/messaging/senders/1/templates')).body.data
  const sent = await ask('POST', '/api/user/messaging/send', {
    body: {
      sender_id: 1,
      template_id: template.id,
      recipient_phone: '+14155550142',
      variables: Object.fromEntries(template.variables.map((_: string, n: number) => [String(n + 1), 'x'])),
    },
  })
  values.set('message', String(sent.body.data?.message_sid ?? sent.body.message_sid))
  await ask('POST', '/api/user/assistants/enable-webhook', {
    body: { assistant_id: 1, webhook_url: 'https://example.com/hook' },
  })
  // A conversation starts, and a live run of an automation fails.
  const [assistant] = (await ask('GET', '/api/user/assistants/get')).body.data
  await ask('POST', '/api/conversations', { body: { assistant_id: assistant.uuid } })
  const automation = await ask('POST', '/api/user/automate/flows', {
    body: { name: 'Opening hours', sample: { day: 'monday' }, flow: failingFlow },
  })
  await ask('POST', `${webhookPath(automation.body.automation_id)}/sync`, { body: {} })
  for (const [method, url, body] of calls) {
    const answer = await control(
      method,
      fill(url),
      body === undefined ? undefined : JSON.parse(fill(JSON.stringify(body))),
    )
    if (answer.status >= 300) failed.push(`${method} ${fill(url)}: ${answer.text}`)
    const { data } = answer.body
    if (url === '/control/events' && method === 'GET') for (const event of data) events[event.kind] = event.payload
    if (url.endsWith('/connections') && method === 'POST') values.set('connection', String(data?.id))
    if (url === '/control/simulate/message') values.set('conversation', String(data?.conversation_id))
  }
  return { failed, events }
}
